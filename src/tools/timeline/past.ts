// The past of a world, as entries of its timeline: requests, containers, jobs, credits, the clock.

import { toCredits } from '../../core/money.js';
import type { History } from '../../db/history.js';
import { iso } from '../../http/wire.js';
import { historyOf, wholeStateOf } from '../../platform/containers/lifecycle/history.js';
import { failureOf, rankWithin, turnOf } from '../../platform/containers/lifecycle/timeline.js';
import { type ContainerRecord, listContainers } from '../../platform/containers/store.js';
import { type LedgerRow, lastLedgerNumber, ledgerBetween } from '../../platform/credits/store.js';
import { historyOfAgent } from '../../platform/hosted-agents/history.js';
import { listHostedAgents } from '../../platform/hosted-agents/store.js';
import { listAnyJobs, stepsOfJob } from '../../platform/jobs/named.js';
import { titleOfJob } from '../../platform/timed/timed.js';
import type { World } from '../../world/world.js';
import type { Place as PointPlace } from '../history/places.js';
import { journalOf } from '../journal/journal.js';
import type { JournalEntry, JournalMarker, JournalRecord } from '../journal/journal-entry.js';
import { type ClockChange, clockHistoryOf } from './clock-history.js';
import { byPlace, type Place, type Placed, type TimelineEntry, type Tone, tonesOf } from './schema.js';

/** How far a reader has read: numbers of the journal, the ledger and the clock's history, and a place in time. */
export interface Cursor {
  journal: number;
  ledger: number;
  clock: number;
  at: number;
  /** The highest rank of what had happened to containers and jobs at that instant: more may happen at it. */
  order: number;
}

export const beginning: Cursor = { journal: 0, ledger: 0, clock: 0, at: -Infinity, order: 0 };

/** Where requests and changes of the clock are noted, and which of them count. */
export interface Notes {
  /** The data of a world as it was have none: they are with the world itself. */
  world: World;
  isRecord(record: JournalRecord): boolean;
  isChange(change: ClockChange): boolean;
}

const allOf = (world: World): Notes => ({
  world,
  isRecord: () => true,
  isChange: ({ goneBy }) => goneBy === undefined,
});

/**
 * What happened after a cursor, each entry once and in order, and the next cursor.
 *
 * @param most of more requests than these only the newest are read: under load nothing else may be done for each
 */
export function entriesAfter(
  world: World,
  cursor: Cursor,
  now: number,
  most: number,
  notes = allOf(world),
): { entries: TimelineEntry[]; cursor: Cursor; isCut: boolean } {
  const journal = journalOf(notes.world);
  const clock = clockHistoryOf(notes.world);
  const first = Math.max(cursor.journal, journal.last() - most);
  const records = journal.since(Math.max(first, 0)).filter(notes.isRecord);
  const ledger = ledgerBetween(world.db, cursor.ledger, lastLedgerNumber(world.db));
  const numbers = new Map(
    records.flatMap((record) => (record.kind === 'request' ? [[record.requestId, record.seq] as const] : [])),
  );
  const placed: Placed[] = [];
  const add = (one: Placed): void => void placed.push(one);
  const numberOf = (requestId: string | null): number => numbers.get(requestId ?? '') ?? Infinity;
  let { order } = cursor.at === now ? cursor : { order: 0 };
  const addInTime = (one: Placed): void => {
    const { at } = one;
    if (at > now || at < cursor.at || (at === cursor.at && one.order <= cursor.order)) return;
    if (at === now) order = Math.max(order, one.order);
    add(one);
  };
  placeRecords(records, add);
  const failures = placeContainers(world, cursor.at, now, numberOf, addInTime);
  for (const step of jobEntries(world, now, numberOf)) {
    addInTime(step);
    failures.set(step.entry.subject ?? '', step);
  }
  for (const step of agentEntries(world, now, numberOf)) addInTime(step);
  placeLedger(ledger, numberOf, failures, add);
  for (const { seq, at, text: title, after: request, occurrence } of clock.after(cursor.clock).filter(notes.isChange)) {
    const entry: TimelineEntry = {
      ...nothing,
      id: `clock:${seq}`,
      kind: 'clock',
      at: iso(at),
      title,
      result: '',
      tone: 'neutral',
    };
    add({ at, request, order: rankWithin(occurrence, 0), entry });
  }
  return {
    entries: placed.sort(byPlace).map(({ entry }) => entry),
    isCut: first > cursor.journal && cursor.journal > 0,
    cursor: {
      journal: records.at(-1)?.seq ?? cursor.journal,
      ledger: ledger.at(-1)?.seq ?? cursor.ledger,
      clock: clock.last(),
      at: now,
      order,
    },
  };
}

