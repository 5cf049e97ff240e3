// The recipes for node:test and for one emulator that all files of Vitest share, run as a user would run them.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/client.js';
import { startCommand } from '../support/command.js';
import { createProject, runIn } from '../support/project.js';

it('the recipe for node:test runs with an emulator of its own and with a shared one', async () => {
  const project = createProject('recipes/node');
  const own = await runIn(project, [process.execPath, '--test', '--test-reporter=tap']);
  expect([own.code, own.stdout.match(/^# (pass|fail) \d+/gm)]).toEqual([0, ['# pass 2', '# fail 0']]);
  const shared = await startCommand(['--ephemeral']);
  const args = ['--test', '--test-reporter=tap', 'deploy.test.mjs'];
  const beside = await runIn(project, [process.execPath, ...args], { CLOUDEMU_URL: shared.url });
  expect(beside.code).toBe(0);
  const worlds = await connect({ url: shared.url }).controls.worlds.list();
  expect(worlds.map(({ id }) => id)).toEqual(['default']);
});

it('the recipe for Vitest runs files that share one emulator', async () => {
  const project = createProject('recipes/vitest', 'recipes/vitest-shared');
  const spec = readFileSync(join(project, 'deploy.spec.ts'), 'utf8');
  const tell = `import { appendFileSync } from 'node:fs';\ntest('tells where', ({ world }) => appendFileSync('urls.txt', new URL(world.url).origin + '\\n'));\n`;
  for (const name of ['one', 'two']) writeFileSync(join(project, `${name}.spec.ts`), spec + tell);
  const ran = await runIn(project, ['vitest', 'run', '--testTimeout=60000', '--no-color'], { NO_COLOR: '1' });
  expect(ran.stdout).toMatch(/Tests +17 passed/);
  const origins = readFileSync(join(project, 'urls.txt'), 'utf8').trim().split('\n');
  expect([origins.length, new Set(origins).size]).toEqual([2, 1]);
});
