// Whether what a world's scenario expects of the client has come true.

import * as z from 'zod';
import { toCredits } from '../../core/money.js';
import { fitsPattern } from '../../core/patterns.js';
import type { Sliced } from '../../core/slices.js';
import { counted } from '../../core/words.js';
import { seededIdentity } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { findOrganization } from '../accounts/store.js';
import { chargesIn, paidByCard } from '../credits/charges.js';
import { lastLedgerNumber, ledgerBetween } from '../credits/store.js';
import { journalOf } from '../journal/journal.js';
import type { JournalEntry, JournalRecord } from '../journal/journal-entry.js';
import { listPayments } from '../payments/store.js';
import { judgeClients } from '../verdicts/control.js';
import type { Outcome, Verdict } from '../verdicts/verdict.js';
import type { Amount, Expectations } from './expect-schema.js';
import { countsOf, type Expectation, expectation, rangeText } from './expectation.js';
import { type Played, playedIn } from './fill.js';
import { holdingsIn } from './holdings.js';
import {
  containerExpectation,
  holdingExpectation,
  hostedAgentExpectation,
  jobExpectation,
} from './thing-expectations.js';

export const expectationReport = z.object({
  scenario: z
    .string()
    .nullable()
    .describe('What the world’s scenario is called; null: it has no name, or there is none'),
  ok: z.boolean().describe('Whether everything is as expected, and any request came at all'),
  passed: z.int(),
  failed: z.int(),
  expectations: z.array(expectation),
  requests: z.int().describe('Number of requests that were judged'),
  complete: z.boolean().describe('Whether the journal still holds all of them'),
});

export type ExpectationReport = z.output<typeof expectationReport>;

/** Compares what is expected of the clients of a world with what they did since its scenario began. */
export function* checkExpectations(world: World): Sliced<ExpectationReport> {
  world.settle(world.clock.now());
  const played = playedIn(world);
  const records = yield* journalOf(world).read();
  const since = records.findLast(isBeginning)?.seq;
  const requests = records.filter((record): record is JournalEntry => isRequestSince(record, since));
  const report = yield* judgeClients(world, since);
  const wanted = played?.expect ?? [];
  const containers: Expectation[] = [];
  for (const { containers: all = [] } of wanted)
    for (const one of all) containers.push(yield* containerExpectation(world, one, requests));
  const holdings = wanted.some((one) => one.holdings !== undefined) ? yield* holdingsIn(world) : [];
  const isOfMoney = wanted.some(({ credits }) => credits?.charged !== undefined || credits?.paid !== undefined);
  const money = isOfMoney ? yield* moneyOf(world, requests) : { charged: 0, paid: 0 };
  const expectations = [
    ...report.verdicts.map((verdict) => verdictExpectation(verdict, wanted)),
    ...wanted.flatMap(({ requests: all = [] }) => all.map((one) => requestExpectation(one, requests))),
    ...containers,
    ...wanted.flatMap((one) => (one.hostedAgents ?? []).map((each) => hostedAgentExpectation(world, each, requests))),
    ...wanted.flatMap((one) => (one.jobs ?? []).map((each) => jobExpectation(world, each, requests))),
    ...wanted.flatMap((one) => (one.holdings ?? []).map((each) => holdingExpectation(each, holdings, requests))),
    ...wanted.flatMap(({ credits }) => creditExpectations(world, credits, { played, ...money, requests })),
  ];
  const failed = expectations.filter(({ ok }) => !ok).length;
  return {
    scenario: played?.name ?? null,
    ok: failed === 0 && requests.length > 0,
    passed: expectations.length - failed,
    failed,
    expectations,
    requests: requests.length,
    complete: report.complete,
  };
}

function isBeginning(record: JournalRecord): boolean {
  return record.kind === 'marker' && record.event !== 'stream-ended';
}

function isRequestSince(record: JournalRecord, since: number | undefined): boolean {
  return record.kind === 'request' && record.seq >= (since ?? 0);
}

