// Where the entries of a history lie: in memory, and for a world with a file in its table, which the transaction that
// changed the rows writes. The oldest go first.

import type { Db } from './db.js';
import { type Entry, entryOf } from './history-entry.js';
import { insert } from './insert.js';

interface Row {
  last_seq: number;
  count: number;
  bytes: number;
  entries: string;
  image: Buffer | null;
}

/** An entry that the table does not have yet. */
interface Recent {
  seq: number;
  text: string;
  image: Buffer | undefined;
  bytes: number;
}

const perRow = 200;

const textsOf = ({ entries }: Row): string[] => entries.split('\n');

/** The entries of one world. Those that a world in memory has left in its table when it was closed come out of it. */
export class HistoryStore {
  private recent: (Recent | undefined)[] = [];
  private recentBytes = 0;
  /** The place of the oldest that is kept: to shift an array of thousands takes long. */
  private oldest = 0;
  /** What the table holds: the numbers of its first and last entry (0: it is empty), and its bytes. */
  private stored = { first: 0, last: 0, bytes: 0 };
  /** So many came since the last write that none of those in the table is kept. */
  private isOutrun = false;

  /** @param most how many entries are kept, and how many bytes of them */
  constructor(
    private readonly db: Db,
    private readonly most: { entries: number; bytes: number },
  ) {
    this.reread();
    // A world in memory needs its table only while it is closed: then the table is all that is kept of it.
    if (db.inMemory && this.stored.last > 0) this.takeOut();
  }

  private takeOut(): void {
    for (const row of [...this.rowsAfter(0)]) {
      for (const [index, text] of textsOf(row).entries()) {
        const seq = row.last_seq - row.count + 1 + index;
        const image = seq === row.last_seq ? (row.image ?? undefined) : undefined;
        this.recent.push({ seq, text, image, bytes: text.length + (image?.length ?? 0) });
        this.recentBytes += text.length + (image?.length ?? 0);
      }
    }
    this.forgetTable();
  }

  /** Looks at the table anew: what was written last was rolled back. */
  reread(): void {
    const sql = `SELECT coalesce(min(last_seq - count + 1), 0) AS first, coalesce(max(last_seq), 0) AS last,
      coalesce(sum(bytes), 0) AS bytes FROM history`;
    this.stored = this.db.get<{ first: number; last: number; bytes: number }>(sql) as HistoryStore['stored'];
  }

  push(seq: number, text: string, image?: Buffer): void {
    const bytes = text.length + (image?.length ?? 0);
    this.recent.push({ seq, text, image, bytes });
    this.recentBytes += bytes;
    // The table is trimmed when it is written.
    while (this.stored.last === 0 && this.recent.length > this.oldest && this.isTooMuch()) this.dropRecent();
    if (this.stored.last > 0 && this.recent.length - this.oldest > this.most.entries) {
      this.isOutrun = true;
      this.stored = { first: 0, last: 0, bytes: 0 };
    }
  }

  private isTooMuch(): boolean {
    const { recentBytes, stored, most } = this;
    return recentBytes + stored.bytes > most.bytes || this.last() - this.first() + 1 > most.entries;
  }

  private dropRecent(): void {
    this.recentBytes -= this.recent[this.oldest]?.bytes ?? 0;
    this.recent[this.oldest] = undefined;
    this.oldest++;
    if (this.oldest > 1_000 && this.oldest > this.recent.length / 2) {
      this.recent = this.recent.slice(this.oldest);
      this.oldest = 0;
    }
  }

  /** Writes what the table does not have yet. Call it in a transaction. */
  write(): void {
    if (this.isOutrun) this.forgetTable();
    const all = this.recentNow();
    for (let from = 0; from < all.length; from += perRow)
      for (const part of splitAtImages(all.slice(from, from + perRow))) this.writeRow(part);
    this.forgetRecent();
    while (this.stored.last > 0 && this.isTooMuch()) this.dropStored();
  }

  private writeRow(entries: Recent[]): void {
    const { stored } = this;
    const last = entries.at(-1);
    const row = {
      last_seq: last?.seq ?? 0,
      count: entries.length,
      bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
      entries: entries.map(({ text }) => text).join('\n'),
      image: last?.image ?? null,
    };
    insert(this.db, 'history', row);
    if (stored.last === 0) stored.first = entries[0]?.seq ?? 0;
    stored.last = row.last_seq;
    stored.bytes += row.bytes;
  }

  private dropStored(): void {
    const row = this.db.get<Row>('SELECT * FROM history ORDER BY last_seq LIMIT 1');
    if (row === undefined) return;
    this.db.run('DELETE FROM history WHERE last_seq <= @last_seq', { last_seq: row.last_seq });
    const { last, bytes } = this.stored;
    this.stored =
      row.last_seq < last
        ? { first: row.last_seq + 1, last, bytes: bytes - row.bytes }
        : { first: 0, last: 0, bytes: 0 };
  }

  private forgetTable(): void {
    this.db.run('DELETE FROM history');
    this.stored = { first: 0, last: 0, bytes: 0 };
    this.isOutrun = false;
  }

  private forgetRecent(): void {
    this.recent = [];
    this.recentBytes = 0;
    this.oldest = 0;
  }

  private recentNow(): Recent[] {
    return this.recent.slice(this.oldest) as Recent[];
  }

  private *rowsAfter(seq: number): Iterable<Row> {
    const sql = 'SELECT * FROM history WHERE last_seq > @last ORDER BY last_seq LIMIT 1';
    for (let last = seq; this.stored.last > 0; ) {
      const row = this.db.get<Row>(sql, { last });
      if (row === undefined) return;
      yield row;
      last = row.last_seq;
    }
  }

  /** The entries after a number, the oldest first. */
  *after(seq: number): Iterable<Entry> {
    for (const row of this.rowsAfter(seq))
      yield* textsOf(row)
        .map(entryOf)
        .filter((entry) => entry.seq > seq);
    for (const entry of this.recentNow()) if (entry.seq > seq) yield entryOf(entry.text);
  }

  /** The entries, the newest first; with a part of their text: only those that contain it. */
  *backwards(part = ''): Iterable<Entry> {
    const isMeant = (text: string): boolean => text.includes(part);
    for (const { text } of this.recentNow().reverse()) if (isMeant(text)) yield entryOf(text);
    const sql = 'SELECT * FROM history WHERE last_seq < @before ORDER BY last_seq DESC LIMIT 1';
    for (let before = this.stored.last + 1; this.stored.last > 0; ) {
      const row = this.db.get<Row>(sql, { before });
      if (row === undefined) return;
      yield* textsOf(row).filter(isMeant).map(entryOf).reverse();
      before = row.last_seq;
    }
  }

  /** The image that lies beside an entry. */
  image(seq: number): Buffer | undefined {
    const inMemory = this.recentNow().find((entry) => entry.seq === seq)?.image;
    if (inMemory !== undefined) return inMemory;
    const sql = 'SELECT image FROM history WHERE last_seq = @seq';
    return this.db.get<Pick<Row, 'image'>>(sql, { seq })?.image ?? undefined;
  }

  /** The number of the oldest entry; 0: there is none. */
  first(): number {
    return this.stored.last > 0 ? this.stored.first : (this.recent[this.oldest]?.seq ?? 0);
  }

  /** The number of the newest entry; 0: there is none. */
  last(): number {
    return this.recent.at(-1)?.seq ?? this.stored.last;
  }

  bytes(): number {
    return this.recentBytes + this.stored.bytes;
  }

  clear(): void {
    this.forgetRecent();
    this.forgetTable();
  }
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
