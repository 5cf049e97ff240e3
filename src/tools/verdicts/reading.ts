// How rules read the journal: the order of requests, their waits, and the responses known at the time.

import type { JournalEntry, JournalMarker, JournalRecord } from '../journal/journal-entry.js';

/** All requests, in the order of their beginning. */
export function requestsOf(records: readonly JournalRecord[]): JournalEntry[] {
  return inOrder(records).filter((record) => record.kind === 'request');
}

/** All records, in the order of their beginning: the journal's own order is that of the responses. */
export function inOrder(records: readonly JournalRecord[]): JournalRecord[] {
  return [...records].sort((a, b) => momentOf(a) - momentOf(b) || a.seq - b.seq);
}

function momentOf(record: JournalRecord): number {
  return record.kind === 'request' ? begunAt(record) : record.wall;
}

/** All markers of an event. */
export function markersOf(records: readonly JournalRecord[], event: JournalMarker['event']): JournalMarker[] {
  return records.filter((record): record is JournalMarker => record.kind === 'marker' && record.event === event);
}

/**
 * The requests of each caller in the order of their beginning, cut where the data under them was changed: nothing is
 * compared across a reset, a restore or a scenario.
 */
export function sequencesOf(records: readonly JournalRecord[]): JournalEntry[][] {
  const done: JournalEntry[][] = [];
  let open = new Map<string, JournalEntry[]>();
  for (const record of inOrder(records)) {
    if (record.kind === 'request') {
      const sequence = open.get(record.caller);
      if (sequence === undefined) open.set(record.caller, [record]);
      else sequence.push(record);
    } else if (record.event !== 'stream-ended') {
      done.push(...open.values());
      open = new Map();
    }
  }
  return [...done, ...open.values()];
}

/** A list in parts, each of the entries that have the same key; those without one are left out. */
export function groupedBy<Entry>(list: readonly Entry[], keyOf: (entry: Entry) => string | undefined): Entry[][] {
  const groups = new Map<string, Entry[]>();
  for (const entry of list) {
    const key = keyOf(entry);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  return [...groups.values()];
}

// Virtual and wall time that differ by less run at one speed.
const driftMs = 5;

/**
 * How long a client waited between an answer's end and its next request: in wall or in virtual time, whichever is
 * more, as people advance the clock instead of waiting.
 */
export function waited(before: JournalEntry, after: JournalEntry): number {
  const sinceBeginning = begunAt(after) - begunAt(before);
  const wall = begunAt(after) - endedAt(before);
  const virtual = after.at - before.at;
  // The journal does not hold the virtual time at which a request ended; counting from its beginning favours the client.
  return Math.abs(virtual - sinceBeginning) <= driftMs ? wall : Math.max(wall, virtual);
}

// Timers and clocks of two programs differ slightly: a wait that is shorter by this much counts as kept.
const timerMs = 50;

/** Whether a client waited as long as a response asked; true when it asked nothing. */
export function keptWait(before: JournalEntry, after: JournalEntry): boolean {
  return waited(before, after) + timerMs >= toldWait(before);
}

/** How long a response asked the client to wait, in milliseconds: the shortest of its headers. */
export function toldWait(entry: JournalEntry): number {
  const { retryAfter, responseHeaders } = entry;
  const told = [(retryAfter ?? 0) * 1_000];
  const after = Number(headerOf(responseHeaders, 'x-ratelimit-reset-after') ?? 'none');
  if (Number.isFinite(after)) told.push(after * 1_000);
  // The header holds an instant of wall time. Only on a 429 does it say when the client may try again.
  const reset = entry.status !== 429 ? undefined : instantOf(headerOf(responseHeaders, 'x-ratelimit-reset'));
  if (reset !== undefined) told.push(Math.max(0, reset - endedAt(entry)));
  return Math.min(...told);
}

function instantOf(reset: string | undefined): number | undefined {
  if (reset === undefined) return undefined;
  const instant = /^\d+$/.test(reset) ? Number(reset) * 1_000 : Date.parse(reset);
  return Number.isNaN(instant) ? undefined : instant;
}

/** The value of a header, in whatever case its name was sent. */
export function headerOf(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1];
}

/** Wall time in milliseconds at which a request arrived. */
export function begunAt(entry: JournalEntry): number {
  return entry.begunAt ?? entry.wall;
}

/** Wall time in milliseconds at which its response had been sent. */
export function endedAt(entry: JournalEntry): number {
  return entry.endedAt ?? entry.wall + entry.durationMs;
}

/** A client that gives a request up knows it up to so long before the emulator notices, on a busy machine. */
const unnoticedMs = 100;
/** Time limits of clients are no shorter than this. */
const shortestLimitMs = 200;

/**
 * Wall time in milliseconds from which a client may react to what became of a request. Where it gave the request up
 * itself, its next one may be on the way before that is noticed.
 */
export function knownAt(entry: JournalEntry): number {
  const ended = endedAt(entry);
  if (entry.outcome !== 'aborted' && entry.outcome !== 'lost') return ended;
  return Math.min(ended, Math.max(ended - unnoticedMs, begunAt(entry) + shortestLimitMs));
}

/** Milliseconds between two beginnings, in wall or in virtual time, whichever is more. */
export function apart(before: JournalEntry, after: JournalEntry): number {
  return Math.max(begunAt(after) - begunAt(before), after.at - before.at);
}

/** Whether the client got all of an answer with a status below 400. */
export function succeeded({ outcome, status }: JournalEntry): boolean {
  return (outcome === 'answered' || outcome === 'streaming') && status >= 200 && status < 400;
}

/** Whether an attempt failed in a way that clients answer by trying again. */
export function failedForNow({ outcome, status, fault }: JournalEntry): boolean {
  // Without a fault, a client that goes away has changed its mind.
  return outcome === 'lost' || (outcome === 'aborted' && fault !== null) || status === 429 || status >= 500;
}

/**
 * The first text or number under a name in a body, which may be cut off: a name inside of a text has its
 * quotes escaped, so it cannot be mistaken for one.
 */
export function fieldIn(body: string | null, name: string): string | undefined {
  if (body === null) return undefined;
  return new RegExp(`"${name}"\\s*:\\s*"?([\\w.-]+)`).exec(body)?.[1];
}

/** The text of a field of a JSON body, or of its beginning. */
export function fieldOf(body: string | null, name: string): string | undefined {
  if (body === null || !body.startsWith('{')) return undefined;
  try {
    const value = (JSON.parse(body) as Record<string, unknown>)[name];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return fieldIn(body, name);
  }
}
