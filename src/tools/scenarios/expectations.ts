// Whether what a world's scenario expects of the client has come true.

import * as z from 'zod';
import { toCredits } from '../../core/money.js';
import { fitsPattern } from '../../core/patterns.js';
import { counted } from '../../core/words.js';
import { iso } from '../../http/wire.js';
import { findOrganization } from '../../platform/accounts/store.js';
import { containerAt } from '../../platform/containers/lifecycle/lifecycle.js';
import { type ContainerRecord, listContainers } from '../../platform/containers/store.js';
import { chargesIn, paidByCard } from '../../platform/credits/charges.js';
import { type LedgerRow, lastLedgerNumber, ledgerBetween } from '../../platform/credits/store.js';
import { stateAt } from '../../platform/hosted-agents/lifecycle.js';
import { listHostedAgents } from '../../platform/hosted-agents/store.js';
import { listAnyJobs, presentJob } from '../../platform/jobs/named.js';
import { listPayments } from '../../platform/payments/store.js';
import { seededIdentity } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { type Fault, listFaults } from '../faults/views.js';
import { journalOf } from '../journal/journal.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { judgeClients } from '../verdicts/control.js';
import type { Outcome, Verdict } from '../verdicts/verdict.js';
import type { Amount, Expectations } from './expect-schema.js';
import { countsOf, type Expectation, expectation, rangeText } from './expectation.js';
import { type Played, playedIn } from './fill.js';
import { type Holding, holdingsIn } from './holdings-store.js';

// What is expected of the credits of a world at its end: the balance, and what was spent, charged and paid.

type CreditExpectations = NonNullable<Expectations['credits']>;

const names = ['balance', 'spent', 'charged', 'paid'] as const;

/** Compares the credits with what is expected of them. */
function creditExpectations(
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

// What is expected of the things of a world at its end: containers, hosted agents, jobs, and how many there are of each kind.

type ContainerExpectation = NonNullable<Expectations['containers']>[number];

/** Compares containers with what is expected of them. */
function containerExpectation(
  world: World,
  { project, status }: ContainerExpectation,
  requests: readonly JournalEntry[],
): Expectation {
  const now = world.clock.now();
  // The newest comes first: it stands for those of its project that have failed or were stopped before.
  const newest = new Map<string, ContainerRecord>();
  for (const record of listContainers(world.db)) {
    const ofProject = `${record.organization_id} ${record.project_name}`;
    if (fitsPattern(project, record.project_name) && !newest.has(ofProject)) newest.set(ofProject, record);
  }
  const found = [...newest.values()].map((record) => {
    const { status, since, error } = containerAt(record.deployments, now);
    return { name: record.project_name, status, since, error };
  });
  return statusExpectation(`container ${project}`, status, found, requests, 'containers.create');
}

type AgentExpectation = NonNullable<Expectations['hostedAgents']>[number];

/** Compares hosted agents with what is expected of them. */
function hostedAgentExpectation(
  world: World,
  { name, status }: AgentExpectation,
  requests: readonly JournalEntry[],
): Expectation {
  const now = world.clock.now();
  const found = listHostedAgents(world.db)
    .filter((agent) => fitsPattern(name, agent.name))
    .map((agent) => ({ ...stateAt(agent, now), name: agent.name }))
    .filter(({ gone }) => !gone);
  return statusExpectation(`hosted agent ${name}`, status, found, requests, 'hostedAgents.create');
}

/** @param creation the operation that makes such things: where they are gone, a request for it tells of them */
function statusExpectation(
  what: string,
  status: string | readonly string[],
  found: readonly { name: string; status: string; since: number; error: string | null }[],
  requests: readonly JournalEntry[],
  creation: string,
): Expectation {
  const wanted = [status].flat();
  const wrong = found.filter((one) => !wanted.includes(one.status));
  return {
    what,
    ok: found.length === 0 ? wanted.includes('gone') : wrong.length === 0,
    expected: wanted.join(' or '),
    seen: found.length > 0 || requests.some(({ operation }) => operation === creation),
    actual: found.length === 0 ? 'gone' : [...new Set(found.map((one) => one.status))].join(', '),
    evidence: wrong.map(
      (one) => `${one.name} is ${one.status} since ${iso(one.since)}${one.error === null ? '' : `: ${one.error}`}`,
    ),
  };
}

type JobExpectation = NonNullable<Expectations['jobs']>[number];

const shownJobs = 10;

/** Compares the number of jobs with what is expected. */
function jobExpectation(world: World, wanted: JobExpectation, requests: readonly JournalEntry[]): Expectation {
  const { type, name, status } = wanted;
  const statuses: string[] | undefined = status === undefined ? undefined : [status].flat();
  const now = world.clock.now();
  const of = listAnyJobs(world)
    .map((job) => presentJob(job, now))
    .filter((job) => (type === undefined || job.type === type) && (name === undefined || fitsPattern(name, job.name)));
  const fitting = of.filter((job) => statuses?.includes(job.status) ?? true);
  const words = [type, name === undefined ? name : `of ${name}`, statuses && `that are ${statuses.join(' or ')}`];
  return countExpectation(wanted, fitting.length, {
    what: ['jobs', ...words.filter((word) => word !== undefined)].join(' '),
    seen: of.length > 0 || requests.length > 0,
    evidence: of
      .slice(0, shownJobs)
      .map((job) => `${job.type} of ${job.name} is ${job.status}${job.error === null ? '' : `: ${job.error}`}`),
  });
}

type HoldingExpectation = NonNullable<Expectations['holdings']>[number];

/** Compares the number of things of a kind with what is expected. */
function holdingExpectation(
  wanted: HoldingExpectation,
  all: readonly Holding[],
  requests: readonly JournalEntry[],
): Expectation {
  const { kind, name = '*' } = wanted;
  const ofKind = all.filter((one) => one.kind === kind);
  const fitting = ofKind.filter((one) => fitsPattern(name, one.name));
  return countExpectation(wanted, fitting.length, {
    what: `${kind}s${wanted.name === undefined ? '' : ` named ${name}`}`,
    // Without a request nothing was created or deleted.
    seen: ofKind.length > 0 || requests.length > 0,
    evidence: ofKind.length === 0 ? [] : [`there are: ${namesOf(ofKind)}`],
  });
}

/** Compares a number with the bounds that are expected of it; the evidence is for one that is wrong. */
function countExpectation(
  wanted: Parameters<typeof countsOf>[0] & { orFails?: boolean | undefined },
  count: number,
  { what, seen, evidence }: Pick<Expectation, 'what' | 'seen' | 'evidence'>,
): Expectation {
  const { min, max } = countsOf(wanted);
  const ok = count >= min && count <= max;
  return {
    what,
    ok,
    expected: rangeText(min, max),
    actual: String(count),
    seen,
    evidence: ok ? [] : evidence,
    ...(wanted.orFails === true && { orFails: true }),
  };
}

const shownNames = 10;

function namesOf(all: readonly Holding[]): string {
  const names = all.slice(0, shownNames).map(({ name }) => name);
  return [...names, ...(all.length > shownNames ? [`${all.length - shownNames} more`] : [])].join(', ');
}

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
  reached: z
    .boolean()
    .describe('Whether clients met anything of what the scenario prepares or expects; true where it does neither'),
});

