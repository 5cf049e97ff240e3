import { it } from 'vitest';
import { createProject, runIn } from '/work/main/test/support/project.js';
import { readFileSync, rmSync } from 'node:fs';
it('x', async () => {
  const p = createProject('recipes/vitest','entries/specs');
  for (const extra of [[]] as string[][]) {
    rmSync(p + '/worlds.jsonl', { force: true });
    const o = await runIn(p, ['vitest', 'run', ...extra]);
    console.log(extra, o.code, o.stdout, o.stderr, new Set(readFileSync(p+'/worlds.jsonl','utf8').match(/1:\d+/g)));
  }
}, 120000);
