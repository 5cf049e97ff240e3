// Counts: a flush stores all of them, a kill loses those since, and no number is given twice, whatever happens in between.

import { copyFileSync, existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Db, openDb } from '../../src/db/db.js';
import { openSqlite } from '../../src/db/sqlite.js';
import { Usage } from '../../src/db/usage.js';
import { runsOf } from '../support/campaign.js';
import { tempDir } from '../support/command.js';
import { call, startEmulator } from '../support/emulator.js';

interface World {
  dir: string;
  db: Db;
  usage: Usage;
}

function open(dir: string): World {
  const db = openDb(join(dir, 'world.db'));
  db.run(
    `INSERT OR IGNORE INTO organizations (id, name, slug, plan, balance, created_at) VALUES ('o', 'o', 'o', 'free', 0, 0)`,
  );
  for (const [seq, id] of ['a', 'b'].entries())
    db.run(
      `INSERT OR IGNORE INTO api_keys (id, seq, organization_id, user_id, name, environment, hash, prefix, rate_limit,
        is_active, usage_count, created_at, updated_at)
        VALUES (@id, @seq, 'o', 'u', 'k', 'test', @id, '', 1, 1, 0, 0, 0)`,
      { id, seq },
    );
  return { dir, db, usage: new Usage(db) };
}

// A kill does so: nothing is flushed, and files are as they were written.
function killed({ dir, db }: World): World {
  const elsewhere = tempDir();
  for (const name of ['world.db', 'world.db-wal']) copyFileSync(join(dir, name), join(elsewhere, name));
  db.close();
  return open(elsewhere);
}

function closedAndOpened({ dir, db, usage }: World): World {
  usage.end();
  usage.flush();
  db.close();
  return open(dir);
}

const hour = 3_600_000;
const all = ({ db, usage }: World) => {
  usage.flush();
  const windows = usage.present(0).map(({ caller, bucket, count, fullUntil }) => [caller, bucket, count, fullUntil]);
  const keys = db.all<{ id: string; usage_count: number }>('SELECT id, usage_count FROM api_keys ORDER BY id');
  return { windows, keys: keys.map(({ usage_count }) => usage_count) };
};

function request({ usage }: World, key: string): number {
  const number = usage.nextRequest();
  usage.count(usage.window(`key:${key}`, 'all', hour, 0));
  usage.keyUsed(key, 0);
  return number;
}

const step = fc.constantFrom('a', 'b', 'flush', 'fill', 'clear', 'kill', 'close');

it('the counts after a kill are those of the last flush, and numbers only grow, after any steps', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let world = open(tempDir());
      let last = 0;
      // The counts that an undisturbed world would have, and those that are stored.
      let now = { a: 0, b: 0, uses: { a: 0, b: 0 }, filled: false };
      let stored = structuredClone(now);
      for (const what of [...steps, 'kill']) {
        if (what === 'a' || what === 'b') {
          const number = request(world, what);
          expect(number).toBeGreaterThan(last);
          last = number;
          now.uses[what]++;
          now[what]++;
          continue;
        }
        if (what === 'flush') world.usage.flush();
        else if (what === 'fill') {
          world.usage.undoable(() => world.usage.fill('key:a', { name: 'all', size: 7, length: hour }, hour, 0));
          Object.assign(now, { a: 7, filled: true });
        } else if (what === 'clear') {
          world.usage.clear(() => {});
          Object.assign(now, { a: 0, b: 0, filled: false });
        } else if (what === 'close') {
          world = closedAndOpened(world);
          expect(world.usage.requests()).toBe(last);
        } else {
          world = killed(world);
          now = structuredClone(stored);
          expect(world.usage.requests()).toBeGreaterThanOrEqual(last);
          last = world.usage.requests();
          continue;
        }
        stored = structuredClone(now);
      }
      const windows = [
        ...(now.a > 0 ? [['key:a', 'all', now.a, now.filled ? hour : null]] : []),
        ...(now.b > 0 ? [['key:b', 'all', now.b, null]] : []),
      ];
      expect(all(world)).toEqual({ windows, keys: [now.uses.a, now.uses.b] });
      world.db.close();
    }),
    { numRuns: runsOf(25) },
  );
});

it('the counts are kept when a flush fails', () => {
  const world = open(tempDir());
  request(world, 'a');
  expect(() =>
    world.usage.flush(() => {
      throw new Error('on purpose');
    }),
  ).toThrow('on purpose');
  request(world, 'b');
  world.usage.flush();
  expect(all(killed(world))).toEqual({
    windows: [
      ['key:a', 'all', 1, null],
      ['key:b', 'all', 1, null],
    ],
    keys: [1, 1],
  });
});

it('the counts give no number beyond the last one of which ids are made', () => {
  const { db, usage } = open(tempDir());
  usage.flush();
  db.run("UPDATE meta SET value = json_set(value, '$.requests', @last) WHERE key = 'counts'", { last: 2 ** 32 - 2 });
  const again = new Usage(db);
  expect(again.nextRequest()).toBe(2 ** 32 - 1);
  expect(() => again.nextRequest()).toThrow(/numbers of requests .* have come to their end/);
});

it('a file of counts that a killed process of an earlier version has left is passed over and removed', async () => {
  const dataDir = tempDir();
  const first = await startEmulator({ dataDir });
  const { headers } = await call(first, 'GET', '/api/v1/containers');
  await first.close();
  writeFileSync(join(dataDir, 'world.db-counts'), '[1,5,[],[],1]\n');
  const second = await startEmulator({ dataDir });
  const other = await call(second, 'GET', '/api/v1/containers');
  expect(other.status).toBe(200);
  expect(other.headers.get('x-request-id')).not.toBe(headers.get('x-request-id'));
  expect(existsSync(join(dataDir, 'world.db-counts'))).toBe(false);
});

// Only some systems show a process what it has open.
describe.skipIf(!existsSync('/proc/self/fd'))('what cannot be opened leaves no file open', () => {
  const openOf = (path: string): number =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path);
      } catch {
        return false;
      }
    }).length;

  it('where the database lacks a table', async () => {
    const dataDir = tempDir();
    await (await startEmulator({ dataDir })).close();
    openSqlite(join(dataDir, 'world.db')).exec('DROP TABLE effects').close();
    for (let n = 0; n < 5; n++)
      await expect(startEmulator({ dataDir })).rejects.toThrow('its table effects is missing');
    expect(openOf(dataDir)).toBe(0);
  });
});