export type ExpectationReport = z.output<typeof expectationReport>;

/** Compares what is expected of the clients of a world with what they did since its scenario began. */
export function checkExpectations(world: World): ExpectationReport {
  world.settle(world.clock.now());
  const played = playedIn(world);
  const records = journalOf(world).records();
  const since = records.findLast((record) => record.kind === 'marker' && record.event !== 'stream-ended')?.seq;
  const requests = records.filter((record) => record.kind === 'request').filter(({ seq }) => seq >= (since ?? 0));
  const report = judgeClients(world, since);
  const wanted = played?.expect ?? [];
  const holdings = wanted.some((one) => one.holdings !== undefined) ? holdingsIn(world) : [];
  const verdicts = report.verdicts.map((verdict) => verdictExpectation(verdict, wanted));
  const others = [
    ...wanted.flatMap(({ requests: all = [] }) => all.map((one) => requestExpectation(one, requests))),
    ...wanted.flatMap((one) => (one.containers ?? []).map((each) => containerExpectation(world, each, requests))),
    ...wanted.flatMap((one) => (one.hostedAgents ?? []).map((each) => hostedAgentExpectation(world, each, requests))),
    ...wanted.flatMap((one) => (one.jobs ?? []).map((each) => jobExpectation(world, each, requests))),
    ...wanted.flatMap((one) => (one.holdings ?? []).map((each) => holdingExpectation(each, holdings, requests))),
    ...wanted.flatMap((one) => (one.credits ? creditExpectations(world, one.credits, played, requests) : [])),
  ];
  const expectations = [...verdicts, ...others];
  const isNamed = ({ what }: Expectation): boolean =>
    wanted.some((one) => Object.keys(one.verdicts ?? {}).some((rule) => what === `verdict ${rule}`));
  const own = [...verdicts.filter(isNamed), ...others];
  const failed = expectations.filter(({ ok }) => !ok).length;
  return {
    scenario: played?.name ?? null,
    ok: failed === 0 && requests.length > 0,
    passed: expectations.length - failed,
    failed,
    expectations,
    requests: requests.length,
    complete: report.complete,
    reached: isReached(own, listFaults(world), requests),
  };
}

const beginnings = /^(containers|hostedAgents)\.create$/;

// What is created is planned by the scenario, too. That no fault has fired is itself no use of one.
function isReached(own: readonly Expectation[], faults: readonly Fault[], requests: readonly JournalEntry[]): boolean {
  if (own.length + faults.length === 0) return true;
  const isMet = ({ seen, what }: Expectation): boolean => seen && what !== 'verdict faults-all-fired';
  return (
    own.some(isMet) ||
    faults.some(({ hits }) => hits > 0) ||
    requests.some(({ operation }) => beginnings.test(operation ?? ''))
  );
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
  const answer = [status === 0 ? 'no response' : status, error].filter((part) => part !== undefined).join(' ');
  const what = `requests of ${operation}${answer === '' ? '' : ` with ${answer}`}`;
  return countExpectation(wanted, fitting.length, { what, seen: of.length > 0, evidence: answersOf(of) });
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