type Add = (placed: Placed) => void;

// Refunds follow their charge; other movements without a request follow the last one with a request.
function placeLedger(
  rows: readonly LedgerRow[],
  numberOf: (requestId: string | null) => number,
  failures: ReadonlyMap<string, Place>,
  add: Add,
): void {
  let request = 0;
  for (const row of rows) {
    const entry = creditsEntry(row);
    const { created_at: at } = row;
    if (row.type === 'charge' && numberOf(row.request_id) < Infinity) request = numberOf(row.request_id);
    const cause = row.type === 'refund' ? failures.get(row.subject ?? '') : undefined;
    add(cause?.at === at ? { ...cause, entry } : { at, request, order: 0, entry });
  }
}

// Time goes back where a snapshot is restored: what came before it keeps its place before it.
function placeRecords(records: readonly JournalRecord[], add: Add): void {
  let latest = Infinity;
  for (const record of records.toReversed()) {
    latest = Math.min(latest, record.at);
    if (record.kind === 'marker' && record.event === 'stream-ended') continue;
    const entry = record.kind === 'request' ? requestEntry(record) : markerEntry(record);
    add({ at: latest, request: record.seq, order: 0, entry });
  }
}

// Returns where each deployment failed.
function placeContainers(
  world: World,
  from: number,
  now: number,
  numberOf: (requestId: string | null) => number,
  add: Add,
): Map<string, Place> {
  const failures = new Map<string, Place>();
  for (const record of listContainers(world.db)) {
    if (!changedBetween(record, from, now)) continue;
    const { status: latest, error, runs } = wholeStateOf(world.db, record, now);
    const causes = new Map<number, { at: number; request: number }>();
    for (const { deployment } of runs) {
      const { startedAt: at, turn, requestId, interventions } = deployment;
      causes.set(turn, { at, request: numberOf(requestId) });
      for (const { at: instant, turn: number, after = 0 } of interventions)
        if (number !== undefined && instant >= from) causes.set(number, { at: instant, request: after });
    }
    // Changes that time alone has caused come first in their instant.
    const placeOf = ({ at, order }: { at: number; order: number }): Place => {
      const cause = causes.get(turnOf(order));
      return { at, order, request: cause?.at === at ? cause.request : 0 };
    };
    for (const { deployment, timeline } of runs) {
      const failed = failureOf(timeline);
      if (failed !== undefined) failures.set(deployment.id, placeOf(failed));
    }
    const history = historyOf(world.db, record, now);
    for (const [index, { status, at, order }] of history.entries())
      add({
        ...placeOf({ at, order }),
        entry: {
          ...stepEntry('container', `${record.id}:${order}:${at}`, at, `Container ${record.project_name}`, status),
          detail: index === history.length - 1 && status === latest ? error : null,
          project: record.project_name,
          subject: record.id,
        },
      });
  }
  return failures;
}

// Whether it was there by an instant, and changes from another one on.
function changedBetween({ deployments }: ContainerRecord, from: number, now: number): boolean {
  return (
    deployments.some(({ startedAt }) => startedAt <= now) &&
    deployments.some(({ timeline = [] }) => timeline.some(({ at }) => at >= from))
  );
}

/** The statuses of hosted agents by an instant. */
function agentEntries(world: World, now: number, numberOf: (requestId: string | null) => number): Placed[] {
  return listHostedAgents(world.db).flatMap((agent) =>
    historyOfAgent(world, agent, now).map(({ status, at, order, error, requestId, after, isByTime }) => ({
      at,
      request: after ?? (isByTime ? 0 : numberOf(requestId)),
      order,
      entry: {
        ...stepEntry('agent', `${agent.id}:${order}`, at, `Hosted agent ${agent.name}`, status),
        detail: error,
        subject: agent.id,
        requestId,
      },
    })),
  );
}

