// Entries of the timeline, from what they tell of.

import { toCredits } from '../../core/money.js';
import { iso } from '../../http/wire.js';
import type { LedgerRow } from '../../platform/credits/store.js';
import type { JournalEntry, JournalMarker } from '../journal/journal-entry.js';
import type { TimelineEntry, Tone } from './timeline.js';

/** The defaults of an entry's fields. */
export const nothing = {
  detail: null,
  operation: null,
  project: null,
  subject: null,
  requestId: null,
  fault: null,
  durationMs: null,
};

export function requestEntry(entry: JournalEntry): TimelineEntry {
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

export function markerEntry({ seq, at, event, subject }: JournalMarker): TimelineEntry {
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

export function clockEntry(seq: number, at: number, title: string): TimelineEntry {
  return { ...nothing, id: `clock:${seq}`, kind: 'clock', at: iso(at), title, result: '', tone: 'neutral' };
}

export function creditsEntry(row: LedgerRow): TimelineEntry {
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
