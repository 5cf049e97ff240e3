// `cloudemu explore` on a suite that misses something in each test, and on its mended twin, which passes errors on.

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { run, tempDir } from '../support/command.js';

const suite = fileURLToPath(new URL('../clients/blamed.test.mjs', import.meta.url));

interface Find {
  grade: string;
  label: string;
  consequences: { kind: string }[];
}

async function explore(twin: 'careless' | 'mended'): Promise<string[]> {
  const flags = ['--json', '--budget', '10m'];
  const { stdout, stderr } = await run(['explore', ...flags, '--', process.execPath, '--test', suite], {
    cwd: tempDir(),
    env: { TWIN: twin },
  });
  expect(stdout, stderr).toMatch(/^\{/);
  const report = JSON.parse(stdout) as { finds: Find[]; notTried: string[] };
  expect(report.notTried).toEqual([]);
  const graves = report.finds.filter(({ grade }) => grade !== 'E');
  return graves.map(({ grade, label, consequences: [first] }) => `${grade} ${nameOf(label)}: ${first?.kind}`);
}

const nameOf = (label: string): string => label.replace(/-[0-9a-f]{8}$/, '');

it('explore tells what the careless twin misses', async () => {
  expect(await explore('careless')).toEqual(
    expect.arrayContaining([
      'A tops-up-by-card: paid',
      'C works-with-a-key: left key',
      'C shows-the-balance: unnoticed',
      'C tells-of-the-sea: cut off',
      'C tries-an-agent: unnoticed',
      'A waits-for-the-platform: twice agent',
    ]),
  );
}, 600_000);

it('explore blames the mended twin for nothing: it passes each error on, with its cause', async () => {
  expect(await explore('mended')).toEqual([]);
}, 600_000);