/** The steps of jobs by an instant. */
function jobEntries(world: World, now: number, numberOf: (requestId: string | null) => number): Placed[] {
  return listAnyJobs(world).flatMap((job) => {
    const { id, created_at: createdAt, request_id: requestId } = job.voice ?? job.agent;
    return stepsOfJob(job, now).map(({ status, at, order, error, after }, index) => ({
      at,
      request: after ?? (at === createdAt ? numberOf(requestId) : 0),
      order,
      entry: {
        ...stepEntry('job', `${id}:${status}`, at, titleOfJob(job), status),
        detail: error,
        subject: id,
        requestId: index === 0 ? requestId : null,
      },
    }));
  });
}

/** The requests, the restores and the changes of the clock before a place. */
export function notesBy(world: World, history: History, { seq }: PointPlace): Notes {
  let first = Infinity;
  let count = 0;
  for (const { request = Infinity, replaced } of history.entries().after(seq)) {
    first = Math.min(first, request);
    if (replaced === true) count++;
  }
  // The ids of requests follow from their numbers.
  const ids = new Set<string>();
  for (let number = world.usage.requests(); number >= first; number--) ids.add(world.requestId(number));
  // The number of the first record of the journal that tells of a later restore.
  const isRestore = (record: JournalRecord): boolean => record.kind === 'marker' && record.event === 'restored';
  const restores = count === 0 ? [] : journalOf(world).records().filter(isRestore);
  const restored = count === 0 ? Infinity : (restores.at(-count)?.seq ?? 0);
  return {
    world,
    isRecord: (record) => (record.kind === 'request' ? !ids.has(record.requestId) : record.seq < restored),
    isChange: ({ entry, goneBy = Infinity }) => entry <= seq && goneBy > seq,
  };
}

/** The defaults of an entry's fields. */
const nothing = {
  detail: null,
  operation: null,
  project: null,
  subject: null,
  requestId: null,
  fault: null,
  durationMs: null,
};

function requestEntry(entry: JournalEntry): TimelineEntry {
  const { operation, errorCode, warnings } = entry;
  const notes = [operation, errorCode, ...(entry.fault === null ? [] : [`fault ${entry.fault}`]), ...warnings];
  return {
    id: `request:${entry.seq}`,
    kind: 'request',
    at: iso(entry.at),
    title: `${entry.method} ${entry.path}${entry.query}`,
    result: entry.outcome === 'answered' || entry.outcome === 'streaming' ? String(entry.status) : entry.outcome,
    tone: toneOf(entry),
    detail: notes
      .filter((note) => note !== null)
      .join(' · ')
      .slice(0, 500),
    operation,
    project: null,
    subject: entry.subject,
    requestId: entry.requestId,
    fault: entry.fault,
    durationMs: entry.durationMs,
  };
}

function toneOf({ status, outcome, warnings }: JournalEntry): Tone {
  if (status >= 500 || outcome === 'lost') return 'bad';
  if (status >= 400 || outcome === 'aborted' || warnings.length > 0) return 'warning';
  return 'good';
}

const markerTitles: Record<JournalMarker['event'], string> = {
  reset: 'The world was reset',
  restored: 'A snapshot was restored',
  scenario: 'A scenario was applied',
  'stream-ended': 'A stream ended',
};

function markerEntry({ seq, at, event, subject }: JournalMarker): TimelineEntry {
  return {
    ...nothing,
    id: `marker:${seq}`,
    kind: 'marker',
    at: iso(at),
    title: markerTitles[event],
    result: subject,
    tone: 'neutral',
  };
}

function creditsEntry(row: LedgerRow): TimelineEntry {
  const amount = toCredits(row.amount);
  return {
    ...nothing,
    id: `credits:${row.seq}`,
    kind: 'credits',
    at: iso(row.created_at),
    title: row.reason,
    result: amount > 0 ? `+${amount}` : String(amount),
    tone: row.amount < 0 ? 'neutral' : 'good',
    detail: `${row.type}, balance ${toCredits(row.balance_before)} → ${toCredits(row.balance_after)}`,
    subject: row.subject,
    requestId: row.request_id,
  };
}

// What all steps of a thing have in common.
function stepEntry<Kind extends 'container' | 'agent' | 'job'>(
  kind: Kind,
  id: string,
  at: number,
  title: string,
  status: string,
) {
  const tone = tonesOf[kind][status] ?? 'neutral';
  return { ...nothing, id: `${kind}:${id}`, kind, at: iso(at), title, result: status, tone };
}
