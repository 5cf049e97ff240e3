// What a recording says of credits: the balance with which it began, and what its answers charged.

import { isTree } from '../../core/tree.js';
import { answerOf, type Exchange, succeeded } from './exchange.js';
import { type Fact, factOf } from './facts.js';

/** The names under which answers show the balance after them. */
const balanceNames = ['creditsRemaining', 'balance', 'creditBalance', 'newBalance'];

/** The balance that an answer shows, if any: the outermost one. */
export function balanceIn(answer: unknown, depth = 5): number | undefined {
  if (depth === 0) return undefined;
  if (isTree(answer))
    for (const name of balanceNames) {
      const value = Number(answer[name] ?? Number.NaN);
      if (Number.isFinite(value)) return value;
    }
  for (const inner of Array.isArray(answer) ? answer : isTree(answer) ? Object.values(answer) : []) {
    const found = balanceIn(inner, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

const chargeIn = (exchange: Exchange): number => {
  const answer = succeeded(exchange) ? answerOf(exchange) : undefined;
  return Number(answer?.creditsDeducted ?? 0) - Number(answer?.refundAmount ?? 0) || 0;
};

/** The balance before the first request: the first that is shown, and all that was charged before. */
export function creditsOf(
  exchanges: readonly Exchange[],
  said: number | undefined,
): { credits: number | undefined; fact: Fact } {
  if (said !== undefined)
    return {
      credits: said,
      fact: factOf('assumed', `The balance was ${said} credits, as was said`, [], '/data/credits'),
    };
  const first = exchanges.find((one) => balanceIn(answerOf(one)) !== undefined);
  if (first === undefined)
    return {
      credits: undefined,
      fact: factOf('unknown', 'The balance: no answer shows it. --say credits=<number> sets it'),
    };
  const before = exchanges.slice(0, exchanges.indexOf(first) + 1);
  const charged = before.filter((one) => chargeIn(one) !== 0);
  const credits = round(Number(balanceIn(answerOf(first))) + charged.reduce((sum, one) => sum + chargeIn(one), 0));
  const entries = [...charged.filter((one) => one !== first), first].map(({ index }) => index);
  // Charges of requests that the recording lacks would not show.
  const kind = charged.length === 0 ? 'seen' : 'assumed';
  return {
    credits,
    fact: factOf(kind, `The balance was ${credits} credits at the beginning`, entries, '/data/credits'),
  };
}

/** Credits with at most six decimals, as the platform shows them. */
export const round = (credits: number): number => Math.round(credits * 1e6) / 1e6;
