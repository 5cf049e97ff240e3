// Chooses what a recording leaves open by proofs: the choice with the fewest differences stays. Then it adds the effects that
// nothing else explains.

import { removed } from '../../tools/incidents/callers.js';
import { type Difference, isHard } from '../../tools/incidents/compare.js';
import type { Exchange } from '../../tools/incidents/exchange.js';
import { errorOf, type Faulted } from '../../tools/incidents/faults.js';
import { type Incident, type Open, type Picks, pickOf } from '../../tools/incidents/incident.js';
import { round } from '../../tools/incidents/money.js';
import type { ScenarioInput } from '../../tools/scenarios/schema.js';
import type { Proof, Prover } from './prove.js';

/** What the proofs chose. */
export interface Chosen {
  picks: Picks;
  scenario: ScenarioInput;
  proof: Proof;
  /** Open points of which several options are as near to the recording. */
  undecided: Open[];
  /** Effects that only the proof showed to be needed. */
  more: Faulted[];
}

/** So many requests all proofs together may send: at a millisecond each this bounds the time. */
const mostSent = 20_000;

export async function choose(incident: Incident, prover: Prover): Promise<Chosen> {
  const { open, exchanges } = incident;
  let left = Math.max(2, Math.floor(mostSent / Math.max(1, exchanges.length)));
  const prove = async (picks: Picks, more: readonly Faulted[] = [], credits?: number): Promise<Tried> => {
    left--;
    const scenario = incident.scenarioWith(picks, more, credits);
    const proof = await prover.prove(exchanges, scenario, twiceIn(picks));
    // The balance at the beginning is what makes the first one that is shown right.
    const owned = Number(scenario.data?.credits);
    if (credits === undefined && Math.abs(proof.missing) > 1e-6 && owned + proof.missing >= 0) {
      return prove(picks, more, round(owned + proof.missing));
    }
    return { scenario, proof, picks, credits };
  };
  let best = await prove(firstPicks(open));
  // The platform had let more requests pass than the emulator does.
  if (best.proof.differences.some(({ kind, came }) => kind === 'status' && came === '429')) {
    const unlimited = await prove({ ...best.picks, limits: 'off' });
    if (scoreOf(unlimited) < scoreOf(best)) best = unlimited;
  }
  const equal = new Set<Open>();
  for (const point of open) {
    if (point.options.length === 1) continue;
    const all = [best];
    for (const option of point.options) {
      if (option === pickOf(point, best.picks) || left <= 0) continue;
      all.push(await prove({ ...best.picks, [point.name]: option }));
    }
    const isEffect = point.name.startsWith('effect:');
    const winners = leastBy(all, isEffect ? hardScoreOf : scoreOf);
    const answers = new Set(winners.map(({ picks }) => picks[point.name]?.replace('failed', 'yes')));
    if (answers.size > 1 || all.length < point.options.length) equal.add(point);
    const nearest = leastBy(winners, scoreOf);
    best = nearest.includes(best) ? best : (nearest[0] ?? best);
  }
  // Each effect may bring others into sight, of the same answer, too.
  let more: Faulted[] = [];
  let tried = best;
  for (let turn = 0; turn < mostTurns && tried.proof.differences.length > 0 && left > 0; turn++) {
    const forced = withForced(more, tried.proof.differences, incident, best.picks);
    if (forced === undefined || forced.length > mostForced) break;
    more = forced;
    tried = await prove(best.picks, more, best.credits);
  }
  if (scoreOf(tried) < scoreOf(best)) best = tried;
  else more = [];
  // A proof that parts from the recording decides nothing.
  if (hardScoreOf(best) > 0) for (const point of open) if (point.options.length > 1) equal.add(point);
  const undecided = [...equal].filter(({ name, exchange }) => name.startsWith('effect:') && exchange.status === 0);
  return { picks: best.picks, scenario: best.scenario, proof: best.proof, undecided, more };
}

interface Tried {
  scenario: ScenarioInput;
  proof: Proof;
  picks: Picks;
  credits: number | undefined;
}

const hardScoreOf = ({ proof }: Tried): number => proof.differences.filter(isHard).length;

/** Those of which a score is the least. */
function leastBy(all: readonly Tried[], score: (one: Tried) => number): Tried[] {
  const least = Math.min(...all.map(score));
  return all.filter((one) => score(one) === least);
}

const scoreOf = ({ proof }: Tried): number => proof.differences.length;

const firstPicks = (open: readonly Open[]): Picks =>
  Object.fromEntries(open.map((point) => [point.name, pickOf(point, {})]));

/** The entries that a browser has sent a second time by itself. */
export function twiceIn(picks: Picks): Set<number> {
  return new Set(
    Object.entries(picks).flatMap(([name, pick]) => (pick === 'twice' ? [Number(name.split(':')[1])] : [])),
  );
}

const mostForced = 50;
const mostTurns = 6;

/** The effects with those that these differences need; undefined: no rule can make them. */
function withForced(
  more: readonly Faulted[],
  differences: readonly Difference[],
  { exchanges, faultedWith }: Incident,
  picks: Picks,
): Faulted[] | undefined {
  const forced = new Map(more.map((one) => [one.exchange, one]));
  const obvious = new Set(faultedWith(picks).map(({ exchange }) => exchange));
  let added = 0;
  for (const difference of differences) {
    const exchange = exchanges.find(({ index }) => index === difference.entry);
    if (exchange === undefined || exchange.operation === null || obvious.has(exchange)) continue;
    const one = forcedBy(difference, exchange);
    if (one === undefined) continue;
    const former = forced.get(exchange);
    if (former !== undefined && (former.effect.set === undefined || one.effect.set === undefined)) continue;
    forced.set(exchange, {
      ...one,
      effect: { ...one.effect, ...(former && { set: { ...former.effect.set, ...one.effect.set } }) },
    });
    added++;
  }
  return added === 0 ? undefined : [...forced.values()];
}

/** The effect that makes an answer what it was, where one rule can. */
function forcedBy({ kind, at, value }: Difference, exchange: Exchange): Faulted | undefined {
  const { status } = exchange;
  if (status >= 400 && (kind === 'status' || kind === 'error'))
    return { exchange, effect: errorOf(exchange), phase: 'before' };
  const isPlain = value === null || typeof value !== 'object';
  if (status < 200 || status >= 300 || at === undefined || at === '' || !isPlain || value === removed) return undefined;
  return { exchange, effect: { set: { [at]: value } }, phase: 'after' };
}
