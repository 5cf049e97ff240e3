// Cached reads: each has its own results, by key, until one of its tables is written.

import { afterEach, expect, it } from 'vitest';
import { cached, maintained } from '../../src/db/cached-reads.js';
import { type Db, openDb } from '../../src/db/db.js';
import { readMeta, writeMeta } from '../../src/db/meta.js';
import { nextNumber } from '../../src/db/numbers.js';

const opened: Db[] = [];
const open = (): Db => {
  const db = openDb(':memory:');
  opened.push(db);
  return db;
};
afterEach(() => {
  for (const db of opened.splice(0)) db.close();
});

it('a cached read reads a key once until one of its tables is written', () => {
  const db = open();
  let reads = 0;
  const meta = cached(['meta', 'counters'], (of, key: string) => {
    reads++;
    return readMeta(of, key);
  });
  writeMeta(db, 'a', '1');
  expect([meta(db, 'a'), meta(db, 'a'), meta(db, 'b'), reads]).toEqual(['1', '1', undefined, 2]);
  db.run("INSERT INTO organizations (id, name, slug, plan, balance, created_at) VALUES ('o', 'o', 'o', 'free', 0, 0)");
  expect([meta(db, 'a'), reads]).toEqual(['1', 2]);
  nextNumber(db, 'n');
  expect([meta(db, 'a'), reads]).toEqual(['1', 3]);
  writeMeta(db, 'a', '2');
  expect(meta(db, 'a')).toBe('2');
});

it('cached reads keep the results of two reads, and of two databases, apart though their keys are equal', () => {
  const [one, other] = [open(), open()];
  const upper = cached(['meta'], (_db, key: string) => key.toUpperCase());
  const double = cached(['meta'], (_db, key: string) => key + key);
  const stored = cached(['meta'], readMeta);
  writeMeta(one, 'a', 'one');
  expect([upper(one, 'a'), double(one, 'a'), stored(one, 'a'), stored(other, 'a')]).toEqual([
    'A',
    'aa',
    'one',
    undefined,
  ]);
});

it('a cached read is done anew when rows of its table go with those of another', () => {
  const db = open();
  const users = cached(['users'], (of) => of.get<{ n: number }>('SELECT count(*) AS n FROM users')?.n);
  const removed = [
    "DELETE FROM organizations WHERE id = 'o'",
    "REPLACE INTO organizations (id, name, slug, plan, balance, created_at) VALUES ('o', 'o', 'o', 'free', 0, 0)",
    "INSERT OR REPLACE INTO organizations (id, name, slug, plan, balance, created_at) VALUES ('o', 'o', 'o', 'free', 0, 0)",
  ].map((statement) => {
    db.run(
      "INSERT OR IGNORE INTO organizations (id, name, slug, plan, balance, created_at) VALUES ('o', 'o', 'o', 'free', 0, 0)",
    );
    db.run(
      "INSERT INTO users (id, organization_id, name, role, created_at, updated_at) VALUES ('u', 'o', 'u', 'owner', 0, 0)",
    );
    const before = users(db);
    db.run(statement);
    return [before, users(db)];
  });
  expect(removed).toEqual([
    [1, 0],
    [1, 0],
    [1, 0],
  ]);
});

it('a write drops the reads of its table, and is refused when it names none', () => {
  const db = open();
  const meta = cached(['meta'], readMeta);
  writeMeta(db, 'a', '1');
  expect(meta(db, 'a')).toBe('1');
  db.run("UPDATE OR IGNORE meta SET value = '2' WHERE key = 'a'");
  expect(meta(db, 'a')).toBe('2');
  db.run("WITH given AS (SELECT 1 FROM counters) UPDATE meta SET value = '3' WHERE key = 'a'");
  expect(meta(db, 'a')).toBe('3');
  expect(() => db.run('UPDATE "meta" SET value = \'4\'')).toThrow('no table of a world is recognised');
  expect(() => db.run('CREATE TABLE more (id TEXT)')).toThrow('no table of a world is recognised');
  expect(meta(db, 'a')).toBe('3');
});

it('a cached read forgets what an undone transaction has read', () => {
  const db = open();
  const meta = cached(['meta'], readMeta);
  const act = (): void => {
    writeMeta(db, 'a', 'undone');
    expect(meta(db, 'a')).toBe('undone');
    throw new Error('on purpose');
  };
  expect(() => db.transaction(act)).toThrow('on purpose');
  expect(meta(db, 'a')).toBe(undefined);
});

it('a cached read keeps what its writers maintain, until a transaction that wrote its tables is undone', async () => {
  const db = open();
  const tally = maintained(['meta'], (of, key: string) => ({ value: readMeta(of, key) }));
  const fail = (act: () => void) => () => {
    act();
    throw new Error('on purpose');
  };
  const first = tally(db, 'a');
  writeMeta(db, 'a', '1');
  expect(tally(db, 'a')).toBe(first);
  expect(() => db.transaction(fail(() => nextNumber(db, 'n')))).toThrow('on purpose');
  expect(tally(db, 'a')).toBe(first);
  expect(() => db.transaction(fail(() => writeMeta(db, 'a', '2')))).toThrow('on purpose');
  const second = tally(db, 'a');
  expect(second).toEqual({ value: '1' });
  await expect(db.group(fail(() => writeMeta(db, 'a', '3')))).rejects.toThrow('on purpose');
  expect(tally(db, 'a')).not.toBe(second);
  expect(tally(db, 'a')).toEqual({ value: '1' });
});

it('a cached read refuses a table that does not exist', () => {
  expect(() => cached(['replies'], () => 0)).toThrow('there is no table replies');
});
