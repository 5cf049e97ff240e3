// What the platform would not have answered by itself: the effect of a fault rule for an exchange, and rules that meet the
// same exchanges again: a write by its number, an outage by its time.

import { type ErrorCode, errorTable } from '../../core/errors.js';
import { faultAt } from '../../core/json.js';
import type { Tree } from '../../core/tree.js';
import type { FaultPhase, FaultRequest } from '../faults/rule.js';
import { answerOf, type Exchange, isWrite, succeeded, treeIn } from './exchange.js';
import { brokenAfter } from './replies.js';

export type Effect = FaultRequest['effect'];

/** An exchange that met a fault. */
export interface Faulted {
  exchange: Exchange;
  effect: Effect;
  phase: FaultPhase;
}

const longestPage = 2_048;

/** The effect that an exchange by itself shows; undefined: the platform may have answered so. */
export function effectOf(exchange: Exchange, slowMs: number): Effect | undefined {
  const { status, failure = '', text, ms } = exchange;
  if (status === 0) return { network: endOf(failure) };
  if (status === 429 || status >= 500) return errorOf(exchange);
  if (status >= 400 && isPage(exchange)) return pageOf(exchange);
  if (succeeded(exchange) && text !== null && isBroken(exchange))
    return { network: faultAt(text) === text.length ? 'truncate' : 'malformed' };
  const afterEvents = brokenAfter(exchange);
  if (afterEvents !== undefined) return { network: failure === '' ? 'close' : endOf(failure), afterEvents };
  // The body of an answer that was begun never came.
  if (succeeded(exchange) && failure !== '' && !text && !/abort|cancel/i.test(failure)) return { network: 'truncate' };
  return ms > slowMs ? { delay: Math.min(Math.round(ms), 600_000) } : undefined;
}

/** How a connection ended; a client that gave up had waited in vain. */
function endOf(failure: string): 'hang' | 'close' | 'reset' {
  if (/abort|cancel|timed?[ _]?out|499/i.test(failure)) return 'hang';
  return /EMPTY_RESPONSE|hang up|other side closed|INCOMPLETE/i.test(failure) ? 'close' : 'reset';
}

/** An answer of a status and body that the platform does not give by itself. */
export function errorOf(exchange: Exchange): Effect {
  const { status, answer, text } = exchange;
  const code = codeIn(exchange);
  const wait = Math.ceil(Number(answer['retry-after'] ?? retryAfterIn(exchange) ?? Number.NaN));
  const retryAfter = wait >= 0 && wait <= 86_400 && [429, 503, 529].includes(status) ? { retryAfter: wait } : {};
  if (code !== undefined && errorTable[code].status === status) return { error: code, ...retryAfter };
  if (status === 429) return { error: 'RATE_LIMITED', ...retryAfter };
  if (text !== null && isPage(exchange)) return { ...pageOf(exchange), ...retryAfter };
  const body = treeIn(text);
  return { status, ...(body !== undefined && text !== null && text.length <= longestPage && { body }), ...retryAfter };
}

/** The code of an error in the platform's envelope, in either style. */
export function codeIn(exchange: Exchange): ErrorCode | undefined {
  const answer = answerOf(exchange);
  const inner = (answer?.error ?? {}) as Tree;
  const said = String(inner.code ?? answer?.code ?? '').toUpperCase();
  const code = Object.hasOwn(errorTable, said) ? (said as ErrorCode) : undefined;
  if (code !== undefined || answer === undefined) return code;
  // The flat style has words of its own; the status tells what they mean.
  return (Object.keys(errorTable) as ErrorCode[]).find((one) => errorTable[one].status === exchange.status);
}

function retryAfterIn(exchange: Exchange): unknown {
  const answer = answerOf(exchange);
  return (answer?.error as Tree | undefined)?.retryAfter ?? answer?.retryAfter;
}

const typeOf = ({ answer }: Exchange): string => answer['content-type'] ?? '';

const isPage = (exchange: Exchange): boolean =>
  exchange.text !== null &&
  answerOf(exchange) === undefined &&
  (!/json/i.test(typeOf(exchange)) || exchange.text === '');

function pageOf(exchange: Exchange): Effect {
  const { status, text } = exchange;
  const type = typeOf(exchange);
  return {
    status,
    body: (text ?? '').slice(0, longestPage),
    ...(type !== '' && { headers: { 'Content-Type': type } }),
  };
}

