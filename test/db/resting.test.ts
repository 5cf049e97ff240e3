// Databases in memory rest: their connections are closed and opened again, and nobody can tell.

import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Db, openDb } from '../../src/db/db.js';
import { readMeta, writeMeta } from '../../src/db/meta.js';
import { nextNumber } from '../../src/db/numbers.js';
import { createAwake, type Sleeper } from '../../src/db/resting.js';
import { putBack, takeImage } from '../../src/db/snapshot.js';
import { createEmulator } from '../../src/index.js';

function openSleeper(): { db: Db; sleeper: Sleeper; awake: Set<Sleeper> } {
  const awake = new Set<Sleeper>();
  const db = openDb(':memory:', {
    awake: {
      add: (sleeper) => void awake.add(sleeper),
      used: () => {},
      remove: (sleeper) => void awake.delete(sleeper),
    },
  });
  const [sleeper] = awake;
  if (sleeper === undefined) throw new Error('it is not awake');
  const rest = (): boolean => sleeper.rest() && awake.delete(sleeper);
  return { db, sleeper: { rest }, awake };
}

it('a resting database holds what it held, and wakes on first use', async () => {
  const { db, sleeper, awake } = openSleeper();
  db.transaction(() => writeMeta(db, 'a', 'one'));
  expect(nextNumber(db, 'series')).toBe(1);
  expect(sleeper.rest()).toBe(true);
  expect(awake.size).toBe(0);
  expect(readMeta(db, 'a')).toBe('one');
  expect(awake.size).toBe(1);

  sleeper.rest();
  await db.group(() => writeMeta(db, 'a', 'two'));
  sleeper.rest();
  expect(() =>
    db.transaction(() => {
      writeMeta(db, 'a', 'three');
      throw new Error('undone');
    }),
  ).toThrow('undone');
  expect(readMeta(db, 'a')).toBe('two');
  expect(nextNumber(db, 'series')).toBe(2);
  sleeper.rest();
  const orphan =
    "INSERT INTO deployments (container_seq, number, id, kind, spec, plan, cost) VALUES (7, 1, 'd', '', '', '', 0)";
  expect(() => db.run(orphan)).toThrow(/constraint/i);
  db.close();
  expect(awake.size).toBe(0);
});

it('a database does not rest within a transaction, a group, or while somebody watches its rows', async () => {
  const { db, sleeper } = openSleeper();
  expect(db.transaction(() => sleeper.rest())).toBe(false);
  const group = db.group(() => writeMeta(db, 'a', 'one'));
  expect(sleeper.rest()).toBe(false);
  await group;
  const stop = db.recorder.watch();
  expect(sleeper.rest()).toBe(false);
  stop();
  expect(sleeper.rest()).toBe(true);
  // Whoever begins to watch wakes it.
  const stopAgain = db.recorder.watch();
  const changes = db.recorder.begin();
  await db.group(() => db.run("INSERT INTO limits (kind, name, size) VALUES ('feature', 'agents', 1)"), changes);
  expect(changes).toMatchObject([{ table: 'limits', added: 1 }]);
  stopAgain();
  db.close();
});

it('a database keeps its connection where it holds more than others should wait for, and is not asked again', () => {
  const { db, sleeper, awake } = openSleeper();
  db.transaction(() => writeMeta(db, 'a', 'x'.repeat(1_000_000)));
  const connection = db.exclusive((present) => present);
  expect(sleeper.rest()).toBe(true);
  expect(awake.size).toBe(0);
  expect(db.exclusive((present) => present)).toBe(connection);
  db.close();
});

it('a database does not rest where others have closed meanwhile', async () => {
  const awake = createAwake(3);
  let rests = 0;
  const sleepers = Array.from({ length: 5 }, () => ({ rest: () => ++rests > 0 }));
  for (const sleeper of sleepers) awake.add(sleeper);
  for (const sleeper of sleepers.slice(0, 3)) awake.remove(sleeper);
  await wait(1);
  expect(rests).toBe(0);
});

