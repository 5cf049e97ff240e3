// Groups: requests of one moment share a transaction, and one that fails undoes its own part only.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { ApiError } from '../../src/core/errors.js';
import { type Db, openDb } from '../../src/db/db.js';
import { readMeta, writeMeta } from '../../src/db/meta.js';
import { nextNumber } from '../../src/db/numbers.js';
import { openSqlite } from '../../src/db/sqlite.js';
import { runsOf } from '../support/campaign.js';

const opened: Db[] = [];
const open = (): Db => {
  const db = openDb(':memory:');
  opened.push(db);
  return db;
};
afterEach(() => {
  for (const db of opened.splice(0)) db.close();
});

const numbers = (db: Db): Record<string, number> =>
  Object.fromEntries(
    db.all<{ name: string; value: number }>('SELECT name, value FROM counters').map(({ name, value }) => [name, value]),
  );
const values = (db: Db): Record<string, string> =>
  Object.fromEntries(
    db.all<{ key: string; value: string }>('SELECT key, value FROM meta').map(({ key, value }) => [key, value]),
  );

const put = 'INSERT INTO meta (key, value) VALUES (@key, @value)';
const move = 'UPDATE meta SET value = value || @more WHERE key = @key RETURNING value';

type Act = { kind: 'set' | 'append' | 'number' | 'twice'; key: string };
const act = fc.record<Act>({
  kind: fc.constantFrom('set', 'append', 'number', 'twice'),
  key: fc.constantFrom('a', 'b', 'c'),
});
const share = fc.record({ acts: fc.array(act, { maxLength: 5 }), fails: fc.boolean() });

it('a group leaves what the shares that succeed have written, in their order, and nothing of the others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(share, { maxLength: 12 }), async (shares) => {
      const db = open();
      const model: Record<string, string> = {};
      const drawn: Record<string, number> = {};
      const ends = shares.map(({ acts, fails }, n) => {
        const mine = { ...model };
        const counts = { ...drawn };
        const ended = db.group(() => {
          for (const { kind, key } of acts) {
            if (kind === 'set') writeMeta(db, key, `${n}`);
            else if (kind === 'append')
              expect(db.get<{ value: string }>(move, { more: `+${n}`, key })?.value).toBe(
                mine[key] && `${mine[key]}+${n}`,
              );
            else if (kind === 'number') expect(nextNumber(db, key)).toBe((counts[key] ?? 0) + 1);
            else if (mine[key] !== undefined) expect(() => db.run(put, { key, value: 'refused' })).toThrow(/UNIQUE/);
            if (kind === 'set') mine[key] = `${n}`;
            else if (kind === 'append' && mine[key] !== undefined) mine[key] += `+${n}`;
            else if (kind === 'number') counts[key] = (counts[key] ?? 0) + 1;
          }
          if (fails) throw new Error('on purpose');
        });
        if (!fails) {
          Object.assign(model, mine);
          Object.assign(drawn, counts);
        }
        return ended.then(
          () => false,
          (error: Error) => error.message === 'on purpose' || Promise.reject(error),
        );
      });
      expect(await Promise.all(ends)).toEqual(shares.map(({ fails }) => fails));
      expect(values(db)).toEqual(model);
      expect(numbers(db)).toEqual(drawn);
    }),
    { numRuns: runsOf(200) },
  );
});

it('a group keeps what an error says shall last, though its share is undone', async () => {
  const db = open();
  const first = db.group(() => writeMeta(db, 'one', 'stays'));
  const second = db.group(() => {
    writeMeta(db, 'two', 'goes');
    throw new ApiError('CONFLICT', { lasting: () => writeMeta(db, 'lasting', 'stays') });
  });
  const third = db.group(() => writeMeta(db, 'three', 'stays'));
  await Promise.allSettled([first, second, third]);
  expect(values(db)).toEqual({ one: 'stays', lasting: 'stays', three: 'stays' });
});

it('a group fails for all when the transaction is lost, and begins anew', async () => {
  const db = open();
  const first = db.group(() => writeMeta(db, 'one', 'lost'));
  const second = db.group(() => {
    // SQLite does so by itself when a disk is full.
    db.run('ROLLBACK');
    throw new Error('disk full');
  });
  const third = db.group(() => writeMeta(db, 'three', 'stays'));
  const [one, two, three] = await Promise.allSettled([first, second, third]);
  expect([one.status, two.status, three.status]).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(values(db)).toEqual({ three: 'stays' });
});

it('a group reports success to nobody before it is committed', async () => {
  const db = open();
  let told = false;
  const done = db
    .group(() => writeMeta(db, 'key', 'value'))
    .then(() => {
      told = true;
    });
  await Promise.resolve();
  expect(told).toBe(false);
  // Whoever wants a transaction of his own has what is under way committed first.
  db.transaction(() => expect(readMeta(db, 'key')).toBe('value'));
  await done;
  expect(told).toBe(true);
});

it('a group goes on counting where a transaction of its own has counted, and goes back where it failed', async () => {
  const db = open();
  await db.group(() => nextNumber(db, 'n'));
  db.transaction(() => expect(nextNumber(db, 'n')).toBe(2));
  expect(() =>
    db.transaction(() => {
      expect(nextNumber(db, 'n')).toBe(3);
      throw new Error('on purpose');
    }),
  ).toThrow('on purpose');
  await db.group(() => expect(nextNumber(db, 'n')).toBe(3));
});

it('a group draws from one series within and beside a part', async () => {
  const db = open();
  const group = db.group(() => expect(nextNumber(db, 'n')).toBe(1));
  expect(nextNumber(db, 'n')).toBe(2);
  await group;
  expect(nextNumber(db, 'n')).toBe(3);
  expect(numbers(db)).toEqual({ n: 3 });
});

it('a write outside a transaction is stored at once, though a group is open', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'cloudemu-test-')), 'world.db');
  const db = openDb(file);
  opened.push(db);
  const other = openSqlite(file);
  try {
    const refused = db.group(() => {
      throw new ApiError('NOT_FOUND');
    });
    const shared = db.group(() => writeMeta(db, 'shared', 'yes'));
    writeMeta(db, 'own', 'yes');
    const seen = other.prepare("SELECT key FROM meta WHERE key IN ('own', 'shared') ORDER BY key").pluck().all();
    expect(seen).toEqual(['own', 'shared']);
    await expect(refused).rejects.toThrow();
    await shared;
  } finally {
    other.close();
  }
});
