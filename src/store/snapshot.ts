// Images of a world's data: taken, put back, emptied. The journal is not part of them: it is a record of what happened.

import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { connect, type Db, migrate } from './db.js';
import { schemaVersion } from './schema.js';

const journal = 'journal';

/** All data of a world as the bytes of an SQLite file. */
export function takeImage(db: Db): Buffer {
  return db.exclusive((connection) => {
    const image = asRollbackJournalled(connection.serialize());
    if (connection.prepare(`SELECT 1 FROM ${journal}`).get() === undefined) return image;
    const copy = connect(image);
    try {
      copy.exec(`DELETE FROM ${journal}; VACUUM;`);
      return copy.serialize();
    } finally {
      copy.close();
    }
  });
}

/**
 * Puts an image in the place of a world's data, all or nothing; `also` runs in the same transaction.
 *
 * @throws when the image is no world, or hurts what its tables demand of each other
 */
export function putBack(db: Db, image: Buffer, also: () => void): void {
  // SQLite copies between files; a private one, gone as soon as it was read.
  const file = join(tmpdir(), `cloudemu-${process.pid}-${image.length}-${process.hrtime.bigint()}.db`);
  writeFileSync(file, asRollbackJournalled(image), { mode: 0o600 });
  try {
    if (versionOf(image) !== schemaVersion) updateImage(file);
    db.exclusive((connection) => {
      connection.prepare('ATTACH ? AS image').run(file);
      try {
        replaceAll(connection, () => {
          copyTables(connection);
          also();
        });
      } finally {
        connection.exec('DETACH image');
      }
    });
  } finally {
    rmSync(file, { force: true });
  }
}

/** Leaves nothing in a world but its journal; `fill` runs in the same transaction. */
export function startOver(db: Db, fill: () => void): void {
  db.exclusive((connection) => replaceAll(connection, fill));
}

// Rows point at each other: the check comes when all are there.
function replaceAll(connection: Database.Database, fill: () => void): void {
  connection.pragma('foreign_keys = OFF');
  try {
    connection.transaction(() => {
      for (const { name } of filledTables(connection, 'main')) connection.exec(`DELETE FROM main.${name}`);
      fill();
      const broken = connection.pragma('foreign_key_check') as unknown[];
      if (broken.length > 0) throw new Error('the image is damaged: rows point at rows that are not there');
    })();
  } finally {
    connection.pragma('foreign_keys = ON');
  }
}

interface Table {
  name: string;
  /** As it was created. */
  sql: string;
}

function copyTables(connection: Database.Database): void {
  const own = new Map(tablesOf(connection, 'main').map(({ name, sql }) => [name, sql]));
  for (const { name, sql } of filledTables(connection, 'image')) {
    if (!own.has(name)) continue;
    // Between tables of one form SQLite copies whole pages, but only where no columns are named.
    const columns = own.get(name) === sql ? '' : columnsOf(connection, name);
    connection.exec(
      `INSERT INTO main.${name} ${columns && `(${columns})`} SELECT ${columns || '*'} FROM image.${name}`,
    );
  }
}

function filledTables(connection: Database.Database, schema: string): Table[] {
  const tables = tablesOf(connection, schema);
  const questions = tables.map(({ name }) => `EXISTS (SELECT 1 FROM ${schema}.${name})`);
  const answers = connection.prepare(`SELECT ${questions}`).raw().get() as number[];
  return tables.filter((_, index) => answers[index] === 1);
}

function tablesOf(connection: Database.Database, schema: string): Table[] {
  return connection
    .prepare(
      `SELECT name, sql FROM ${schema}.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> ?`,
    )
    .all(journal) as Table[];
}

function columnsOf(connection: Database.Database, table: string): string {
  return (connection.pragma(`main.table_info(${table})`) as { name: string }[]).map(({ name }) => name).join(', ');
}

// An older image learns the newer tables first.
function updateImage(file: string): void {
  const image = connect(file);
  try {
    migrate(image, file);
  } finally {
    image.close();
  }
}

// SQLite keeps user_version at this place of its header.
function versionOf(image: Buffer): number {
  return image.length < 64 ? 0 : image.readUInt32BE(60);
}

// The image of a file in WAL mode says so at two places of its header, and cannot be opened without its log.
function asRollbackJournalled(image: Buffer): Buffer {
  if (image[18] !== 2) return image;
  const plain = Buffer.from(image);
  plain[18] = 1;
  plain[19] = 1;
  return plain;
}