it('a resting database takes and puts back images', () => {
  const { db, sleeper } = openSleeper();
  writeMeta(db, 'a', 'one');
  sleeper.rest();
  const image = takeImage(db);
  writeMeta(db, 'a', 'two');
  sleeper.rest();
  putBack(db, image, () => {});
  sleeper.rest();
  expect(readMeta(db, 'a')).toBe('one');
  sleeper.rest();
  db.close();
});

it('databases rest that were used longest ago', async () => {
  const awake = createAwake(2);
  const rested: number[] = [];
  const sleepers = [0, 1, 2, 3].map((n): Sleeper => ({ rest: () => rested.push(n) > 0 }));
  for (const sleeper of sleepers) awake.add(sleeper);
  for (const n of [0, 2]) awake.used(sleepers[n] as Sleeper);
  await expect.poll(() => rested).toEqual([1, 3]);
  // One that rests already stays as it is.
  awake.used(sleepers[1] as Sleeper);
  awake.add({ rest: () => rested.push(4) > 0 });
  await expect.poll(() => rested).toEqual([1, 3, 0]);
});

it('a resting database writes first what would wake it, stays awake where that fails, and is closed without waking', async () => {
  const { db, sleeper, awake } = openSleeper();
  let toWrite: string | undefined = 'late';
  db.onRest(() => {
    if (toWrite !== undefined) db.transaction(() => writeMeta(db, 'a', toWrite ?? ''));
    toWrite = undefined;
  });
  sleeper.rest();
  expect([toWrite, awake.size, readMeta(db, 'a')]).toEqual([undefined, 0, 'late']);
  sleeper.rest();
  const woken = vi.spyOn(awake, 'add');
  db.close();
  expect(woken).not.toHaveBeenCalled();

  const limited = createAwake(1);
  const fail = (): never => {
    throw new Error('on purpose');
  };
  const rested: number[] = [];
  limited.add({ rest: fail });
  for (const n of [1, 2]) limited.add({ rest: () => rested.push(n) > 0 });
  await expect.poll(() => rested).toEqual([1, 2]);
});

it('databases rest that were opened longest ago, and those in use are passed over', async () => {
  const awake = createAwake(2);
  const rested: number[] = [];
  for (let n = 0; n < 50; n++) awake.add({ rest: () => n % 10 !== 0 && rested.push(n) > 0 });
  await expect.poll(() => rested.length).toBe(45);
  expect(rested).toEqual([...Array(50).keys()].filter((n) => n % 10 !== 0));
  expect(await wait(20, rested.length)).toBe(45);
});

it('worlds of which one is open at a time answer as those that stay open', async () => {
  const [few, all] = [await answersOf(1), await answersOf(200)];
  expect(few).toEqual(all);
});

async function answersOf(open: number): Promise<unknown[]> {
  const emulator = await createEmulator({
    seed: 'resting',
    clock: { start: '2026-01-01T00:00:00Z', frozen: true },
    worlds: { open },
  });
  onTestFinished(() => emulator.close());
  const worlds = await Promise.all(['a', 'b', 'c'].map((id) => emulator.createWorld({ id, seed: id })));
  const answers: unknown[] = [];
  for (let round = 0; round < 4; round++)
    for (const world of worlds) {
      const headers = { authorization: `Bearer ${world.apiKey}` };
      const body = JSON.stringify({ name: `n${round}`, project_name: `p${round}`, ecr_image_uri: 'registry/app:v1' });
      const made = await world.fetch('/api/v1/containers', { method: 'POST', headers, body });
      if (round === 1) world.controls.snapshots.take({ name: 'one' });
      if (round === 3) await world.controls.snapshots.restore('one');
      // Others rest a turn later.
      await wait(3);
      const listed = await world.fetch('/api/v1/containers', { headers });
      const { requests } = world.controls.requests.list();
      answers.push(
        await made.json(),
        await listed.json(),
        requests.map(({ requestId, status }) => [requestId, status]),
      );
      await wait(3);
    }
  return answers;
}
