import { it } from 'vitest';
import { createProject, runIn } from '/work/main/test/support/project.js';
import { readFileSync, rmSync } from 'node:fs';
it('x', async () => {
  const p = createProject('recipes/vitest','entries/specs');
  for (const extra of [[],['--pool=threads'],['--pool=vmThreads'],['--pool=vmForks'],['--no-isolate', '--maxWorkers=1'],['--sequence.shuffle'], ['--sequence.concurrent']]) {
    rmSync(p + '/worlds.jsonl', { force: true });
    const o = await runIn(p, ['vitest', 'run', ...extra]);
    console.log(extra, o.code, o.stdout.replace(/\x1b\[[0-9;]*m/g, '').split('\n').filter((l) => /×|Tests |rror|Unhandled/.test(l)).join('\n'), new Set(readFileSync(p+'/worlds.jsonl','utf8').match(/1:\d+/g)));
  }
}, 120000);
