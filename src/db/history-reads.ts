// Where a history has changed what a request reads: the history is undone entry by entry, and the reads are repeated.

import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import { connect } from './connection.js';
import type { NotedRead } from './db.js';
import type { Entry } from './history-entry.js';
import type { HistoryStore } from './history-store.js';
import { putRows } from './history-undo.js';
import type { NotedRow } from './row-log.js';
import { withoutWal } from './wal-header.js';

/** An entry of a history, with what was read before it and otherwise after it. */
export interface ReadChange {
  entry: Entry;
  /** The tables of these reads; none where all data were replaced. */
  tables: string[];
  /** Names what all reads find before it: where that is equal, so is everything that follows from it. */
  state: string;
}

/** The numbers follow from the rows that they number. */
const unread = 'counters';

interface RepeatedRead extends NotedRead {
  /** What it finds, shortened. */
  found: string;
}

/**
 * The entries before a place that have changed what was read there, the newest first.
 *
 * @param image the world at the place
 * @param before the number of the first entry that comes after the place
 * @param isMeant whether an entry counts, whatever it has changed
 */
export function changesOfReads(
  image: Buffer,
  entries: Pick<HistoryStore, 'backwards' | 'image'>,
  reads: readonly NotedRead[],
  before: number,
  isMeant: (entry: Entry) => boolean,
): ReadChange[] {
  const once = new Map(reads.map((read) => [JSON.stringify(read), read]));
  let db = opened(image);
  const repeated = [...once.values()].map((read): RepeatedRead => ({ ...read, found: foundBy(db, read) }));
  const changes: ReadChange[] = [];
  try {
    for (const entry of entries.backwards()) {
      if (entry.seq >= before) continue;
      const changed = new Set((entry.rows ?? []).map(({ table }) => table));
      changed.delete(unread);
      if (entry.replaced === true) {
        db.close();
        db = opened(entries.image(entry.seq) ?? image);
      } else putRows(db, firstOf(entry.rows));
      const otherwise = repeated.filter((read) => hasChanged(db, read, entry, changed));
      const tables = otherwise.flatMap((read) => tablesOf(read, changed));
      if (otherwise.length > 0 || isMeant(entry))
        changes.push({ entry, tables: [...new Set(tables)], state: stateOf(repeated) });
    }
  } finally {
    db.close();
  }
  return changes;
}

// Of a row that an entry changes several times the first change says how it was.
function firstOf(rows: readonly NotedRow[] = []): NotedRow[] {
  const first = new Map<string, NotedRow>();
  for (const row of rows) {
    const name = `${row.table} ${JSON.stringify(row.key)}`;
    if (!first.has(name)) first.set(name, row);
  }
  return [...first.values()];
}

function opened(image: Buffer): Database.Database {
  const db = connect(withoutWal(image));
  db.pragma('foreign_keys = OFF');
  db.pragma('journal_mode = OFF');
  return db;
}

// Repeats the read if the entry may have changed what it finds.
function hasChanged(db: Database.Database, read: RepeatedRead, entry: Entry, changed: ReadonlySet<string>): boolean {
  if (entry.replaced !== true && tablesOf(read, changed).length === 0) return false;
  const found = read.missed === true ? `${entry.seq}` : foundBy(db, read);
  if (found === read.found) return false;
  read.found = found;
  return true;
}

const tablesOf = ({ sql }: NotedRead, changed: ReadonlySet<string>): string[] =>
  [...changed].filter((table) => sql.includes(table));

function foundBy(db: Database.Database, { sql, values, missed }: NotedRead): string {
  if (missed === true) return '';
  const rows = db.prepare(sql).all(values);
  return shortened(JSON.stringify(rows));
}

const stateOf = (reads: readonly RepeatedRead[]): string => shortened(reads.map(({ found }) => found).join('\n'));

const shortened = (text: string): string => createHash('sha256').update(text).digest('base64');