// A rule that the scenario does not name may pass or not be exercised. An unclear result counts as a pass.
function verdictExpectation(found: Verdict, all: readonly Expectations[]): Expectation {
  const { rule, verdict, summary, evidence, furtherEvidence } = found;
  const said = all.map(({ verdicts = {} }) => verdicts[rule]).findLast((one) => one !== undefined);
  const wanted: Outcome[] = [said ?? ['pass', 'not-exercised']].flat() as Outcome[];
  const lines = evidence.map(({ requestId, at, method, path, message }) =>
    requestId === null ? message : `${at} ${requestId} ${method} ${path} ${message}`,
  );
  if (furtherEvidence > 0) lines.push(`and ${furtherEvidence} more`);
  const ok = wanted.includes(verdict) || (verdict === 'unclear' && wanted.includes('pass'));
  return {
    what: `verdict ${rule}`,
    ok,
    expected: wanted.join(' or '),
    actual: verdict,
    seen: verdict !== 'not-exercised',
    evidence: ok && verdict !== 'fail' && verdict !== 'unclear' ? [] : [summary, ...lines],
  };
}

type RequestExpectation = NonNullable<Expectations['requests']>[number];

function requestExpectation(wanted: RequestExpectation, requests: readonly JournalEntry[]): Expectation {
  const { operation, status, error } = wanted;
  const of = requests.filter((entry) => entry.operation !== null && fitsPattern(operation, entry.operation));
  const fitting = of.filter((entry) => fitsAnswer(wanted, entry));
  const { min, max } = countsOf(wanted);
  const answer = [status === 0 ? 'no response' : status, error].filter((part) => part !== undefined).join(' ');
  const ok = fitting.length >= min && fitting.length <= max;
  return {
    what: `requests of ${operation}${answer === '' ? '' : ` with ${answer}`}`,
    ok,
    expected: rangeText(min, max),
    actual: String(fitting.length),
    seen: of.length > 0,
    evidence: ok ? [] : answersOf(of),
    ...(wanted.orFails === true && { orFails: true }),
  };
}

function fitsAnswer({ status, error }: RequestExpectation, entry: JournalEntry): boolean {
  if (error !== undefined && entry.errorCode !== error) return false;
  return status === undefined || entry.status === status || `${Math.floor(entry.status / 100)}xx` === status;
}

// The other responses, the commonest first.
function answersOf(requests: readonly JournalEntry[]): string[] {
  if (requests.length === 0) return ['there was no such request'];
  const counts = new Map<string, number>();
  for (const { status, errorCode } of requests) {
    const answer = status === 0 ? 'no response' : `${status}${errorCode === null ? '' : ` ${errorCode}`}`;
    counts.set(answer, (counts.get(answer) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([answer, count]) => `${counted(count, 'request')}: ${answer}`);
}

/** Credits that clients were charged, and dollars that they paid. */
interface Money {
  charged: number;
  paid: number;
}

// The content of a scenario was not bought by clients.
function* moneyOf({ db }: World, requests: readonly JournalEntry[]): Sliced<Money> {
  const ids = new Set(requests.map(({ requestId }) => requestId));
  const rows = yield* ledgerBetween(db, 0, lastLedgerNumber(db));
  const { charged, returned } = chargesIn(rows.filter(({ request_id: id }) => id !== null && ids.has(id)));
  const settled = listPayments(db).filter(({ status, request_id: id }) => status === 'settled' && ids.has(id));
  // Atomic units of USDC are micro-dollars. A card is of a person, who sends no request of a client.
  const inUsdc = toCredits(settled.reduce((sum, { amount }) => sum + amount, 0));
  return { charged: toCredits(charged - returned), paid: inUsdc + paidByCard(rows) };
}

function creditExpectations(
  world: World,
  wanted: Expectations['credits'],
  { played, charged, paid, requests }: Money & { played: Played | undefined; requests: readonly JournalEntry[] },
): Expectation[] {
  const balance = findOrganization(world.db, seededIdentity(world).organizationId)?.balance ?? 0;
  const spent = toCredits((played?.balance ?? balance) - balance);
  const amounts = { balance: toCredits(balance), spent, charged, paid };
  // A refund gives back what was spent before.
  const seen =
    amounts.spent !== 0 ||
    charged !== 0 ||
    paid !== 0 ||
    requests.some(({ operation }) => operation === 'containers.create');
  return (['balance', 'spent', 'charged', 'paid'] as const).flatMap((name) => {
    const range = wanted?.[name];
    if (range === undefined) return [];
    const { min, max } = rangeOf(range);
    const actual = amounts[name];
    const ok = actual >= min && actual <= max;
    const what = name === 'paid' ? 'dollars paid' : `credits ${name}`;
    return [{ what, ok, expected: rangeText(min, max), actual: String(actual), seen, evidence: [] }];
  });
}

function rangeOf(amount: Amount): { min: number; max: number } {
  if (typeof amount === 'number') return { min: amount, max: amount };
  return { min: amount.min ?? -Infinity, max: amount.max ?? Infinity };
}
