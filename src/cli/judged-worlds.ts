// What was expected in each world of a run and what came, in the order in which the worlds ended.

import { nearest } from '../core/nearest.js';
import type { Expectation, ExpectationReport } from '../modules/scenarios/expectations.js';
import { expectationLines, expectationSum } from './expectation-lines.js';
import { failsOn } from './fail-on.js';
import { hanging } from './layout.js';
import type { Line } from './print.js';

export interface WorldJudgement extends ExpectationReport {
  /** Its id: tests call theirs after themselves. */
  world: string;
}

/** All worlds together: `expectations` are those of each, one after the other. */
export interface RunJudgement extends ExpectationReport {
  worlds: WorldJudgement[];
}

/** Whoever wants to know all for sure takes what is unclear, or was not exercised, for a failure. */
export function judged<Report extends ExpectationReport>(report: Report, failOn: string): Report {
  const expectations = report.expectations.map((one) =>
    one.ok && one.actual !== 'fail' && failsOn(failOn, one.actual) ? { ...one, ok: false, expected: 'pass' } : one,
  );
  const failed = expectations.filter(({ ok }) => !ok).length;
  return { ...report, ok: failed === 0, failed, passed: expectations.length - failed, expectations };
}

/**
 * The worlds that count: the default one only where it was used, or is alone.
 *
 * @param only the id of the one that is meant; undefined: all
 */
export function countedWorlds(all: readonly WorldJudgement[], only: string | undefined): WorldJudgement[] {
  if (only !== undefined) return all.filter(({ world }) => world === only);
  return all.filter(({ world, requests }) => world !== 'default' || requests > 0 || all.length === 1);
}

/** Why a world cannot be judged: there was none of that name. */
export function unknownWorld(all: readonly WorldJudgement[], only: string): string {
  const ids = all.map(({ world }) => world);
  const suggestion = nearest(only, ids);
  const hint =
    suggestion === undefined ? `; there were ${ids.slice(0, 10).join(', ')}` : `; did you mean "${suggestion}"?`;
  return `--world: there was no world "${only}"${hint}`;
}

/** The judgements of several worlds as one. */
export function together(worlds: WorldJudgement[]): RunJudgement {
  const sum = (count: (one: WorldJudgement) => number): number => worlds.reduce((all, one) => all + count(one), 0);
  const expectations: Expectation[] = worlds.flatMap((one) => one.expectations);
  return {
    scenario: worlds[0]?.scenario ?? null,
    ok: worlds.every(({ ok }) => ok),
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    expectations,
    requests: sum(({ requests }) => requests),
    complete: worlds.every(({ complete }) => complete),
    worlds,
  };
}

/** A table per world, with a heading if there are several worlds or it is not the default one. */
export function judgementLines({ worlds }: RunJudgement): Line[] {
  return worlds.flatMap((one) => [
    ...(worlds.length === 1 && one.world === 'default'
      ? []
      : ['', ...hanging([], `World ${one.world}: ${expectationSum(one)}`)]),
    ...expectationLines(one.expectations),
  ]);
}
