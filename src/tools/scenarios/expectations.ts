// Whether what a world's scenario expects of the client has come true.

import * as z from 'zod';
import { fitsPattern } from '../../core/patterns.js';
import { counted } from '../../core/words.js';
import type { World } from '../../world/world.js';
import { type Fault, listFaults } from '../faults/views.js';
import { journalOf } from '../journal/journal.js';
import type { JournalEntry, JournalRecord } from '../journal/journal-entry.js';
import { judgeClients } from '../verdicts/control.js';
import type { Outcome, Verdict } from '../verdicts/verdict.js';
import { creditExpectations } from './credit-expectations.js';
import type { Expectations } from './expect-schema.js';
import { countsOf, type Expectation, expectation, rangeText } from './expectation.js';
import { playedIn } from './fill.js';
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
  const since = records.findLast(isBeginning)?.seq;
  const requests = records.filter((record): record is JournalEntry => isRequestSince(record, since));
  const report = judgeClients(world, since);
  const wanted = played?.expect ?? [];
  const containers: Expectation[] = [];
  for (const { containers: all = [] } of wanted)
    for (const one of all) containers.push(containerExpectation(world, one, requests));
  const holdings = wanted.some((one) => one.holdings !== undefined) ? holdingsIn(world) : [];
  const credits: Expectation[] = [];
  for (const one of wanted)
    if (one.credits !== undefined) credits.push(...creditExpectations(world, one.credits, played, requests));
  const verdicts = report.verdicts.map((verdict) => verdictExpectation(verdict, wanted));
  const others = [
    ...wanted.flatMap(({ requests: all = [] }) => all.map((one) => requestExpectation(one, requests))),
    ...containers,
    ...wanted.flatMap((one) => (one.hostedAgents ?? []).map((each) => hostedAgentExpectation(world, each, requests))),
    ...wanted.flatMap((one) => (one.jobs ?? []).map((each) => jobExpectation(world, each, requests))),
    ...wanted.flatMap((one) => (one.holdings ?? []).map((each) => holdingExpectation(each, holdings, requests))),
    ...credits,
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
