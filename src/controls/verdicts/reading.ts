// How rules read the journal: who sent what after what, what they knew by then, and how long they waited.

import type { JournalEntry, JournalMarker, JournalRecord } from '../../store/journal-entry.js';

/** All requests, in the order of their beginning. */
export function requestsOf(records: readonly JournalRecord[]): JournalEntry[] {
  return inOrder(records).filter((record) => record.kind === 'request');
}

// The journal's own order is that of the answers.
function inOrder(records: readonly JournalRecord[]): JournalRecord[] {
  return [...records].sort((a, b) => a.wall - b.wall || a.seq - b.seq);
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

/** What makes two requests of a caller the same: sent again, one repeats the other. */
export function identityOf({ method, path, query, requestBodyHash, requestBody }: JournalEntry): string {
  // Bodies that are no text have no hash; their type and length stand for them.
  return `${method} ${path}${query} ${requestBodyHash ?? requestBody ?? ''}`;
}

// Instants are whole milliseconds, and an answer is read a little before its end is noted.
const roundingMs = 2;
// A burst is handled one after the other, though it was sent at once.
const underWayMs = 100;
const advancedMs = 1_000;

/**
 * Whether a request was sent when the answer to an earlier one was known. One that came before or with that answer was
 * on its way already; a repetition is no such thing, as nothing is repeated before its answer is there.
 *
 * @param bursts those of the caller's sequence
 */
export function knew(after: JournalEntry, before: JournalEntry, bursts: Bursts): boolean {
  const burst = bursts.get(after);
  if (burst !== undefined && burst === bursts.get(before)) return false;
  const sinceEnd = after.wall - before.wall - before.durationMs;
  if (sinceEnd < -roundingMs) return false;
  const advanced = after.at - before.at >= advancedMs;
  return sinceEnd >= underWayMs || advanced || identityOf(after) === identityOf(before);
}

/** The bursts that requests are part of; most are part of none. */
export type Bursts = ReadonlyMap<JournalEntry, object>;

const fewestAtOnce = 3;

/**
 * Equal requests that a client has sent at once, not one because of the other: each came by a connection of its own,
 * and all of these were open when the first was answered. (A client that repeats uses one or two of them in turn, or
 * opens one after the other.)
 */
export function burstsOf(sequence: readonly JournalEntry[]): Bursts {
  const bursts = new Map<JournalEntry, object>();
  for (const equal of groupedBy(sequence, identityOf)) {
    for (const close of closeTogether(equal)) {
      if (!wereSentAtOnce(close)) continue;
      for (const entry of close) bursts.set(entry, close);
    }
  }
  return bursts;
}

function closeTogether(entries: readonly JournalEntry[]): JournalEntry[][] {
  const all: JournalEntry[][] = [];
  for (const entry of entries) {
    const open = all.at(-1);
    const last = open?.at(-1);
    if (open !== undefined && last !== undefined && entry.wall - last.wall < underWayMs) open.push(entry);
    else all.push([entry]);
  }
  return all;
}

function wereSentAtOnce(entries: readonly JournalEntry[]): boolean {
  const [first] = entries;
  if (first === undefined || entries.length < fewestAtOnce) return false;
  const answeredAt = first.wall + first.durationMs + roundingMs;
  const connections = entries.flatMap(({ connection }) => connection ?? []);
  const different = new Set(connections.map(({ number, openedAt }) => `${number} ${openedAt}`));
  return different.size === entries.length && connections.every(({ openedAt }) => openedAt <= answeredAt);
}

// Virtual and wall time that differ by less run at one speed.
const driftMs = 5;

/**
 * How long a client waited between an answer's end and its next request: in wall or in virtual time, whichever is
 * more, as people advance the clock instead of waiting.
 */
export function waited(before: JournalEntry, after: JournalEntry): number {
  const sinceBeginning = after.wall - before.wall;
  const wall = sinceBeginning - before.durationMs;
  const virtual = after.at - before.at;
  // Nobody notes where a frozen, fast or advanced clock stood at the end; counting from the beginning is in favour.
  return Math.abs(virtual - sinceBeginning) <= driftMs ? wall : Math.max(wall, virtual);
}

// Timers and clocks of two programs differ by a little; nobody retries within this after having waited.
const timerMs = 50;

/** Whether a client waited as long as an answer told it to; true when it told nothing. */
export function keptWait(before: JournalEntry, after: JournalEntry): boolean {
  return waited(before, after) + timerMs >= toldWait(before);
}

/** How long an answer told the client to wait, in milliseconds. */
export function toldWait({ retryAfter }: JournalEntry): number {
  return (retryAfter ?? 0) * 1_000;
}

/** Milliseconds between two beginnings, in wall or in virtual time, whichever is more. */
export function apart(before: JournalEntry, after: JournalEntry): number {
  return Math.max(after.wall - before.wall, after.at - before.at);
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
