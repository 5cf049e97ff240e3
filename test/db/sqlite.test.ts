// The SQLite of this Node: the bundled code drives the binary of either package.

import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { isSqliteError, openSqlite } from '../../src/db/sqlite.js';

it('the SQLite for Node 20 loads nothing of its package but the binary', () => {
  const db = openSqlite(':memory:');
  expect(db.prepare('SELECT 1').pluck().get()).toBe(1);
  const files = Object.keys(createRequire(import.meta.url).cache).map((file) => file.replaceAll('\\', '/'));
  expect(files.filter((file) => /better-sqlite3-node20\/(?!build\/)/.test(file))).toEqual([]);
  db.close();
});

it('a transaction that breaks a rule is undone, and the error is reported for one of SQLite', () => {
  const db = openSqlite(':memory:');
  db.exec('CREATE TABLE one (n INTEGER PRIMARY KEY)');
  const insertTwice = db.transaction(() => {
    for (let i = 0; i < 2; i++) db.prepare('INSERT INTO one VALUES (1)').run();
  });
  let thrown: unknown;
  try {
    insertTwice();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(Error);
  expect(isSqliteError(thrown) && thrown.code).toBe('SQLITE_CONSTRAINT_PRIMARYKEY');
  expect(db.prepare('SELECT count(*) FROM one').pluck().get()).toBe(0);
  expect(db.pragma('user_version', { simple: true })).toBe(0);
  expect([...db.prepare('SELECT 2 AS two').iterate()]).toEqual([{ two: 2 }]);
  db.close();
});
