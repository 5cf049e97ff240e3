// Where the entries of a history lie: in memory, and for a world with a file in its table, which the transaction that
// changed the rows writes. The oldest go first.

import type { Db } from './db.js';
import { type Entry, entryOf } from './history-entry.js';
import { insert } from './insert.js';

export interface HistoryStore {
  push(seq: number, text: string, image?: Buffer): void;
  /** Writes what the table does not have yet. Call it in a transaction. */
  write(): void;
  /** The entries after a number, the oldest first. */
  after(seq: number): Iterable<Entry>;
  /** The entries, the newest first; with a part of their text: only those that contain it. */
  backwards(part?: string): Iterable<Entry>;
  /** The image that lies beside an entry. */
  image(seq: number): Buffer | undefined;
  /** The number of the oldest entry, and of the newest; 0: there is none. */
  first(): number;
  last(): number;
  bytes(): number;
  clear(): void;
  /** Looks at the table anew: what was written last was rolled back. */
  reread(): void;
}

interface Row {
  last_seq: number;
  count: number;
  bytes: number;
  entries: string;
  image: Buffer | null;
}

interface Recent {
  seq: number;
  text: string;
  image: Buffer | undefined;
}

const perRow = 200;

const lengthOf = ({ text, image }: Recent): number => text.length + (image?.length ?? 0);

/**
 * The entries of one world. Those that a world in memory has left in its table when it was closed come out of it.
 *
 * @param most entries, and their bytes
 */
export function openHistoryStore(db: Db, most: { entries: number; bytes: number }): HistoryStore {
  let recent: (Recent | undefined)[] = [];
  let recentBytes = 0;
  // The place of the oldest that is kept: to shift an array of thousands takes long.
  let oldest = 0;
  const stored = { first: 0, last: 0, bytes: 0 };
  function reread(): void {
    Object.assign(
      stored,
      db.get(`SELECT coalesce(min(last_seq - count + 1), 0) AS first, coalesce(max(last_seq), 0) AS last,
        coalesce(sum(bytes), 0) AS bytes FROM history`),
    );
  }
  // So many came since the last write that none of those in the table is kept.
  let isOutrun = false;
  const hasStored = (): boolean => stored.last > 0 && !isOutrun;
  reread();
  // A world in memory needs its table only while it is closed: then the table is all that is kept of it.
  if (db.inMemory && hasStored()) takeOut();

  function takeOut(): void {
    for (const { entries, last_seq, count, image } of [...rowsAfter(0)]) {
      for (const [index, text] of entries.split('\n').entries()) {
        const seq = last_seq - count + 1 + index;
        push({ seq, text, image: seq === last_seq ? (image ?? undefined) : undefined });
      }
    }
    forgetTable();
  }
  function push(entry: Recent): void {
    recent.push(entry);
    recentBytes += lengthOf(entry);
  }
  function* rowsAfter(seq: number): Iterable<Row> {
    for (let last = seq; hasStored(); ) {
      const row = db.get<Row>('SELECT * FROM history WHERE last_seq > @last ORDER BY last_seq LIMIT 1', { last });
      if (row === undefined) return;
      yield row;
      last = row.last_seq;
    }
  }
  const textsOf = ({ entries }: Row): Entry[] => entries.split('\n').map(entryOf);
  const recentNow = (): Recent[] => recent.slice(oldest) as Recent[];

  function dropRecent(): void {
    const gone = recent[oldest];
    if (gone !== undefined) recentBytes -= lengthOf(gone);
    recent[oldest] = undefined;
    oldest++;
    if (oldest > 1_000 && oldest > recent.length / 2) {
      recent = recent.slice(oldest);
      oldest = 0;
    }
  }
  function dropStored(): void {
    const row = db.get<Row>('SELECT * FROM history ORDER BY last_seq LIMIT 1');
    if (row === undefined) return;
    db.run('DELETE FROM history WHERE last_seq <= @last_seq', { last_seq: row.last_seq });
    stored.bytes -= row.bytes;
    stored.first = row.last_seq + 1;
    if (stored.first > stored.last) forgetStored();
  }
  function forgetTable(): void {
    db.run('DELETE FROM history');
    forgetStored();
    isOutrun = false;
  }
  function forgetStored(): void {
    Object.assign(stored, { first: 0, last: 0, bytes: 0 });
  }
  const first = (): number => (hasStored() ? stored.first : (recent[oldest]?.seq ?? 0));
  const last = (): number => recent.at(-1)?.seq ?? stored.last;
  const bytes = (): number => recentBytes + stored.bytes;
  const isTooMuch = (): boolean => bytes() > most.bytes || last() - first() + 1 > most.entries;

  return {
    push(seq, text, image) {
      push({ seq, text, image });
      // The table is trimmed when it is written.
      while (!hasStored() && recent.length > oldest && isTooMuch()) dropRecent();
      isOutrun ||= recent.length - oldest > most.entries;
    },
    write() {
      if (isOutrun) forgetTable();
      const all = recentNow();
      for (let from = 0; from < all.length; from += perRow) {
        const batch = all.slice(from, from + perRow);
        for (const part of splitAtImages(batch)) {
          const bytes = part.reduce((sum, entry) => sum + lengthOf(entry), 0);
          const row = { last_seq: part.at(-1)?.seq ?? 0, count: part.length, bytes };
          insert(db, 'history', {
            ...row,
            entries: part.map(({ text }) => text).join('\n'),
            image: part.at(-1)?.image ?? null,
          });
          if (!hasStored()) stored.first = part[0]?.seq ?? 0;
          stored.last = row.last_seq;
          stored.bytes += bytes;
        }
      }
      recent = [];
      recentBytes = 0;
      oldest = 0;
      while (hasStored() && isTooMuch()) dropStored();
    },
    *after(seq) {
      for (const row of rowsAfter(seq)) yield* textsOf(row).filter((entry) => entry.seq > seq);
      for (const entry of recentNow()) if (entry.seq > seq) yield entryOf(entry.text);
    },
    *backwards(part = '') {
      const isMeant = (text: string): boolean => text.includes(part);
      for (const { text } of recentNow().reverse()) if (isMeant(text)) yield entryOf(text);
      for (let before = stored.last + 1; hasStored(); ) {
        const row = db.get<Row>('SELECT * FROM history WHERE last_seq < @before ORDER BY last_seq DESC LIMIT 1', {
          before,
        });
        if (row === undefined) return;
        yield* row.entries.split('\n').filter(isMeant).map(entryOf).reverse();
        before = row.last_seq;
      }
    },
    image(seq) {
      const inMemory = recentNow().find((entry) => entry.seq === seq)?.image;
      if (inMemory !== undefined) return inMemory;
      return db.get<Pick<Row, 'image'>>('SELECT image FROM history WHERE last_seq = @seq', { seq })?.image ?? undefined;
    },
    first,
    last,
    bytes,
    clear() {
      recent = [];
      recentBytes = 0;
      oldest = 0;
      if (stored.last > 0) forgetTable();
    },
    reread,
  };
}

// A row has room for one image, which belongs to its last entry.
function splitAtImages(entries: readonly Recent[]): Recent[][] {
  const parts: Recent[][] = [[]];
  for (const entry of entries) {
    parts.at(-1)?.push(entry);
    if (entry.image !== undefined) parts.push([]);
  }
  return parts.filter(({ length }) => length > 0);
}
