// What has happened in a world, as entries of its timeline: requests, containers, jobs, credits, the clock.

import { toCredits } from '../../core/money.js';
import { forEach, type Sliced } from '../../core/slices.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { historyOf } from '../containers/history.js';
import { forEachMovingFrom } from '../containers/moving-store.js';
import { wholeStateOf } from '../containers/state.js';
import { type LedgerRow, lastLedgerNumber, ledgerBetween } from '../credits/store.js';
import { journalOf } from '../journal/journal.js';
import type { JournalEntry, JournalMarker, JournalRecord } from '../journal/journal-entry.js';
import { jobAt } from '../voice/jobs.js';
import { listJobs } from '../voice/store.js';
import { clockHistoryOf } from './clock-history.js';
import { containerTones, type Gathering, type Placed, type TimelineEntry, type Tone } from './timeline.js';

/** How far a reader has read: numbers of the journal, the ledger and the clock's history, and an instant. */
export interface Cursor {
  journal: number;
  ledger: number;
  clock: number;
  at: number;
}

export const beginning: Cursor = { journal: 0, ledger: 0, clock: 0, at: -Infinity };

/**
 * Gathers what happened after a cursor, and gives the next one. What happened at its instant may come twice.
 *
 * @param most of more requests than these only the newest are read: under load nothing else may be done for each
 */
export function* entriesAfter(
  world: World,
  cursor: Cursor,
  now: number,
  most: number,
  gathering: Gathering,
): Sliced<{ cursor: Cursor; isCut: boolean }> {
  const journal = journalOf(world);
  const first = Math.max(cursor.journal, journal.last() - most);
  // Of one moment, but for containers that somebody acts on meanwhile: what the ledger and the journal get later is left out.
  const lastCharge = lastLedgerNumber(world.db);
  const changes = clockHistoryOf(world).after(cursor.clock);
  const clock = clockHistoryOf(world).last();
  const jobs = listJobs(world.db);
  const pick = lastOf(gathering);
  const records = first > 0 ? journal.since(first).map(pick) : yield* journal.read(pick);
  const ledger = yield* ledgerBetween(world.db, cursor.ledger, lastCharge);
  const numbers = new Map<string, number>();
  yield* forEach(records, ({ requestId, seq }) => {
    if (requestId !== undefined) numbers.set(requestId, seq);
  });
  const numberOf = (requestId: string | null | undefined): number => numbers.get(requestId ?? '') ?? Infinity;
  const payingRequest = new Map(ledger.map(({ subject, request_id }) => [subject, request_id]));
  const requestOf = (deployment: string): number => numberOf(payingRequest.get(deployment));
  const add = gathering.add;
  const addInTime = (placed: Placed): void => {
    if (placed.at >= cursor.at && placed.at <= now) add(placed);
  };
  yield* placeRecords(records, add);
  yield* placeLedger(ledger, numberOf, add);
  for (const { seq, at, text, after } of changes) add({ at, request: after, entry: clockEntry(seq, at, text) });
  yield* placeContainers(world, cursor.at, now, requestOf, addInTime);
  for (const placed of jobEntries(jobs, now, numberOf)) addInTime(placed);
  return {
    isCut: first > cursor.journal && cursor.journal > 0,
    cursor: {
      journal: records.at(-1)?.seq ?? cursor.journal,
      ledger: ledger.at(-1)?.seq ?? cursor.ledger,
      clock,
      at: now,
    },
  };
}

type Add = (placed: Placed) => void;

// What no request has moved comes after the last movement that one has.
function* placeLedger(
  rows: readonly LedgerRow[],
  numberOf: (requestId: string | null) => number,
  add: Add,
): Sliced<void> {
  let request = 0;
  yield* forEach(rows, (row) => {
    if (row.type === 'charge' && numberOf(row.request_id) < Infinity) request = numberOf(row.request_id);
    add({ at: row.created_at, request, entry: creditsEntry(row) });
  });
}

/** What the timeline needs of a record. */
interface PastRecord {
  seq: number;
  at: number;
  requestId: string | undefined;
  /** null: it has none, or none that is shown. */
  entry: TimelineEntry | null;
}

// The entries of the last that are wanted: those of older ones are let go of.
function lastOf({ isWanted, most }: Gathering): (record: JournalRecord) => PastRecord {
  const last: PastRecord[] = [];
  return (record) => {
    const entry = recordEntry(record);
    const past: PastRecord = {
      seq: record.seq,
      at: record.at,
      requestId: record.kind === 'request' ? record.requestId : undefined,
      entry: entry !== null && isWanted(entry) ? entry : null,
    };
    if (past.entry !== null) last.push(past);
    if (last.length > 2 * most) for (const older of last.splice(0, most)) older.entry = null;
    return past;
  };
}

function recordEntry(record: JournalRecord): TimelineEntry | null {
  if (record.kind === 'request') return requestEntry(record);
  return record.event === 'stream-ended' ? null : markerEntry(record);
}

// Time goes back where a snapshot is restored: what came before it keeps its place before it.
function* placeRecords(records: readonly PastRecord[], add: Add): Sliced<void> {
  let latest = Infinity;
  yield* forEach([...records].reverse(), ({ seq, at, entry }) => {
    latest = Math.min(latest, at);
    if (entry !== null) add({ at: latest, request: seq, entry });
  });
}

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

function clockEntry(seq: number, at: number, title: string): TimelineEntry {
  return { ...nothing, id: `clock:${seq}`, kind: 'clock', at: iso(at), title, result: '', tone: 'neutral' };
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

function* placeContainers(
  world: World,
  from: number,
  now: number,
  requestOf: (deploymentId: string) => number,
  add: Add,
): Sliced<void> {
  yield* forEachMovingFrom(world, from, now, (record) => {
    const state = wholeStateOf(world, record, now);
    const { status: latest, error } = state;
    const history = historyOf(world.db, record, now);
    for (const [index, { status, at, order }] of history.entries())
      add({
        at,
        request: requestOf(state.runs.find(({ deployment }) => deployment.startedAt === at)?.deployment.id ?? ''),
        entry: {
          ...nothing,
          id: `container:${record.id}:${order}:${at}`,
          kind: 'container',
          at: iso(at),
          title: `Container ${record.project_name}`,
          result: status,
          tone: containerTones[status] ?? 'neutral',
          detail: index === history.length - 1 && status === latest ? error : null,
          project: record.project_name,
          subject: record.id,
        },
      });
  });
}

function jobEntries(jobs: ReturnType<typeof listJobs>, now: number, numberOf: (id: string) => number): Placed[] {
  return jobs.flatMap((job) => {
    const { status, startedAt, endedAt, error } = jobAt(job, now);
    const steps: [string, number | null, Tone][] = [
      ['pending', job.created_at, 'neutral'],
      ['processing', startedAt, 'neutral'],
      [status, endedAt, status === 'failed' ? 'bad' : 'good'],
    ];
    return steps.flatMap(([result, at, tone], index) =>
      at === null
        ? []
        : [
            {
              at,
              request: index === 0 ? numberOf(job.request_id) : Infinity,
              entry: {
                ...nothing,
                id: `job:${job.id}:${result}`,
                kind: 'job' as const,
                at: iso(at),
                title: `Cloning of voice ${job.voice_name}`,
                result,
                tone,
                detail: index === 2 ? error : null,
                subject: job.id,
                requestId: index === 0 ? job.request_id : null,
              },
            },
          ],
    );
  });
}
