// `cloudemu explore` on a client with bugs: what it finds, and that it finds it again.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Outcome, run, tempDir } from '../support/command.js';

const client = fileURLToPath(new URL('../clients/three-tests.mjs', import.meta.url));
const command = ['--', process.execPath, client];

describe('three tests, two of which have a bug', () => {
  const cwd = tempDir();
  let outcome: Outcome;
  let report: any;
  beforeAll(async () => {
    const reports = ['--junit', 'report.xml', '--html', 'report.html'];
    outcome = await run(['explore', '--json', ...reports, ...command], { cwd });
    report = JSON.parse(outcome.stdout);
  });

  it('finds the double charge and the crash, and nothing where the client is right', () => {
    const finds = report.finds.filter(({ grade }: any) => grade !== 'E');
    expect(finds.map(({ grade, label, fault }: any) => `${grade} ${label} ${fault}`).sort()).toEqual([
      'A deploys-naively 502',
      'C deploys-naively 429',
      'C deploys-naively restart',
      'D lists-blindly 429',
    ]);
    expect(finds[0]).toMatchObject({
      what: 'The first containers.create takes effect, but the client gets 502',
      consequences: [
        { kind: 'spent', says: 'It spent 1 credit; without the fault 0.5.', cost: 0.5 },
        { kind: 'verdict no-duplicate-create' },
      ],
    });
    expect(report).toMatchObject({ flaky: [], notMet: [], notTried: [], unstable: [] });
    expect(outcome.code).toBe(1);
  });

  it('writes the reports that were asked for', () => {
    const xml = readFileSync(join(cwd, 'report.xml'), 'utf8');
    expect(xml.match(/<failure message="([^"]*)"/)?.[1]).toBe('It spent 1 credit; without the fault 0.5.');
    expect(readFileSync(join(cwd, 'report.html'), 'utf8')).toContain('deploys-naively');
  });

  it('takes what is accepted for no failure', async () => {
    const graves = report.finds.filter(({ label, grade }: any) => label === 'deploys-naively' && grade !== 'E');
    const names = graves.map(({ name }: any) => name);
    writeFileSync(
      join(cwd, 'explore.known.json'),
      JSON.stringify(Object.fromEntries(names.map((name: string) => [name, 'it is cheap']))),
    );
    const { code, stdout } = await run(['explore', ...command, 'deploys-naively'], { cwd });
    expect(stdout).toContain('Accepted in explore.known.json: 3\n');
    for (const name of names) expect(stdout).toContain(`  ${name}: it is cheap\n`);
    expect(code).toBe(0);
  });

  it('counts what fails with the platform’s error', () => {
    const failed = report.finds.filter(({ grade }: any) => grade === 'E');
    expect(failed.map(({ label }: any) => label).sort()).toContain('lists-well');
    const row = report.matrix.find(({ operation }: any) => operation === 'containers.create');
    expect(row.faults).toMatchObject({ lost: 'A', 503: 'ok', 'failure mode': 'ok', outage: 'C' });
  });

  it('writes scenarios that show it again', async () => {
    const [{ scenario }] = report.finds;
    expect(scenario).toBe(join('scenarios', 'found', 'deploys-naively-containers.create-1-502.json'));
    expect(existsSync(join(cwd, scenario))).toBe(true);
    expect(JSON.parse(readFileSync(join(cwd, scenario), 'utf8'))).toMatchObject({
      worlds: { 'deploys-naively': { expect: { credits: { charged: { max: 0.5 } } } } },
    });
    const again = await run(['run', scenario, '--world', 'deploys-naively', ...command], { cwd });
    expect(again.stdout).toMatch(/fail +credits charged +1, expected at most 0.5/);
    expect(again.code).toBe(1);
  });
});
