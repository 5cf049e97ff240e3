// The worlds that a command judges: which ones count, which results count as failures, and what was expected in each and
// came.

import { nearest } from '../core/nearest.js';
import { counted } from '../core/words.js';
import type { Fault } from '../tools/faults/views.js';
import type { Expectation } from '../tools/scenarios/expectation.js';
import type { ExpectationReport } from '../tools/scenarios/expectations.js';
import type { WorldInfo } from '../tools/worlds/request.js';
import { createClient, queryOf } from './client.js';
import { findingLines, ofExpectation } from './findings.js';
import { hanging } from './layout.js';
import type { Line } from './print.js';
import { findTarget, inWorld, type TargetOptions } from './target.js';

/** `--fail-on`: the results of verdicts that set exit code 1, in addition to a failure. */
export const failOnChoices = ['fail', 'unclear', 'not-exercised'] as const;

/** Whether a result is one that fails. */
export function failsOn(failOn: string | undefined, result: string): boolean {
  return failOn !== undefined && (result === 'fail' || result === failOn);
}

const patienceMs = 60_000;

/** The worlds that a command judges: the one that a flag or the URL names, else all of the emulator. */
export async function meantWorlds(options: TargetOptions) {
  const target = await findTarget(options);
  const clientIn = (world: string | undefined) =>
    createClient(world === undefined ? target : inWorld(target, world), patienceMs);
  const inUrl = decodeURIComponent(/\/w\/([^/]*)$/.exec(target.local)?.[1] ?? '');
  const only = options.world ?? (inUrl === '' ? undefined : inUrl);
  const worlds: WorldInfo[] = [];
  for (let after: string | undefined; ; after = worlds.at(-1)?.id) {
    const page = await clientIn(only).get<{ worlds: WorldInfo[] }>(`/worlds${queryOf({ after })}`, 'worlds');
    worlds.push(...page.worlds);
    if (page.worlds.length === 0) break;
  }
  return {
    /** The id of the only one that is meant. */
    only,
    worlds: worlds.filter(({ id }) => only === undefined || id === only),
    /** Reads a path of the control plane of a world. */
    get: <Answer>(world: string, path: string, field: keyof Answer & string) =>
      clientIn(world).get<Answer>(path, field),
  };
}

const atOnce = 50;

/** Asks about worlds, of so many at once as an emulator answers without haste. */
export async function askedOf<Answer>(
  worlds: readonly WorldInfo[],
  ask: (world: WorldInfo) => Promise<Answer>,
): Promise<PromiseSettledResult<Answer>[]> {
  const answers: PromiseSettledResult<Answer>[] = [];
  for (let from = 0; from < worlds.length; from += atOnce)
    answers.push(...(await Promise.allSettled(worlds.slice(from, from + atOnce).map(ask))));
  return answers;
}

/** A world that is judged. */
export interface JudgedWorld {
  /** Its id. */
  world: string;
  /** The test that the world was made for, as fixtures say it. */
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
 * The judgements of worlds of one run, which share the expectations of their scenario. A fault rule is set in each of
 * them: one that has fired anywhere tested something. What another world had and this one never had is not judged here.
 */
export function judgements(worlds: readonly LivedWorld[]): WorldJudgement[] {
  const fired = new Set(
    worlds.flatMap((one) => one.faults.filter(({ hits }) => hits > 0).map((fault) => ruleOf(one.judgement, fault))),
  );
  const had = new Set(
    worlds.flatMap(({ judgement }) => judgement.expectations.filter(({ seen }) => seen).map(keyIn(judgement))),
  );
  return worlds.map(({ judgement, faults }) => {
    const unused = faults.filter(
      (fault) => fault.hits === 0 && fault.optional !== true && !fired.has(ruleOf(judgement, fault)),
    );
    return {
      ...judgement,
      expectations: judgement.expectations
        .map((one) => (isOfUnfired(one) ? blamedOnly(one, unused) : one))
        .filter((one) => one.ok || one.seen || !had.has(keyIn(judgement)(one))),
    };
  });
}

const keyIn =
  ({ scenario }: WorldJudgement) =>
  ({ what, expected }: Expectation): string =>
    JSON.stringify([scenario, what, expected]);

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
  return withExpectations(report, expectations);
}

