// `cloudemu explore` over a suite whose client has planted bugs, over its mended twin, and over clients that people use.

import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Outcome } from '../support/command.js';
import { createProject, runIn } from '../support/project.js';
import { isInShard } from '../support/shard.js';

const command = ['node', '--test', '--test-force-exit'];

interface Report {
  finds: { name: string; label: string; grade: string; scenario: string | null }[];
  notTried: string[];
}

/** The suite with one of its clients. */
function suiteWith(client: 'planted' | 'mended'): string {
  const project = createProject('explore-suite');
  for (const name of ['planted', 'mended', 'sdks', 'explore.full.ts']) rmSync(join(project, name), { recursive: true });
  useClient(project, client);
  return project;
}

function useClient(project: string, client: 'planted' | 'mended'): void {
  cpSync(join('test/explore-suite', client), join(project, 'client'), { recursive: true });
}

async function explore(project: string, flags: string[] = [], only: string[] = []): Promise<Report> {
  const explored = ['cloudemu', 'explore', '--scenario', 'shop', '--json', ...flags, '--', ...command, ...only];
  let outcome = await runIn(project, explored);
  // The suite's tests have a few seconds each: a machine that runs other tests meanwhile may be too busy for them at first.
  for (let more = 2; more > 0 && /^Without any fault /m.test(outcome.stderr); more--)
    outcome = await runIn(project, explored);
  expect(outcome.stdout, outcome.stderr).toMatch(/^\{/);
  return JSON.parse(outcome.stdout) as Report;
}

const runFound = (project: string, file: string): Promise<Outcome> =>
  runIn(project, ['cloudemu', 'run', file, '--', ...command]);

const gravesOf = ({ finds }: Report): string[] => [
  ...new Set(finds.filter(({ grade }) => grade !== 'E').map(({ label, grade }) => `${grade} ${testOf(label)}`)),
];
const testOf = (label: string): string => label.replace(/-[0-9a-f]{8}$/, '');

// Each takes a minute or more, with nothing beside it: by turns, like the files in shard.ts.
it.runIf(isInShard(2))(
  'explore finds every planted bug, each with a scenario that shows it until the client is mended',
  async () => {
    const project = suiteWith('planted');
    const report = await explore(project);
    expect(report.notTried).toEqual([]);
    expect(gravesOf(report)).toEqual(
      expect.arrayContaining([
        'A deploys-a-shop',
        'A deploys-only-what-is-missing',
        'A creates-an-agent',
        'A completes-the-agents',
        'A narrates-a-text',
        'B waits-until-a-deployment-runs',
        'C waits-until-a-deployment-runs',
        // What a failed test leaves is of grade C.
        'C runs-a-job-in-a-container-of-its-own',
        'B removes-a-container',
        'B reads-a-streamed-reply',
        'B shows-what-it-has-used',
        'B rotates-its-key',
        'D shows-whose-account-it-is',
        'D shows-what-is-left',
      ]),
    );
    const files = report.finds.flatMap(({ grade, scenario }) => (grade === 'A' && scenario !== null ? [scenario] : []));
    for (const file of files.slice(0, 2)) expect((await runFound(project, file)).code, file).toBe(1);
    useClient(project, 'mended');
    for (const file of files.slice(0, 2)) expect((await runFound(project, file)).code, file).toBe(0);
  },
  600_000,
);

it.runIf(isInShard(4))('explore finds with pairs what one fault does not show', async () => {
  const only = ['--test-name-pattern=deploys with care'];
  const { finds } = await explore(suiteWith('planted'), ['--depth', '2'], only);
  expect(finds.map(({ grade, name }) => `${grade} ${name}`)).toContain(
    'A deploys-with-containers.create-1-lost-then-containers.list-1-429',
  );
});

// A flaky find says more of a machine that runs other tests meanwhile than of the client.
it.runIf(isInShard(6))(
  'explore finds nothing in the mended twin',
  async () => {
    const report = await explore(suiteWith('mended'));
    expect({ finds: gravesOf(report), notTried: report.notTried }).toEqual({ finds: [], notTried: [] });
  },
  600_000,
);
