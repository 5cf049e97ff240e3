// `cloudemu run` with the tests of a runner: which worlds it judged, and how.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunJudgement } from '../../src/cli/judged-worlds.js';
import { runIn } from './project.js';

export interface JudgedRun {
  code: number | null;
  report: RunJudgement;
  /** Label, id and number of requests of each world, sorted: the order in which tests end is nobody's promise. */
  worlds: [label: string | null, id: string, requests: number][];
  /** The failures: world and expectation. */
  failed: string[];
}

/** Runs a command in a project with a scenario whose only fault is one 503 of the list of containers. */
export async function judgedRun(project: string, ...command: string[]): Promise<JudgedRun> {
  const faults = [{ match: { operation: 'containers.list' }, when: { times: 1 }, effect: { status: 503 } }];
  writeFileSync(join(project, 'busy.json'), JSON.stringify({ title: 'Busy', faults }));
  const { code, stdout, stderr } = await runIn(project, ['cloudemu', 'run', './busy.json', '--json', '--', ...command]);
  const line = stdout.split('\n').find((text) => text.startsWith('{"scenario"'));
  if (line === undefined) throw new Error(stdout + stderr);
  const report = JSON.parse(line) as RunJudgement;
  return {
    code,
    report,
    worlds: report.worlds
      .map(({ label, world, requests }): JudgedRun['worlds'][number] => [label, world, requests])
      .sort(([a], [b]) => String(a).localeCompare(String(b))),
    failed: report.worlds.flatMap(({ label, expectations }) =>
      expectations.filter(({ ok }) => !ok).map(({ what }) => `${label}: ${what}`),
    ),
  };
}
