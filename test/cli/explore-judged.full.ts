// `cloudemu explore` on a careless client with a bug in each test, and on its mended twin: what is there at the end decides.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { run, tempDir } from '../support/command.js';

const client = fileURLToPath(new URL('../clients/careless.mjs', import.meta.url));
const scenario = {
  data: {
    credits: 50,
    containers: [
      { project_name: 'blog', age: '30d', status: 'running' },
      { project_name: 'old', age: '2d', status: 'running' },
    ],
    agents: [{ name: 'blog' }],
  },
};

interface Find {
  grade: string;
  label: string;
  scenario: string;
  consequences: { kind: string }[];
}

async function explore(cwd: string, twin: 'careless' | 'mended') {
  writeFileSync(join(cwd, 'two.json'), JSON.stringify(scenario));
  const flags = ['--scenario', './two.json', '--json', '--budget', '20m'];
  const { stdout, stderr } = await run(['explore', ...flags, '--', process.execPath, client, twin], { cwd });
  expect(stdout, stderr).toMatch(/^\{/);
  const report = JSON.parse(stdout) as { finds: Find[]; notTried: string[] };
  expect(report.notTried).toEqual([]);
  return report.finds.filter(({ grade }) => 'ABC'.includes(grade));
}

it('explore finds what the careless client destroys, leaves, pays twice for and does not notice', async () => {
  const cwd = tempDir();
  const finds = await explore(cwd, 'careless');
  const kinds = finds.map(({ grade, label, consequences: [first] }) => `${grade} ${label}: ${first?.kind}`);
  expect(kinds).toEqual(
    expect.arrayContaining([
      'A tries-a-deployment: spent',
      'A runs-a-job: destroyed container',
      'A tidies-up: destroyed container',
      'C stores-a-note: unnoticed',
      'C tells-of-the-sea: cut off',
      'C fails-tidily: left container',
      'A works-with-a-key: twice key',
      'C takes-a-nickname: unnoticed',
    ]),
  );
  // One scenario of each kind shows it, and passes with the mended client.
  const byKind = new Map(finds.map((find) => [find.consequences[0]?.kind, find]));
  for (const kind of ['spent', 'destroyed container', 'unnoticed', 'cut off', 'left container', 'twice key']) {
    const { scenario: file, label } = byKind.get(kind) as Find;
    const codeOf = async (twin: string): Promise<number | null> =>
      (await run(['run', file, '--', process.execPath, client, twin, label], { cwd })).code;
    expect([kind, await codeOf('careless'), await codeOf('mended')]).toEqual([kind, 1, 0]);
  }
}, 1_200_000);

it('explore finds nothing of grade A to C in the mended twin', async () => {
  const finds = await explore(tempDir(), 'mended');
  expect(finds.map(({ grade, label, consequences: [first] }) => `${grade} ${label}: ${first?.kind}`)).toEqual([]);
}, 1_200_000);
