// Grades what a client did under a fault, against what it does without one: A to E.

import { counted } from '../../core/words.js';
import { rules } from '../verdicts/rules.js';
import { type Baseline, countsIn } from './baseline.js';
import type { Consequence } from './consequence.js';
import { differencesIn } from './differences.js';
import { faultsOf, isOtherwise, ruleOfTry, type Try } from './fault-kinds.js';
import { type Failure, failureIn, signsOf, signsOfErrors } from './output.js';
import { ruleText, type SeenRequest, type SeenWorld } from './seen.js';

/** How the run ended in which a world was seen. */
export interface RunEnd {
  exitCode: number;
  /** The run was killed because its time was over. */
  isTimeout: boolean;
  /** Wall time at which it was killed. */
  killedAt?: number | undefined;
  output: string;
  /** Worlds that were in use when it was killed. */
  open: ReadonlySet<string>;
  /** Those of them that were so for the time of the limit. */
  stuck: ReadonlySet<string>;
  /** All its worlds. */
  labels: readonly string[];
  /** No other fault was tried in it. */
  isAlone: boolean;
}

export interface Judgement {
  met: boolean;
  consequences: Consequence[];
  /** How its test failed. */
  failure: Failure;
}

/** Judges what a world showed in a run with a fault in it. */
export function judge(tried: Try, base: Baseline, seen: SeenWorld | undefined, end: RunEnd): Judgement {
  const isKilled = seen !== undefined && end.isTimeout && end.open.has(seen.label);
  // Where another world used up the time, nobody knows what this one would still have done.
  const isUnknown = isKilled && !end.isAlone && !end.stuck.has(seen.label);
  if (seen === undefined || isUnknown || !isMet(tried, seen)) return { met: false, consequences: [], failure: 'none' };
  const failure = failureOf(tried, base, seen, end);
  const isHung = isKilled || failure === 'timeout';
  return {
    met: true,
    failure,
    consequences: [
      ...differencesIn({ tried, base, seen, failure, isHung }),
      ...(isHung
        ? [isBackingOff(seen, isKilled ? end.killedAt : undefined) ? shortLimit(seen) : hung(tried, isKilled)]
        : []),
      ...verdictsIn(tried, base, seen),
      ...(isHung ? [] : failed(failure, tried)),
    ],
  };
}

function isMet(tried: Try, { requests, rules }: SeenWorld): boolean {
  const faults = faultsOf(tried);
  return faults.every((one) => {
    const { point } = one;
    const rule = ruleOfTry(one);
    if (rule !== undefined) {
      const text = ruleText(rule);
      const hit = rules.filter(
        (of) => of.text === text && (of.hits > 0 || requests.some(({ fault }) => fault === of.id)),
      );
      // Another fault of the world may be the same.
      const alike = faults.filter((other) => ruleText(ruleOfTry(other) ?? rule) === text);
      return hit.length >= alike.length;
    }
    const deployments = requests.filter(({ operation, happened }) => operation === point.operation && happened);
    return deployments.length >= (point.success ?? point.occurrence);
  });
}

/** A wait that is so much longer than the one before it grows. */
const growth = 1.25;
const leastAttempts = 3;

// The attempts of the request that a fault refused last, one after the other.
function lastAttempts({ requests }: SeenWorld): SeenRequest[] {
  const last = requests.findLast(({ fault }) => fault !== null);
  return requests.filter(({ content, status }) => content === last?.content && (status === 0 || status >= 400));
}

const waitsIn = (attempts: readonly SeenRequest[]): number[] =>
  attempts.slice(1).map(({ at }, index) => at - (attempts[index]?.at ?? 0) - (attempts[index]?.durationMs ?? 0));

// Whether a client that waits longer each time was still to send the next attempt when its time was over: it may have ended.
function isBackingOff(seen: SeenWorld, endedAt: number | undefined): boolean {
  const attempts = lastAttempts(seen);
  const [before = 0, last = 0] = waitsIn(attempts).slice(-2);
  if (attempts.length < leastAttempts || last < before * growth) return false;
  return endedAt === undefined || endedAt - seen.to < last * 2 * leastAttempts;
}

function shortLimit(seen: SeenWorld): Consequence {
  const attempts = lastAttempts(seen);
  const waits = waitsIn(attempts).map((ms) => (ms / 1_000).toFixed(1));
  return {
    grade: 'E',
    kind: 'short limit',
    says: `The time limit of its test is shorter than its client’s retries: ${counted(attempts.length, 'attempt')}, with waits of ${waits.join(', ')} s.`,
    advice: 'Give the test more time than all attempts of its client take, or the client fewer attempts.',
  };
}

