// Checks that an image holds a world: tables and indexes as ours and nothing else, before any query of ours runs on it.

import type Database from 'better-sqlite3';
import { describe } from '../core/problems.js';
import { connect, migrate, versionOf } from './connection.js';
import { migrations, schemaVersion } from './migrations.js';
import { jsonColumns, schema, tableNames } from './schema.js';
import { withoutWal } from './wal-header.js';

/** The problem of an image, for people; undefined: it holds a world that can be put back. */
export function imageProblem(image: Buffer): string | undefined {
  let db: Database.Database | undefined;
  if (!isWritable(image)) return unreadable;
  try {
    db = connect(withoutWal(image));
    return structureProblem(db) ?? contentProblem(db);
  } catch {
    return unreadable;
  } finally {
    db?.close();
  }
}

// SQLite only reads files of a later format, which says so at this place of their header.
const isWritable = (image: Buffer): boolean => image[18] === 1 || image[18] === 2;

const unreadable = 'it holds no world that this cloudemu can read';

// Whatever has a text of its own runs when it is asked: a view instead of a table, a trigger, a column that is computed.
function structureProblem(db: Database.Database): string | undefined {
  const version = versionOf(db);
  if (version === 'unreleased') return 'a build of cloudemu from before its first release wrote it';
  if (version < 1) return unreadable;
  if (version > schemaVersion) return `a newer cloudemu wrote it (format ${version}, this one knows ${schemaVersion})`;
  const parts = db.prepare('SELECT type, name, sql FROM sqlite_schema').all() as Part[];
  const names = version < schemaVersion ? formerNames : ourNames;
  const foreign = parts.find((part) => !isOurs(part, names));
  if (foreign !== undefined)
    return `it has a ${foreign.type} ${JSON.stringify(foreign.name)} that cloudemu does not have`;
  return undefined;
}

interface Part {
  type: string;
  name: string;
  /** null for what SQLite makes by itself. */
  sql: string | null;
}

const namesAfter = (word: 'CREATE' | 'DROP', text: string): string[] =>
  [...text.matchAll(new RegExp(`${word} (TABLE|INDEX|UNIQUE INDEX) (\\w+)`, 'g'))].map(
    ([, kind = '', name]) => `${kind.replace('UNIQUE ', '').toLowerCase()} ${name}`,
  );

const ourNames = new Set(namesAfter('CREATE', schema));
/** With those that older formats have, and a step of migrations removes. */
const formerNames = new Set([...ourNames, ...namesAfter('DROP', migrations.join(';'))]);

const plainTable = /^CREATE TABLE "?\w+"? ?\((?:[\w\s,()"]|'\{\}')*\)(\s*WITHOUT ROWID)?$/;
const computes = /\b(CHECK|AS|GENERATED|COLLATE|SELECT)\b/i;
const plainIndex = /^CREATE (UNIQUE )?INDEX \w+ ON \w+ \([\w\s,]*\)( WHERE \w+ (= ('[\w.]*'|\d+)|IS NOT NULL))?$/;

function isOurs({ type, name, sql }: Part, names: ReadonlySet<string>): boolean {
  if (sql === null) return type === 'index' && name.startsWith('sqlite_autoindex_');
  if (!names.has(`${type} ${name}`)) return false;
  return type === 'table' ? plainTable.test(sql) && !computes.test(sql) : plainIndex.test(sql);
}

function contentProblem(db: Database.Database): string | undefined {
  if (db.pragma('quick_check(1)', { simple: true }) !== 'ok') return 'it is damaged: its pages do not fit together';
  migrate(db, ':memory:');
  if ((db.pragma('foreign_key_check') as unknown[]).length > 0) return unreadable;
  const told = db.prepare("SELECT count(*) FROM meta WHERE key IN ('seed', 'clock')").pluck().get();
  return told === 2 ? (valueProblem(db) ?? jsonProblem(db) ?? effectProblem(db)) : unreadable;
}

// SQLite keeps any value in any column: a text instead of an instant would make each request fail that reads it.
function valueProblem(db: Database.Database): string | undefined {
  for (const table of tableNames) {
    const columns = (db.pragma(`table_info(${table})`) as Column[]).filter(({ type }) => type in isOfType);
    const [first, ...others] = columns.map(
      ({ name, type }) => `WHEN ${name} IS NOT NULL AND NOT ${isOfType[type]?.(name)} THEN '${name}'`,
    );
    if (first === undefined) continue;
    const wrong = [first, ...others].join(' ');
    const row = db
      .prepare(`SELECT CASE ${wrong} END AS wrong, * FROM ${table} WHERE CASE ${wrong} END IS NOT NULL LIMIT 1`)
      .get() as (Record<string, unknown> & { wrong: string }) | undefined;
    if (row !== undefined) return `${table}.${row.wrong} is not of its type in the row ${named(db, table, row)}`;
  }
  return undefined;
}

interface Column {
  name: string;
  type: string;
}

// A world applies what is due before it is copied. One that comes back each day, for millions of days, would take for ever.
function effectProblem(db: Database.Database): string | undefined {
  const late = db
    .prepare(
      `SELECT 1 FROM effects, meta WHERE key = 'clock' AND due_at < json_extract(value, '$.floor') - ${366 * 86_400_000}`,
    )
    .get();
  return late === undefined ? undefined : 'effects.due_at is long before the time of its clock';
}

// The last instant of JavaScript's dates, in milliseconds.
const lastDate = 8.64e15;

const isOfType: Readonly<Record<string, (column: string) => string>> = {
  TEXT: (column) => `typeof(${column}) = 'text'`,
  INTEGER: (column) => {
    const isInstant = /_(at|until)$/.test(column);
    const most = isInstant ? lastDate : Number.MAX_SAFE_INTEGER;
    // A window that refuses the next request, whenever that comes, has the least number instead of an instant.
    const least = column.endsWith('_until') ? Number.MIN_SAFE_INTEGER : -most;
    return `(typeof(${column}) IN ('integer', 'real') AND ${column} BETWEEN ${least} AND ${most})`;
  },
};

// Broken JSON in one row would make every list that shows it fail, until something else is put back.
function jsonProblem(db: Database.Database): string | undefined {
  for (const [table, column, holds] of jsonColumns) {
    const row = db
      .prepare(`SELECT * FROM ${table} WHERE ${column} IS NOT NULL AND NOT ${isJson(column, holds)} LIMIT 1`)
      .get() as Record<string, unknown> | undefined;
    if (row !== undefined) return `${table}.${column} is no JSON ${holds} in the row ${named(db, table, row)}`;
  }
  const meta = `SELECT key FROM meta WHERE
    (key IN ('clock', 'settings', 'initial-state', 'scenario') AND NOT ${isJson('value', 'object')})
    OR (key = 'outcomes' AND NOT ${isJson('value', 'array')})`;
  const key = db.prepare(meta).pluck().get();
  return key === undefined ? undefined : `meta.value is not the JSON that belongs to the key ${describe(key)}`;
}

// SQLite takes a BLOB for JSON in a binary form of its own.
function isJson(column: string, holds: string): string {
  const text = `CAST(${column} AS TEXT)`;
  return `CASE json_valid(${text}) WHEN 1 THEN json_type(${text}) = '${holds}' ELSE 0 END`;
}

function named(db: Database.Database, table: string, row: Record<string, unknown>): string {
  const columns = db.pragma(`table_info(${table})`) as { name: string; pk: number }[];
  return columns
    .filter(({ pk }) => pk > 0)
    .map(({ name }) => `${name} ${describe(row[name])}`)
    .join(', ');
}
