// Grades what a client did under a fault, against what it does without one: A to E.

import * as z from 'zod';
import { counted } from '../../core/words.js';
import { isCreation } from '../verdicts/duplicate-create.js';
import { faultsOf, ruleOfTry, type Try } from './fault-kinds.js';
import { type Failure, failureIn, signsOf } from './output.js';
import { rounded, ruleText, type SeenWorld } from './seen.js';

/**
 * A: it spent more, created twice, or left something running. B: it hung, or sent far more requests. C: a verdict fails
 * that passes without the fault. D: it failed with an error other than the platform's. E: it failed with the platform's.
 */
export const grades = ['A', 'B', 'C', 'D', 'E'] as const;
export type Grade = (typeof grades)[number];

export const consequence = z.object({
  grade: z.enum(grades),
  kind: z
    .string()
    .describe('Equal for consequences of the same kind: `spent`, `created agents.create`, `verdict backoff-grows`'),
  says: z.string().describe('What the client did, for a person'),
  advice: z.string().describe('What to do about it'),
  cost: z.number().exactOptional().describe('Credits, where it is about money'),
  projects: z.array(z.string()).exactOptional().describe('The projects of the containers that it is about'),
});

export type Consequence = z.output<typeof consequence>;

/** The figures of a world without faults; if two runs differ, the higher ones. */
export interface Baseline {
  spent: number;
  paid: number;
  running: readonly string[];
  made: ReadonlyMap<string, number>;
  counts: ReadonlyMap<string, number>;
  total: number;
  failed: ReadonlySet<string>;
  /** Its requests in their order, with their outcomes. */
  trace: string;
}