function hung({ kind }: Try, isKilled: boolean): Consequence {
  return {
    grade: 'B',
    kind: 'hung',
    says:
      isKilled || kind.effect?.network !== 'hang'
        ? `It did not end within the time limit of its ${isKilled ? 'run' : 'test'}.`
        : 'It still waited for the response when the time limit of its test was over.',
    advice:
      kind.effect?.network === 'hang'
        ? 'Give each request a time limit, and each stream a limit for the time between two events.'
        : 'Give up after some attempts, or some time, and pass on the last error.',
  };
}

function verdictsIn(tried: Try, base: Baseline, seen: SeenWorld): Consequence[] {
  return seen.failed
    .filter(({ rule }) => !base.failed.has(rule) && !isOfSeveralTests(rule, tried, base, seen))
    .map(({ rule, summary, evidence }) => ({
      grade: 'C',
      kind: `verdict ${rule}`,
      says: [summary, ...evidence.slice(0, 2)].join(' '),
      advice:
        `${rules.find(({ id }) => id === rule)?.demands ?? ''} \`cloudemu verdicts\` shows the whole rule.`.trim(),
    }));
}

/** The world of tests without a fixture, which they share. */
const sharedWorld = 'default';
/** Rules that compare a request with the ones before it. */
const ofSeries: readonly string[] = ['backoff-grows', 'no-duplicate-create', 'retry-after-obeyed'];

// The same request of the next test is no repetition. Only a client that sends more requests than without the fault has
// repeated any; and of a fault that lasts, each test makes a series of its own.
function isOfSeveralTests(rule: string, { point, kind }: Try, base: Baseline, { label, requests }: SeenWorld): boolean {
  if (label !== sharedWorld || !ofSeries.includes(rule)) return false;
  const usual = base.counts.get(point.operation) ?? 0;
  const times = countsIn(requests).all.get(point.operation) ?? 0;
  return usual > 1 && (kind.lasts !== undefined || times <= usual);
}

function failureOf(tried: Try, base: Baseline, seen: SeenWorld, end: RunEnd): Failure {
  const { exitCode, output, isAlone, labels } = end;
  if (exitCode === 0) return 'none';
  const signs = [...faultsOf(tried).flatMap(signsOfTry), ...signsOfLater(base, seen)];
  const isOfThis = isAlone && tried.kind.isForAll !== true;
  const failure = failureIn(output, tried.point.label, signs, isOfThis ? undefined : labels);
  // If the output of the runner does not tell tests apart, a test passed that got the same responses as without the fault.
  // This does not hold for failure modes, because their effects are inside the responses.
  const hadAll = tried.kind.mode === undefined && traceOf(seen) === traceOf(base);
  return failure === 'unknown' && hadAll ? 'none' : failure;
}

const signsOfTry = ({ kind }: Try): RegExp[] => signsOf(kind.effect, kind.mode);

const missingId = /\/(?:undefined|null|None|NaN|nil)(?:\/|$)/;

// The platform's errors that come after the fault only, to requests that name something.
function signsOfLater(base: Baseline, { requests }: SeenWorld): RegExp[] {
  const codes = requests.flatMap(({ errorCode, fault, path }) =>
    errorCode === null || fault !== null || missingId.test(path) || base.errors.has(errorCode) ? [] : [errorCode],
  );
  return signsOfErrors(new Set(codes));
}

// The responses without a fault.
function traceOf({ requests }: Pick<SeenWorld, 'requests'> | Baseline): string {
  const undisturbed = requests.filter(({ fault }) => fault === null);
  return undisturbed.map(({ operation, status, shape }) => `${operation} ${status} ${shape}`).join('\n');
}

function failed(failure: Failure, { kind }: Try): Consequence[] {
  if (failure === 'other')
    return [
      {
        grade: 'D',
        kind: 'died',
        says: 'Its test failed with an error that is not the platform’s.',
        advice: isOtherwise(kind)
          ? 'Expect empty lists, fields that are null and statuses that are not known yet, and say so where nothing can be done.'
          : kind.effect !== undefined && kind.effect.network === undefined
            ? 'Check the status of each response before its body is used, and pass on the platform’s error.'
            : 'Check each answer before using it, and pass on the error that says what happened.',
      },
    ];
  if (failure !== 'platform') return [];
  return [
    {
      grade: 'E',
      kind: 'failed',
      says: 'It failed with the platform’s own error.',
      advice: 'If the test should pass all the same, retry where that is safe.',
    },
  ];
}
