// The past of a world, as entries of its timeline: requests, containers, jobs, credits, the clock.

import { iso } from '../../http/wire.js';
import { historyOf, wholeStateOf } from '../../platform/containers/lifecycle/history.js';
import { failureOf, rankWithin, turnOf } from '../../platform/containers/lifecycle/timeline.js';
import { type ContainerRecord, listContainers } from '../../platform/containers/store.js';
import { type LedgerRow, lastLedgerNumber, ledgerBetween } from '../../platform/credits/store.js';
import { listAnyJobs } from '../../platform/jobs/named.js';
import type { World } from '../../world/world.js';
import { journalOf } from '../journal/journal.js';
import type { JournalRecord } from '../journal/journal-entry.js';
import { type ClockChange, clockHistoryOf } from './clock-history.js';
import { clockEntry, creditsEntry, markerEntry, nothing, requestEntry } from './entries.js';
import { agentEntries, jobEntries, storedAgents } from './past-agents.js';
import { type Gathering, type Place, type Placed, type TimelineEntry, tonesOf } from './timeline.js';

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
 * Gathers what happened after a cursor, each entry once, and gives the next cursor.
 *
 * @param most of more requests than these only the newest are read: under load nothing else may be done for each
 */
export function entriesAfter(
  world: World,
  cursor: Cursor,
  now: number,
  most: number,
  gathering: Gathering,
  notes = allOf(world),
): { cursor: Cursor; isCut: boolean } {
  const journal = journalOf(notes.world);
  const first = Math.max(cursor.journal, journal.last() - most);
  // All are read as of one moment, and later entries of the ledger and the journal are left out. Only containers may change
  // meanwhile.
  const lastCharge = lastLedgerNumber(world.db);
  const changes = clockHistoryOf(notes.world).after(cursor.clock).filter(notes.isChange);
  const clock = clockHistoryOf(notes.world).last();
  const jobs = listAnyJobs(world);
  const agents = storedAgents(world);
  const pick = lastOf(gathering, notes);
  const read = journal.since(Math.max(first, 0)).map(pick);
  const records = read.filter((record) => record !== undefined);
  const ledger = ledgerBetween(world.db, cursor.ledger, lastCharge);
  const numbers = new Map<string, number>();
  for (const { requestId, seq } of records) {
    if (requestId !== undefined) numbers.set(requestId, seq);
  }
  const numberOf = (requestId: string | null): number => numbers.get(requestId ?? '') ?? Infinity;
  let { order } = cursor.at === now ? cursor : { order: 0 };
  const addInTime = (placed: Placed): void => {
    const { at } = placed;
    if (at > now || at < cursor.at || (at === cursor.at && placed.order <= cursor.order)) return;
    if (at === now) order = Math.max(order, placed.order);
    gathering.add(placed);
  };
  placeRecords(records, gathering.add);
  const failures = placeContainers(world, cursor.at, now, numberOf, addInTime);
  for (const placed of jobEntries(jobs, now, numberOf)) {
    addInTime(placed);
    failures.set(placed.entry.subject ?? '', placed);
  }
  for (const placed of agentEntries(agents, now, numberOf)) addInTime(placed);
  placeLedger(ledger, numberOf, failures, gathering.add);
  for (const { seq, at, text, after: request, occurrence } of changes)
    gathering.add({ at, request, order: rankWithin(occurrence, 0), entry: clockEntry(seq, at, text) });
  return {
    isCut: first > cursor.journal && cursor.journal > 0,
    cursor: {
      journal: records.at(-1)?.seq ?? cursor.journal,
      ledger: ledger.at(-1)?.seq ?? cursor.ledger,
      clock,
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

/** The part of a record that the timeline needs. */
interface PastRecord {
  seq: number;
  at: number;
  requestId: string | undefined;
  /** null: it has none, or none that is shown. */
  entry: TimelineEntry | null;
}

// The entries of the last that are wanted: those of older ones are let go of.
function lastOf({ isWanted, most }: Gathering, notes: Notes): (record: JournalRecord) => PastRecord | undefined {
  const last: PastRecord[] = [];
  return (record) => {
    if (!notes.isRecord(record)) return undefined;
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
function placeRecords(records: readonly PastRecord[], add: Add): void {
  let latest = Infinity;
  for (const { seq, at, entry } of [...records].reverse()) {
    latest = Math.min(latest, at);
    if (entry !== null) add({ at: latest, request: seq, order: 0, entry });
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
          ...nothing,
          id: `container:${record.id}:${order}:${at}`,
          kind: 'container',
          at: iso(at),
          title: `Container ${record.project_name}`,
          result: status,
          tone: tonesOf.container[status] ?? 'neutral',
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
