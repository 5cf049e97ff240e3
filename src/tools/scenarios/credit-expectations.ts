// What is expected of the credits of a world at its end: the balance, and what was spent, charged and paid.

import { toCredits } from '../../core/money.js';
import { fitsPattern } from '../../core/patterns.js';
import { findOrganization } from '../../platform/accounts/store.js';
import { chargesIn, paidByCard } from '../../platform/credits/charges.js';
import { type LedgerRow, lastLedgerNumber, ledgerBetween } from '../../platform/credits/store.js';
import { listPayments } from '../../platform/payments/store.js';
import { seededIdentity } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import type { Amount, Expectations } from './expect-schema.js';
import { type Expectation, rangeText } from './expectation.js';
import type { Played } from './fill.js';

type CreditExpectations = NonNullable<Expectations['credits']>;

const names = ['balance', 'spent', 'charged', 'paid'] as const;

/** Compares the credits with what is expected of them. */
export function creditExpectations(
  world: World,
  wanted: CreditExpectations,
  played: Played | undefined,
  all: readonly JournalEntry[],
): Expectation[] {
  const { operation = '*' } = wanted;
  const isOf = (id: string | null): boolean => operation === '*' || (id !== null && fitsPattern(operation, id));
  const { organizationId } = seededIdentity(world);
  const rows = ledgerBetween(world.db, played?.ledger ?? 0, lastLedgerNumber(world.db));
  const movements = rows.filter((row) => isOf(row.operation));
  const requests = all.filter((entry) => isOf(entry.operation));
  const amounts = {
    balance: toCredits(findOrganization(world.db, organizationId)?.balance ?? 0),
    spent: toCredits(spentIn(movements.filter((row) => row.organization_id === organizationId))),
    charged: toCredits(chargedTo(requests, movements)),
    // A card is of a person, who sends no request of a client.
    paid: toCredits(paidBy(world, requests)) + paidByCard(movements),
  };
  // A refund gives back what was spent before.
  const seen =
    movements.some(isSpending) ||
    amounts.paid !== 0 ||
    requests.some((entry) => operation !== '*' || entry.operation === 'containers.create');
  return names.flatMap((name) => {
    const range = wanted[name];
    if (range === undefined) return [];
    const { min, max } = rangeOf(range);
    const actual = amounts[name];
    const of = operation === '*' || name === 'balance' ? '' : ` on ${operation}`;
    return [
      {
        what: `${name === 'paid' ? 'dollars paid' : `credits ${name}`}${of}`,
        ok: actual >= min && actual <= max,
        expected: rangeText(min, max),
        actual: String(actual),
        seen,
        evidence: [],
      },
    ];
  });
}

// Credits that were bought do not lower what was spent.
const isSpending = ({ type }: LedgerRow): boolean => type === 'charge' || type === 'refund';

const spentIn = (movements: readonly LedgerRow[]): number =>
  movements.filter(isSpending).reduce((sum, { amount }) => sum - amount, 0);

function chargedTo(requests: readonly JournalEntry[], movements: readonly LedgerRow[]): number {
  const ids = new Set(requests.map(({ requestId }) => requestId));
  const { charged, returned } = chargesIn(movements.filter(({ request_id: id }) => id !== null && ids.has(id)));
  return charged - returned;
}

function paidBy({ db }: World, requests: readonly JournalEntry[]): number {
  const ids = new Set(requests.map(({ requestId }) => requestId));
  const settled = listPayments(db).filter(({ status, request_id: id }) => status === 'settled' && ids.has(id));
  // Its atomic units are micro-dollars.
  return settled.reduce((sum, { amount }) => sum + amount, 0);
}

function rangeOf(amount: Amount): { min: number; max: number } {
  if (typeof amount === 'number') return { min: amount, max: amount };
  return { min: amount.min ?? -Infinity, max: amount.max ?? Infinity };
}
