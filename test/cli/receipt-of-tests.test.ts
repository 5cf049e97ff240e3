// The receipt of an emulator that is not one of `cloudemu run`: of its whole life, or of all emulators of a run of tests.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { connect } from '../../src/client.js';
import { itFull } from '../support/campaign.js';
import { spawnCommand, startCommand, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';

const index = fileURLToPath(new URL('../../dist/index.js', import.meta.url));

const receiptIn = (cwd: string, name = '.cloudemu/receipt.json') => JSON.parse(readFileSync(join(cwd, name), 'utf8'));
const check = async (cwd: string, ...more: string[]) => {
  const { stdout } = await runHere(['receipt', '--json', ...more], { cwd });
  return JSON.parse(stdout).vacuities.map(({ code }: { code: string }) => code);
};

it('an emulator that was started with --receipt writes what came to all its worlds, also to those that have ended', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'package.json'), '{}');
  const { url, end } = await startCommand(['--ephemeral', '--receipt', 'out/receipt.json'], { cwd });
  for (const label of ['a.spec.ts > lists', 'a.spec.ts > sends nothing']) {
    const world = await connect({ url }).createWorld({ label });
    const headers = { authorization: `Bearer ${world.apiKey}` };
    if (label.endsWith('lists')) await world.fetch('/api/v1/containers', { headers });
    await world.close();
  }
  expect((await end()).code).toBe(0);
  const receipt = receiptIn(cwd, 'out/receipt.json');
  expect(receipt).toMatchObject({ kind: 'tests', exitCode: null, command: [], scenario: null });
  expect(receipt.worlds).toMatchObject([
    { label: 'a.spec.ts > lists', requests: 1, operations: { 'containers.list': 1 } },
    { label: 'a.spec.ts > sends nothing', requests: 0 },
  ]);
  expect(await check(cwd, 'out/receipt.json')).toEqual(['EMPTY_TEST']);
});

itFull('processes that a runner of tests has begun write it together, and the next run begins anew', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'package.json'), '{}');
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names)
    writeFileSync(
      join(cwd, `${name}.test.mjs`),
      `import { after, test } from 'node:test';
      import { createEmulator } from '${index}';
      const emulator = await createEmulator({ receipt: '.cloudemu/receipt.json' });
      after(() => emulator.close());
      test('lists', async () => {
        const world = await emulator.createWorld({ label: '${name}.test.mjs > lists' });
        await world.fetch('/api/v1/containers', { headers: { authorization: 'Bearer ' + world.apiKey } });
      });`,
    );
  const test = (...files: string[]) => spawnCommand(['--test', ...files], { program: [process.execPath], cwd }).ended;
  expect((await test()).code).toBe(0);
  const labels = () =>
    receiptIn(cwd)
      .worlds.map(({ label }: { label: string }) => label)
      .sort();
  expect(labels()).toEqual(names.map((name) => `${name}.test.mjs > lists`));
  expect(await check(cwd)).toEqual([]);
  expect((await test('b.test.mjs')).code).toBe(0);
  expect(labels()).toEqual(['b.test.mjs > lists']);
  expect(readdirSync(join(cwd, '.cloudemu/receipt.json.parts'))).toEqual([
    '.cloudemu-directory',
    expect.stringMatching(/^\d+-.+\.json$/),
  ]);
  expect(readFileSync(join(cwd, '.cloudemu/.gitignore'), 'utf8')).toBe('*\n');
});

it('without a name for it, there is none; where it cannot be written, the emulator says so', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'file'), '');
  const program = `
    import { readdirSync } from 'node:fs';
    import { createEmulator } from '${index}';
    await (await createEmulator()).close();
    console.log(readdirSync('.').join());
    await (await createEmulator({ receipt: 'file/receipt.json' })).close();`;
  const script = spawnCommand(['--input-type=module', '-e', program], { program: [process.execPath], cwd });
  const { stdout, stderr, code } = await script.ended;
  expect([code, stdout]).toEqual([0, 'file\n']);
  expect(stderr.match(/CloudemuWarning: .*/g)).toEqual([
    expect.stringContaining('The receipt file/receipt.json cannot be written (ENOTDIR)'),
  ]);
});