function isBroken({ text, answer, ...exchange }: Exchange): boolean {
  if (text === null || text === '' || !/json/i.test(answer['content-type'] ?? '')) return false;
  void exchange;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

/** How long an answer of each operation may take before it counts as slow. */
export function slowOf(exchanges: readonly Exchange[]): (exchange: Exchange) => number {
  const times = new Map<string | null, number[]>();
  for (const { operation, ms, status } of exchanges)
    if (status > 0) times.set(operation, [...(times.get(operation) ?? []), ms]);
  const medians = new Map(
    [...times].map(([operation, all]) => [operation, all.sort((a, b) => a - b)[(all.length - 1) >> 1] ?? 0]),
  );
  return ({ operation }) => Math.max(1_000, 5 * (medians.get(operation) ?? 0));
}

/**
 * The rules under which the same exchanges meet the same faults, in the order in which they are to be added.
 *
 * @param start the instant at which the world begins
 */
export function rulesOf(faulted: readonly Faulted[], exchanges: readonly Exchange[], start: number): FaultRequest[] {
  const runs = runsOf(faulted, exchanges);
  const isOne = (run: readonly Faulted[]): boolean =>
    run.length === 1 && run.every(({ exchange }) => isWrite(exchange));
  const asksForOne = runs.some(isOne);
  const taken = new Set<Exchange>();
  return runs.map((run, index): FaultRequest => {
    const [first] = run as [Faulted];
    const { exchange, effect, phase } = first;
    const match = { operation: exchange.operation ?? '*' };
    const alike = exchanges.filter(({ operation }) => operation === exchange.operation);
    const rule = { match, phase, effect };
    if (isOne(run)) {
      // A request that an older rule takes is not counted.
      const nth = alike.slice(0, alike.indexOf(exchange) + 1).filter((one) => !taken.has(one)).length;
      taken.add(exchange);
      return { ...rule, when: { nth } };
    }
    for (const one of run) taken.add(one.exchange);
    // A client that is mended may not come in this time. Where no write of its own shows that the incident was met, the first
    // fault must.
    return {
      ...rule,
      when: windowOf(run, alike, exchanges, start),
      ...((index > 0 || asksForOne) && { optional: true }),
    } as FaultRequest;
  });
}

/** Faults of one kind that one operation met without an answer of another kind between. */
function runsOf(faulted: readonly Faulted[], exchanges: readonly Exchange[]): Faulted[][] {
  const of = new Map(faulted.map((one) => [one.exchange, one]));
  const open = new Map<string | null, Faulted[]>();
  const runs: Faulted[][] = [];
  for (const exchange of exchanges) {
    const one = of.get(exchange);
    const run = open.get(exchange.operation);
    if (one === undefined) open.delete(exchange.operation);
    else if (run?.[0] !== undefined && isAlike(run[0], one)) run.push(one);
    else {
      const begun = [one];
      open.set(exchange.operation, begun);
      runs.push(begun);
    }
  }
  return runs.flatMap((run) =>
    run.length < 3 && run.every(({ exchange, effect }) => isWrite(exchange) && !('retryAfter' in effect))
      ? run.map((one) => [one])
      : [run],
  );
}

const isAlike = (a: Faulted, b: Faulted): boolean => a.phase === b.phase && kindOf(a.effect) === kindOf(b.effect);

// The seconds to wait become fewer within one outage.
const kindOf = ({ retryAfter, delay, ...rest }: Effect): string =>
  JSON.stringify([rest, retryAfter !== undefined, delay !== undefined]);

const beforeMs = 1_000;

/** From half-way after what came before to half-way before what came next; a wait that was told ends it, too. */
function windowOf(
  run: readonly Faulted[],
  alike: readonly Exchange[],
  all: readonly Exchange[],
  start: number,
): { from: number; until: number } {
  const [first, last] = [run[0] as Faulted, run.at(-1) as Faulted];
  const [begins, ends] = [first.exchange.actedAt, last.exchange.actedAt];
  const before = (list: readonly Exchange[]): number | undefined => list[list.indexOf(first.exchange) - 1]?.actedAt;
  const next = alike[alike.indexOf(last.exchange) + 1]?.actedAt;
  const told = Number(first.effect.retryAfter ?? 0) * 1_000;
  const from = begins - Math.min((begins - (before(alike) ?? before(all) ?? start)) / 2, beforeMs);
  const until = ends + (next === undefined ? Math.max(told - 1, beforeMs) : (next - ends) / 2);
  const kept = told > 0 ? Math.min(until, Math.max(begins + told - margin, ends + 1)) : until;
  return { from: Math.max(0, Math.round(from - start)), until: Math.max(1, Math.round(kept - start)) };
}

const margin = 50;
