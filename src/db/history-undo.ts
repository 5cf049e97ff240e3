// Goes back to a place in a history: gathers what came after it, and undoes that on an image of the world.

import type Database from 'better-sqlite3';
import type { ClockState } from '../core/clock.js';
import { parsedJson } from '../core/json.js';
import { connect } from './connection.js';
import type { History } from './history.js';
import { type Entry, type KeyBefore, sqlValue, type WindowBefore } from './history-entry.js';
import type { NotedRow } from './row-log.js';
import type { SqlValue } from './sql-value.js';
import { withoutWal } from './wal-header.js';

/** What has to be undone to be at a place again. */
export interface Undo {
  /** The rows as they were, by table and key. */
  rows: Map<string, NotedRow>;
  windows: Map<string, WindowBefore>;
  keys: Map<string, KeyBefore>;
  /** The number of the last request before the place; undefined: none came after it. */
  requests: number | undefined;
  /** What was there before the first restore after the place; undefined: what is there now. */
  image: Buffer | undefined;
  /** Something is missing that could not be stored. */
  isBroken: boolean;
}

/**
 * What came after a place. What comes after the image that it is undone on does no harm: it says how rows were
 * in the image.
 */
export function gatherUndo(history: Pick<History, 'entries' | 'here'>, place: number): Undo {
  const undo: Undo = {
    rows: new Map(),
    windows: new Map(),
    keys: new Map(),
    requests: undefined,
    image: undefined,
    isBroken: false,
  };
  const entries = history.entries();
  const last = history.here();
  let known = place;
  for (const entry of entries.after(place)) {
    if (entry.seq !== known + 1) break;
    known = entry.seq;
    if (entry.replaced === true) {
      undo.image = entries.image(entry.seq);
      break;
    }
    add(entry, undo);
  }
  // What comes after an image need not be undone.
  undo.isBroken = undo.image === undefined && known < last;
  return undo;
}

// Of what changes several times the first counts. In one entry, requests are counted before rows change.
function add({ request, windows = [], keys = [], rows = [] }: Entry, undo: Undo): void {
  if (request !== undefined) undo.requests ??= request - 1;
  for (const window of windows) keepFirst(undo.windows, `${window[0]}\n${window[1]}`, window);
  // The row of a key says how often it had been used.
  for (const key of keys) if (!undo.rows.has(nameOf('api_keys', [key[0]]))) keepFirst(undo.keys, key[0], key);
  for (const row of rows) keepFirst(undo.rows, nameOf(row.table, row.key), row);
}

const nameOf = (table: string, key: readonly unknown[]): string => `${table} ${JSON.stringify(key)}`;

function keepFirst<Value>(map: Map<string, Value>, name: string, value: Value): void {
  if (!map.has(name)) map.set(name, value);
}

interface Beginning {
  at: number;
  wall: number;
  frozen: boolean | undefined;
}

/**
 * A world as it was at a place.
 *
 * @param image a copy of the present world, or `undo.image`
 * @param at virtual time at the place
 * @param wall the wall's time, from which its clock runs on
 * @param frozen whether its clock stands still; undefined: as it did then
 * @throws when the entries do not fit the image
 */
export function undone(image: Buffer, undo: Undo, begin: Beginning): Buffer {
  const db = connect(withoutWal(image));
  try {
    // A row that is taken out and put back must not take others along.
    db.pragma('foreign_keys = OFF');
    db.transaction(() => {
      putRows(db, [...undo.rows.values()]);
      const removeWindow = db.prepare('DELETE FROM rate_windows WHERE caller = @caller AND bucket = @bucket');
      const insertWindow = db.prepare(`INSERT INTO rate_windows (caller, bucket, started_at, count, full_until)
        VALUES (@caller, @bucket, @startedAt, @count, @fullUntil)`);
      const setUses = db.prepare('UPDATE api_keys SET usage_count = @count, last_used_at = @at WHERE id = @id');
      for (const [caller, bucket, ...counts] of undo.windows.values()) {
        removeWindow.run({ caller, bucket });
        const [startedAt, count, fullUntil] = counts;
        if (startedAt !== undefined) insertWindow.run({ caller, bucket, startedAt, count, fullUntil });
      }
      for (const [id, count, at] of undo.keys.values()) setUses.run({ id, count, at });
      putNotes(db, undo, begin);
    })();
    if ((db.pragma('foreign_key_check') as unknown[]).length > 0)
      throw new Error('rows point at rows that are not there');
    return db.serialize();
  } finally {
    db.close();
  }
}

/** Puts rows back. All are taken out before one is put back: two may have exchanged a name that there is once. */
export function putRows(db: Database.Database, rows: readonly NotedRow[]): void {
  const statements = new Map<string, { remove: Database.Statement; insert: Database.Statement }>();
  const of = (table: string) => {
    let found = statements.get(table);
    if (found === undefined) {
      const columns = db.pragma(`table_info(${table})`) as { name: string; pk: number }[];
      const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
      found = {
        remove: db.prepare(
          `DELETE FROM ${table} WHERE ${keys.map(({ name }, index) => `"${name}" = @v${index}`).join(' AND ')}`,
        ),
        insert: db.prepare(`INSERT INTO ${table} VALUES (${columns.map((_, index) => `@v${index}`)})`),
      };
      statements.set(table, found);
    }
    return found;
  };
  for (const { table, key } of rows) of(table).remove.run(numbered(key));
  for (const { table, before } of rows) if (before !== null) of(table).insert.run(numbered(before));
}

const numbered = (values: readonly unknown[]): Record<string, SqlValue> =>
  Object.fromEntries(values.map((value, index) => [`v${index}`, sqlValue(value)]));

function putNotes(db: Database.Database, undo: Undo, { at, wall, frozen }: Beginning): void {
  const read = db.prepare('SELECT value FROM meta WHERE key = @key').pluck();
  const write = db.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (@key, @value)');
  const counts = parsedJson(String(read.get({ key: 'counts' }) ?? '{}')) as { requests?: number };
  const requests = undo.requests ?? counts.requests ?? 0;
  write.run({ key: 'counts', value: JSON.stringify({ requests }) });
  db.prepare("DELETE FROM meta WHERE key = 'journal'").run();
  const clock = parsedJson(String(read.get({ key: 'clock' }))) as ClockState;
  const speed = frozen === undefined ? clock.speed : frozen ? 0 : clock.speed || 1;
  const waits = frozen === undefined ? clock.waits : undefined;
  const then: ClockState = { ...clock, anchorVirtual: at, anchorWall: wall, floor: at, speed, waits };
  write.run({ key: 'clock', value: JSON.stringify(then) });
}
