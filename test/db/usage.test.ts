// Counts: what was persisted stands after the process was killed, exactly, whenever that was; and nothing else.

import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextTurn } from '../../src/core/clock.js';
import { type Db, openDb } from '../../src/db/db.js';
import { openSqlite } from '../../src/db/sqlite.js';
import { createUsage, type Usage } from '../../src/db/usage.js';
import { runsOf } from '../support/campaign.js';
import { tempDir } from '../support/command.js';
import { startEmulator } from '../support/emulator.js';

interface World {
  db: Db;
  usage: Usage;
  counts: string;
}

function open(dir: string): World {
  const db = openDb(join(dir, 'world.db'));
  const counts = join(dir, 'world.db-counts');
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
  return { db, usage: createUsage(db, counts), counts };
}

// A kill does so: nothing is flushed, and files are as they were written.
function killed(dir: string, { db, usage }: World): World {
  const elsewhere = tempDir();
  for (const name of ['world.db', 'world.db-wal', 'world.db-counts'])
    copyFileSync(join(dir, name), join(elsewhere, name));
  usage.close();
  db.close();
  return open(elsewhere);
}

const hour = 3_600_000;
const all = ({ db, usage }: World) => {
  usage.flush();
  const windows = usage.present(0).map(({ caller, bucket, count, fullUntil }) => [caller, bucket, count, fullUntil]);
  const keys = db.all<{ id: string; usage_count: number }>('SELECT id, usage_count FROM api_keys ORDER BY id');
  return { requests: usage.requests(), windows, keys: keys.map(({ usage_count }) => usage_count) };
};

function request({ usage }: World, key: string): void {
  usage.nextRequest();
  usage.count(usage.window(`key:${key}`, 'all', hour, 0));
  usage.keyUsed(key, 0);
}

const step = fc.constantFrom('a', 'b', 'persist', 'flush', 'fill', 'clear', 'kill');

it('the counts file is written in a turn without requests, or after fifty of them at most', async () => {
  const world = open(tempDir());
  let stored = 0;
  const perTurn: number[] = [];
  for (let turn = 0; turn < 60; turn++) {
    world.usage.nextRequest();
    void world.usage.persistTogether()?.then(() => stored++);
    await nextTurn();
    perTurn.push(stored);
  }
  const together = perTurn.find((count) => count > 0);
  expect(together).toBeGreaterThanOrEqual(50);
  expect(together).toBeLessThanOrEqual(51);
  expect(stored).toBe(together);
  for (let turn = 0; turn < 2; turn++) await nextTurn();
  expect(stored).toBe(60);
  world.usage.close();
  world.db.close();
});

it('the counts after a kill are those that were persisted, after any steps', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let dir = tempDir();
      let world = open(dir);
      // The counts that an undisturbed world in memory would have.
      const model = { requests: 0, a: 0, b: 0, uses: { a: 0, b: 0 }, filled: false };
      const kill = (): void => {
        world.usage.persist();
        const next = killed(dir, world);
        dir = next.counts.replace('/world.db-counts', '');
        world = next;
      };
      for (const what of steps) {
        if (what === 'a' || what === 'b') {
          request(world, what);
          model.requests++;
          model.uses[what]++;
          model[what]++;
        } else if (what === 'persist') world.usage.persist();
        else if (what === 'flush') world.usage.flush();
        else if (what === 'fill') {
          world.usage.fill('key:a', { name: 'all', size: 7, length: hour }, hour, 0);
          Object.assign(model, { a: 7, filled: true });
        } else if (what === 'clear') {
          world.usage.clear(() => {});
          Object.assign(model, { a: 0, b: 0, filled: false });
        } else kill();
      }
      kill();
      const windows = [
        ...(model.a > 0 ? [['key:a', 'all', model.a, model.filled ? hour : null]] : []),
        ...(model.b > 0 ? [['key:b', 'all', model.b, null]] : []),
      ];
      expect(all(world)).toEqual({ requests: model.requests, windows, keys: [model.uses.a, model.uses.b] });
      world.usage.close();
      world.db.close();
    }),
    { numRuns: runsOf(25) },
  );
});

it('the counts go on over more requests than the file holds', () => {
  const dir = tempDir();
  const world = open(dir);
  for (let i = 0; i < 5_000; i++) {
    request(world, 'a');
    world.usage.persist();
  }
  expect(readFileSync(world.counts)).toHaveLength(256 * 1_024);
  expect(all(killed(dir, world))).toEqual({
    requests: 5_000,
    windows: [['key:a', 'all', 5_000, null]],
    keys: [5_000, 0],
  });
});

