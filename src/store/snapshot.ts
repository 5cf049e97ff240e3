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
    if (!isFilled(connection, 'main', journal)) return image;
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
          for (const table of tablesOf(connection)) copyTable(connection, table);
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
      for (const table of tablesOf(connection)) {
        if (isFilled(connection, 'main', table)) connection.exec(`DELETE FROM main.${table}`);
      }
      fill();
      const broken = connection.pragma('foreign_key_check') as unknown[];
      if (broken.length > 0) throw new Error('the image is damaged: rows point at rows that are not there');
    })();
  } finally {
    connection.pragma('foreign_keys = ON');
  }
}

function copyTable(connection: Database.Database, table: string): void {
  if (!isFilled(connection, 'image', table)) return;
  const columns = (connection.pragma(`main.table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  connection.exec(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM image.${table}`);
}

function isFilled(connection: Database.Database, schema: string, table: string): boolean {
  return connection.prepare(`SELECT EXISTS (SELECT 1 FROM ${schema}.${table})`).pluck().get() === 1;
}

function tablesOf(connection: Database.Database): string[] {
  return connection
    .prepare(`SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> ?`)
    .pluck()
    .all(journal) as string[];
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
