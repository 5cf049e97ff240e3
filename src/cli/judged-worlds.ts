// What was expected in each world of a run and what came, in the order in which the worlds ended.

import { nearest } from '../core/nearest.js';
import type { Fault } from '../modules/faults/views.js';
import type { Expectation, ExpectationReport } from '../modules/scenarios/expectations.js';
import { expectationLines, expectationSum } from './expectation-lines.js';
import { failsOn } from './fail-on.js';
import { hanging } from './layout.js';
import type { Line } from './print.js';

/** A world that is judged. */
export interface JudgedWorld {
  /** Its id. */
  world: string;
  /** What it was made for: fixtures say which test. */
  label: string | null;
}

export interface WorldJudgement extends ExpectationReport, JudgedWorld {}

/** All worlds together: `expectations` are those of each, one after the other. */
export interface RunJudgement extends ExpectationReport {
  worlds: WorldJudgement[];
}

/** A world and the fault rules that it ended with. */
export interface LivedWorld {
  judgement: WorldJudgement;
  faults: readonly Fault[];
}

/**
 * The judgements of worlds of one run. A fault rule of their scenario is set in each of them: one that has fired
 * anywhere tested something.
 */
export function judgements(worlds: readonly LivedWorld[]): WorldJudgement[] {
  const fired = new Set(
    worlds.flatMap((one) => one.faults.filter(({ hits }) => hits > 0).map((fault) => ruleOf(one.judgement, fault))),
  );
  return worlds.map(({ judgement, faults }) => {
    const unused = faults.filter((fault) => fault.hits === 0 && !fired.has(ruleOf(judgement, fault)));
    return {
      ...judgement,
      expectations: judgement.expectations.map((one) => (isOfUnfired(one) ? blamedOnly(one, unused) : one)),
    };
  });
}

function ruleOf({ scenario }: WorldJudgement, { match, when, phase, effect }: Fault): string {
  return JSON.stringify([scenario, match, when, phase, effect]);
}

const isOfUnfired = ({ what, actual }: Expectation): boolean =>
  what === 'verdict faults-all-fired' && actual === 'fail';

function blamedOnly(one: Expectation, unused: readonly Fault[]): Expectation {
  if (unused.length === 0)
    return { ...one, ok: one.expected.split(' or ').includes('pass'), actual: 'pass', evidence: [] };
  const isBlamed = (line: string): boolean => unused.some(({ id }) => line.startsWith(`fault ${id} (`));
  return { ...one, evidence: one.evidence.filter((line, index) => index === 0 || isBlamed(line)) };
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
export function countedWorlds<Judged extends JudgedWorld & { requests: number }>(
  all: readonly Judged[],
  only: string | undefined,
): Judged[] {
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
    ...worldHeading(one, worlds.length, expectationSum(one)),
    ...expectationLines(one.expectations),
  ]);
}

/** What stands above the results of a world, if there are several worlds or it is not the default one. */
export function worldHeading({ world, label }: JudgedWorld, count: number, sum: string): Line[] {
  if (count === 1 && world === 'default') return [];
  return ['', ...hanging([], `World ${world}${label === null ? '' : ` of ${label}`}: ${sum}`)];
}
