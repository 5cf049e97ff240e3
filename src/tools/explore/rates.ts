// How often a client makes a mistake under a fault: agents do not do the same in each run, so that one run shows little.

import * as z from 'zod';
import { type Consequence, grades } from './consequence.js';
import { type FaultKind, isOtherwise } from './fault-kinds.js';
import type { Judgement } from './judge.js';

/** A part of the runs, and between which bounds it is in the long run, with 95 % confidence. */
const rate = z.object({
  count: z.int(),
  of: z.int().describe('The runs in which the fault met a request'),
  from: z.number().describe('Lower bound, between 0 and 1'),
  to: z.number().describe('Upper bound'),
});

export type Rate = z.output<typeof rate>;

const mistake = z.object({
  grade: z.enum(grades),
  kind: z.string().describe('Equal for mistakes of the same kind: `spent`, `gave up`, `verdict backoff-grows`'),
  says: z.string().describe('What the agent did in one of the runs, for a person'),
  advice: z.string(),
  rate,
});

export type AgentMistake = z.output<typeof mistake>;

const triedFault = z.object({
  label: z.string().describe('The world'),
  operation: z.string(),
  occurrence: z.int().describe('Which of the world’s requests of the operation the fault met'),
  fault: z.string().describe('The kind of fault'),
  what: z.string().describe('What was done to whom'),
  recovered: rate.describe('The runs without a mistake'),
  mistakes: z.array(mistake),
});

export type TriedFault = z.output<typeof triedFault>;

/** The report of `explore --agent`: two of them can be compared. */
export const agentReport = z.lazy(() =>
  z.object({
    agent: z.literal(true),
    command: z.array(z.string()),
    seconds: z.number(),
    runs: z.int(),
    repeat: z.int().describe('Runs for each fault'),
    withoutFaults: z.object({ runs: z.int(), failed: z.int() }),
    tried: z.array(triedFault),
    notTried: z.array(z.string()),
    recovered: rate.describe('The runs without a mistake, of all faults together'),
  }),
);

export type AgentReport = z.output<typeof agentReport>;

/** The quantile of the normal distribution for a confidence of 95 %. */
const z95 = 1.959964;

/**
 * A rate with its bounds by Wilson's score interval, which also holds for few runs.
 *
 * @example rateOf(3, 3); // { count: 3, of: 3, from: 0.438…, to: 1 }
 */
export function rateOf(count: number, of: number): Rate {
  if (of === 0) return { count, of, from: 0, to: 1 };
  const part = count / of;
  const spread = z95 * Math.sqrt((part * (1 - part) + z95 ** 2 / (4 * of)) / of);
  const middle = part + z95 ** 2 / (2 * of);
  const scale = 1 + z95 ** 2 / of;
  const rounded = (bound: number): number => Math.round(Math.min(1, Math.max(0, bound)) * 1e4) / 1e4;
  return { count, of, from: rounded((middle - spread) / scale), to: rounded((middle + spread) / scale) };
}

/** Whether a fault leaves the client in doubt: the request may have taken effect, or the response may not be whole. */
export function isAmbiguous(kind: FaultKind): boolean {
  const { phase, id } = kind;
  // What is refused has taken no effect.
  if (kind.isForAll === true) return false;
  return (phase === 'after' && !isOtherwise(kind)) || phase === 'partial' || id === 'ok-error';
}

const gaveUp: Omit<Consequence, 'says'> = {
  grade: 'C',
  kind: 'gave up',
  advice: 'Look what the platform has after an error, and go on from there.',
};

/**
 * What an agent did wrong in one run. Its task can be done under one fault, so that a failure counts also where the error was
 * the platform's own.
 *
 * @param unmet what the world's scenario expects and did not find
 */
export function mistakesIn(
  { consequences, failure }: Judgement,
  { isFailed, unmet }: { isFailed: boolean; unmet: readonly string[] },
): Consequence[] {
  const hasFailed = isFailed || failure === 'platform' || failure === 'other';
  const graves = consequences.filter(({ grade }) => grade !== 'E');
  const says = unmet.length > 0 ? `Not as expected: ${unmet.join('; ')}` : 'It failed at its task.';
  const isTold = graves.some(({ kind }) => kind === 'died' || kind === 'hung');
  return [...graves, ...(unmet.length > 0 || (hasFailed && !isTold) ? [{ ...gaveUp, says }] : [])];
}

/** The mistakes of all runs with one fault, each once, the worst and most frequent first. */
export function ratesOf(runs: readonly (readonly Consequence[])[]): AgentMistake[] {
  const byKind = new Map<string, { first: Consequence; count: number }>();
  for (const run of runs)
    for (const kind of new Set(run.map((one) => one.kind))) {
      const first = run.find((one) => one.kind === kind) as Consequence;
      const former = byKind.get(kind);
      if (former === undefined) byKind.set(kind, { first, count: 1 });
      else former.count++;
    }
  return [...byKind.values()]
    .map(({ first: { grade, kind, says, advice }, count }) => ({
      grade,
      kind,
      says,
      advice,
      rate: rateOf(count, runs.length),
    }))
    .sort((a, b) => grades.indexOf(a.grade) - grades.indexOf(b.grade) || b.rate.count - a.rate.count);
}

/** A mistake that is more, or less, frequent than in another report. */
export interface Difference {
  what: string;
  label: string;
  kind: string;
  before: Rate;
  now: Rate;
  /** Whether chance hardly explains it: the intervals do not overlap. */
  isSure: boolean;
}

/** What two reports say of the same faults, where their rates differ; first what became worse. */
export function differencesOf(before: AgentReport, now: AgentReport): Difference[] {
  const keyOf = ({ label, operation, occurrence, fault }: TriedFault): string =>
    [label, operation, occurrence, fault].join('\n');
  const former = new Map(before.tried.map((one) => [keyOf(one), one]));
  return now.tried
    .flatMap((one) => {
      const was = former.get(keyOf(one));
      if (was === undefined) return [];
      const kinds = new Set([...was.mistakes, ...one.mistakes].map(({ kind }) => kind));
      const rateIn = ({ mistakes, recovered }: TriedFault, kind: string): Rate =>
        mistakes.find((mistake) => mistake.kind === kind)?.rate ?? rateOf(0, recovered.of);
      return [...kinds].flatMap((kind): Difference[] => {
        const [a, b] = [rateIn(was, kind), rateIn(one, kind)];
        if (a.count * b.of === b.count * a.of) return [];
        return [{ what: one.what, label: one.label, kind, before: a, now: b, isSure: a.to < b.from || b.to < a.from }];
      });
    })
    .sort((a, b) => growth(b) - growth(a));
}

export const growth = ({ before, now }: Difference): number =>
  now.count / Math.max(now.of, 1) - before.count / Math.max(before.of, 1);