/** How the run ended in which a world was seen. */
export interface RunEnd {
  exitCode: number;
  /** The run was killed because its time was over. */
  isTimeout: boolean;
  output: string;
  /** Worlds that were still in use at its end. */
  open: ReadonlySet<string>;
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

const moreRequests = 5;
/** Operations whose only result is their response: repeating them is the only way to get it. */
const isAnswerOnly = (operation: string): boolean => !isCreation(operation);

/** The figures of a world in the runs without faults. */
export function baselineOf(runs: readonly SeenWorld[]): Baseline {
  const counted = runs.map(({ requests }) => countsIn(requests));
  const most = runs.reduce((best, run) => (run.running.length > best.running.length ? run : best));
  return {
    spent: Math.max(...runs.map(({ spent }) => spent)),
    paid: Math.max(...runs.map(({ paid }) => paid)),
    running: most.running,
    made: largest(counted.map(({ made }) => made)),
    counts: largest(counted.map(({ all }) => all)),
    total: Math.max(...runs.map(({ total }) => total)),
    failed: new Set(runs.flatMap(({ failed }) => failed.map(({ rule }) => rule))),
    trace: traceOf(runs[0] as SeenWorld),
  };
}

/** Judges what a world showed in a run with a fault in it. */
export function judge(tried: Try, base: Baseline, seen: SeenWorld | undefined, end: RunEnd): Judgement {
  if (seen === undefined || !isMet(tried, seen)) return { met: false, consequences: [], failure: 'none' };
  const failure = failureOf(tried, base, seen, end);
  const isHung = (end.isTimeout && end.open.has(seen.label)) || failure === 'timeout';
  return {
    met: true,
    failure,
    consequences: [
      ...moneyIn(tried, base, seen, failure),
      ...(isHung ? [hung] : []),
      ...flood(tried, base, seen),
      ...seen.failed
        .filter(({ rule }) => !base.failed.has(rule))
        .map(
          ({ rule, summary, evidence }): Consequence => ({
            grade: 'C',
            kind: `verdict ${rule}`,
            says: [summary, ...evidence.slice(0, 2)].join(' '),
            advice: `\`cloudemu verdicts\` explains ${rule}.`,
          }),
        ),
      ...(isHung ? [] : failed(failure)),
    ],
  };
}

function isMet(tried: Try, { requests, rules }: SeenWorld): boolean {
  const { point } = tried;
  const rule = ruleOfTry(tried);
  if (rule !== undefined) {
    const text = ruleText(rule);
    const hit = rules.filter(
      (one) => one.text === text && (one.hits > 0 || requests.some(({ fault }) => fault === one.id)),
    );
    // The fault before it may be the same.
    const alike = faultsOf(tried).filter((one) => ruleText(ruleOfTry(one) ?? rule) === text);
    return hit.length >= alike.length;
  }
  const deployments = requests.filter(({ operation, happened }) => operation === point.operation && happened);
  return deployments.length >= (point.success ?? point.occurrence);
}

function moneyIn(tried: Try, base: Baseline, seen: SeenWorld, failure: Failure): Consequence[] {
  const consequences: Consequence[] = [];
  const { made } = countsIn(seen.requests);
  const more = rounded(seen.spent - base.spent);
  const left = leftOver(seen.running, base.running);
  const timesMore = (operation: string): number => (made.get(operation) ?? 0) - (base.made.get(operation) ?? 0);
  // Containers that are not deleted are not refunded either: both are one mistake.
  const isOfLeft = left.length > 0 && timesMore('containers.create') <= 0;
  if (more > 0 && !isOfLeft) consequences.push(spentMore(tried, more, timesMore(tried.point.operation), base, seen));
  const paid = rounded(seen.paid - base.paid);
  if (paid > 0)
    consequences.push({
      grade: 'A',
      kind: 'paid',
      says: `It paid ${seen.paid} USDC; without the fault ${base.paid}.`,
      advice: 'Check the balance before paying again: the first payment may have been settled.',
      cost: paid,
    });
  for (const [operation, count] of made) {
    if (timesMore(operation) <= 0 || !isCreation(operation) || consequences.length > 0) continue;
    if (operation === 'containers.create') continue;
    consequences.push({
      grade: 'A',
      kind: `created ${operation}`,
      says: `${operation} took effect ${counted(count, 'time')}; without the fault ${base.made.get(operation) ?? 0}.`,
      advice: 'Check whether the first one is there before creating it again.',
    });
  }
  if (left.length > 0) consequences.push(leftRunning(left, isOfLeft ? more : 0, isExcused(tried, failure)));
  return consequences;
}

function spentMore(
  { point, kind }: Try,
  more: number,
  timesMore: number,
  base: Baseline,
  seen: SeenWorld,
): Consequence {
  const isBoughtAgain = point.isPaid && kind.phase !== undefined && isAnswerOnly(point.operation) && timesMore === 1;
  if (isBoughtAgain)
    return {
      grade: 'A',
      kind: 'bought again',
      says: `It paid twice for one answer: ${counted(more, 'credit')} more.`,
      advice:
        'Switch off automatic retries where a second payment is not worth it (`maxRetries: 0`), or accept this in explore.known.json.',
      cost: more,
    };
  return {
    grade: 'A',
    kind: 'spent',
    says: `It spent ${counted(seen.spent, 'credit')}; without the fault ${base.spent}.`,
    advice: 'When an error leaves open whether the request took effect, check that before sending it again.',
    cost: more,
  };
}

function leftRunning(left: readonly string[], cost: number, isExcused: boolean): Consequence {
  const costing = cost > 0 ? ` (${counted(cost, 'credit')} not refunded)` : '';
  return {
    grade: isExcused ? 'E' : 'A',
    kind: 'running',
    says: `It left ${counted(left.length, 'container')} running that it deletes without the fault: ${left.slice(0, 3).join(', ')}${costing}.`,
    advice: 'Delete it when something fails, too (`finally`), and retry when the deletion fails.',
    ...(cost > 0 && { cost }),
    projects: [...left],
  };
}

// The client could do no more, and reported it: it was refused for good, or the deletion itself was refused.
function isExcused({ kind, point }: Try, failure: Failure): boolean {
  if (failure !== 'platform') return false;
  return ['UNAUTHORIZED', 'outage', 'restart'].includes(kind.id) || point.operation.endsWith('.delete');
}

// By name, as far as names are the same each time.
function leftOver(now: readonly string[], before: readonly string[]): string[] {
  const excess = now.length - before.length;
  if (excess <= 0) return [];
  return [...now.filter((name) => !before.includes(name)), ...now].slice(0, excess);
}

const hung: Consequence = {
  grade: 'B',
  kind: 'hung',
  says: 'It never ended.',
  advice: 'Give each request a time limit, and each stream a limit for the time between two events.',
};

function flood({ point, kind }: Try, base: Baseline, { requests, total }: SeenWorld): Consequence[] {
  const before = base.counts.get(point.operation) ?? 0;
  const count = countsIn(requests).all.get(point.operation) ?? 0;
  const isMore = kind.mode === undefined && count > moreRequests * Math.max(before, 1);
  if (!isMore && total <= moreRequests * base.total) return [];
  const says = isMore
    ? `It sent ${point.operation} ${counted(count, 'time')}; without the fault ${before}.`
    : `It sent ${counted(total, 'request')}; without the fault ${base.total}.`;
  return [{ grade: 'B', kind: 'requests', says, advice: 'Limit the number of attempts, and wait longer before each.' }];
}

function failureOf(
  tried: Try,
  base: Baseline,
  seen: SeenWorld,
  { exitCode, output, isAlone, labels }: RunEnd,
): Failure {
  if (exitCode === 0) return 'none';
  const { effect, mode } = tried.kind;
  const failure = failureIn(output, tried.point.label, signsOf(effect, mode), isAlone ? undefined : labels);
  // If the output of the runner does not tell tests apart, a test passed that got the same responses as without the fault.
  // This does not hold for failure modes, because their effects are inside the responses.
  const hadAll = mode === undefined && traceOf(seen) === base.trace;
  return failure === 'unknown' && hadAll ? 'none' : failure;
}

// The responses without a fault.
function traceOf({ requests }: SeenWorld): string {
  const undisturbed = requests.filter(({ fault }) => fault === null);
  return undisturbed.map(({ operation, status, shape }) => `${operation} ${status} ${shape}`).join('\n');
}

function failed(failure: Failure): Consequence[] {
  if (failure === 'other')
    return [
      {
        grade: 'D',
        kind: 'died',
        says: 'Its test failed with an error that is not the platform’s.',
        advice: 'Check each answer before using it, and pass on the error that says what happened.',
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

function countsIn(requests: SeenWorld['requests']): { all: Map<string, number>; made: Map<string, number> } {
  const all = new Map<string, number>();
  const made = new Map<string, number>();
  for (const { operation, happened } of requests) {
    if (operation === null) continue;
    all.set(operation, (all.get(operation) ?? 0) + 1);
    if (happened) made.set(operation, (made.get(operation) ?? 0) + 1);
  }
  return { all, made };
}

function largest(counts: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const most = new Map<string, number>();
  for (const one of counts) for (const [name, count] of one) most.set(name, Math.max(most.get(name) ?? 0, count));
  return most;
}