it('the counts file leaves out a line that was cut off by the kill', () => {
  const dir = tempDir();
  const world = open(dir);
  // Lines of a former generation lie below, of the same lengths.
  for (const round of [0, 1]) {
    for (let i = 0; i < 3; i++) {
      request(world, 'a');
      world.usage.persist();
    }
    if (round === 0) world.usage.flush();
  }
  const bytes = readFileSync(world.counts);
  const older = Buffer.from(bytes);
  const starts = [0, ...[...bytes.keys()].filter((at) => bytes[at] === 10).map((at) => at + 1)];
  const [, , third = 0, end = 0] = starts;
  for (let cut = third; cut < end - 2; cut++) {
    // A cut-off write leaves its beginning, and behind it what was there before.
    older.copy(bytes);
    const former = older
      .toString('latin1', third, end)
      .replaceAll(/\d(?=\d{0,12}\D)/g, (digit) => `${(Number(digit) + 1) % 10}`);
    bytes.write(former, third, 'latin1');
    older.copy(bytes, third, third, cut);
    writeFileSync(world.counts, bytes);
    const elsewhere = tempDir();
    for (const name of ['world.db', 'world.db-wal', 'world.db-counts'])
      copyFileSync(join(dir, name), join(elsewhere, name));
    const again = open(elsewhere);
    expect(again.usage.requests()).toBe(5);
    again.usage.close();
    again.db.close();
  }
});

it('the counts begin at what the database holds when the file is gone, empty or of another world', () => {
  const dir = tempDir();
  const world = open(dir);
  request(world, 'a');
  world.usage.flush();
  request(world, 'a');
  world.usage.persist();
  const lines = readFileSync(world.counts);
  truncateSync(world.counts);
  const without = killed(dir, world);
  expect(without.usage.requests()).toBe(1);
  const other = tempDir();
  writeFileSync(join(other, 'world.db-counts'), lines);
  expect(all(open(other))).toEqual({ requests: 0, windows: [], keys: [0, 0] });
});

it('the counts are kept when a flush fails', () => {
  const dir = tempDir();
  const world = open(dir);
  request(world, 'a');
  world.usage.persist();
  expect(() =>
    world.usage.flush(() => {
      throw new Error('on purpose');
    }),
  ).toThrow('on purpose');
  request(world, 'b');
  world.usage.persist();
  expect(all(killed(dir, world))).toEqual({
    requests: 2,
    windows: [
      ['key:a', 'all', 1, null],
      ['key:b', 'all', 1, null],
    ],
    keys: [1, 1],
  });
});

it('the counts give no number beyond the last one of which ids are made', () => {
  const { db, usage } = open(tempDir());
  db.run("UPDATE meta SET value = json_set(value, '$.requests', @last) WHERE key = 'counts'", { last: 2 ** 32 - 2 });
  usage.forget();
  const again = createUsage(db, null);
  expect(again.nextRequest()).toBe(2 ** 32 - 1);
  expect(() => again.nextRequest()).toThrow(/numbers of requests .* have come to their end/);
});

it('the counts of a turn are stored in one line, before any response of it', async () => {
  const dir = tempDir();
  const world = open(dir);
  const linesOf = (): number => readFileSync(world.counts).filter((byte) => byte === 10).length;
  const seen: number[] = [];
  const answers = ['a', 'b', 'a'].map(async (key) => {
    request(world, key);
    await world.usage.persistTogether();
    seen.push(linesOf());
  });
  expect(linesOf()).toBe(0);
  await Promise.all(answers);
  expect(seen).toEqual([1, 1, 1]);
  expect(world.usage.persistTogether()).toBeUndefined();
  expect(all(killed(dir, world))).toEqual({
    requests: 3,
    windows: expect.arrayContaining([['key:a', 'all', 2, null]]),
    keys: [2, 1],
  });
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

  it('on a full disk', () => {
    const { db } = open(tempDir());
    const before = openOf('/dev/full');
    for (let n = 0; n < 5; n++) expect(() => createUsage(db, '/dev/full')).toThrow('has no space left');
    expect(openOf('/dev/full')).toBe(before);
  });

  it('where a line cannot be read', () => {
    const { db, usage, counts } = open(tempDir());
    usage.flush();
    const [row] = db.all<{ value: string }>("SELECT value FROM meta WHERE key = 'counts'");
    const { generation } = JSON.parse(row?.value ?? '');
    usage.close();
    const line = `[${generation},1,5,[],${generation}]\n`;
    writeFileSync(counts, line);
    for (let n = 0; n < 5; n++) expect(() => createUsage(db, counts)).toThrow();
    expect([openOf(counts), readFileSync(counts, 'utf8').slice(0, line.length)]).toEqual([0, line]);
  });

  it('where the database lacks a table', async () => {
    const dataDir = tempDir();
    await (await startEmulator({ dataDir })).close();
    openSqlite(join(dataDir, 'world.db')).exec('DROP TABLE effects').close();
    for (let n = 0; n < 5; n++)
      await expect(startEmulator({ dataDir })).rejects.toThrow('its table effects is missing');
    expect(openOf(dataDir)).toBe(0);
  });
});