/** A report of a command that failed with the error of a fault: that is enough for what it was to report or to mend. */
export function reported<Report extends ExpectationReport>(report: Report): Report {
  return withExpectations(
    report,
    report.expectations.map((one) => (one.orFails === true ? { ...one, ok: true } : one)),
  );
}

function withExpectations<Report extends ExpectationReport>(report: Report, expectations: Expectation[]): Report {
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
    reached: worlds.some(({ reached }) => reached),
    worlds,
  };
}

/**
 * The expectations that failed: first those that several worlds share, then a line for each world, and below it those that
 * failed there only. A world that stands alone, and in which something failed, shows everything.
 *
 * @param hasFailed the command failed: that a world came as expected says nothing of its client then
 */
export function judgementLines({ worlds }: RunJudgement, hasFailed = false): Line[] {
  const shared = sharedFailures(worlds);
  const isShared = (one: Expectation): boolean => shared.some(({ key }) => key === failureKey(one));
  return [
    ...shared.flatMap(({ one, among }) => [
      ...findingLines([ofExpectation(one)]),
      ...hanging(['    '], worldsText(among)),
    ]),
    ...worlds.flatMap((one) => [
      ...worldHeading(
        one,
        worlds.length,
        hasFailed && one.failed === 0 ? counted(one.requests, 'request') : runSum(one),
      ),
      ...findingLines(
        one.expectations
          .filter((each) => !isShared(each) && (isTelling(each) || (worlds.length === 1 && !one.ok)))
          .map(ofExpectation),
      ),
    ]),
  ];
}

/** A failure that several worlds have. */
interface SharedFailure {
  key: string;
  /** The expectation, as the first of the worlds has it. */
  one: Expectation;
  among: JudgedWorld[];
}

function sharedFailures(worlds: readonly WorldJudgement[]): SharedFailure[] {
  const all = new Map<string, SharedFailure>();
  for (const world of worlds)
    for (const one of world.expectations.filter(({ ok }) => !ok)) {
      const key = failureKey(one);
      const known = all.get(key) ?? { key, one, among: [] };
      known.among.push(world);
      all.set(key, known);
    }
  return [...all.values()].filter(({ among }) => among.length > 1);
}

const failureKey = ({ ok, what, expected, actual }: Expectation): string =>
  JSON.stringify([ok, what, expected, actual]);

const shownWorlds = 3;

function worldsText(among: readonly JudgedWorld[]): string {
  const names = among.slice(0, shownWorlds).map(({ world, label }) => (label === null ? world : `${world} (${label})`));
  const more = among.length - names.length;
  return `In ${among.length} worlds: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

// Tells whether a result is shown: one that passed is shown only if it passed although its verdict failed or is unclear.
const isTelling = ({ ok, actual }: Expectation): boolean => !ok || actual === 'fail' || actual === 'unclear';

/** The heading above the results of a world, if there are several worlds or it is not the default one. */
export function worldHeading({ world, label }: JudgedWorld, count: number, sum: string): Line[] {
  if (count === 1 && world === 'default') return [];
  return ['', ...hanging([], `World ${world}${label === null ? '' : ` of ${label}`}: ${sum}`)];
}

/** How many came as expected, where a client was to send something; without a full stop. */
export function runSum({ expectations, failed, requests }: ExpectationReport): string {
  if (requests === 0 && failed === 0) return 'Nothing was judged';
  const sum =
    failed === 0 ? 'All came as expected' : `${failed} of ${counted(expectations.length, 'expectation')} failed`;
  return `${sum}, in ${counted(requests, 'request')}`;
}
