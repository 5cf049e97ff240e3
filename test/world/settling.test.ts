// Effects that are due after a long time are applied in parts: in order, once, and by the next process where one is killed.

import { expect, it } from 'vitest';
import { configSchema } from '../../src/config/schema.js';
import { nextTurn } from '../../src/core/clock.js';
import { readMeta, writeMeta } from '../../src/db/meta.js';
import { openWorld, type World } from '../../src/world/world.js';
import { tempDir } from '../support/command.js';

const count = 200;
const all = Array.from({ length: count }, (_, n) => n);
const applied = (world: World): number[] => JSON.parse(readMeta(world.db, 'applied') ?? '[]');

/** A world in which each effect is written down. */
function open(file: string): World {
  const config = configSchema.parse({ clock: { start: '2026-01-01T00:00:00Z', frozen: true } });
  const note = (world: World, { subject }: { subject: string }): void => {
    writeMeta(world.db, 'applied', JSON.stringify([...applied(world), Number(subject)]));
  };
  return openWorld({ id: 'w', config, file, effects: { note } });
}

function scheduleAll(world: World): number {
  const begin = world.clock.now();
  world.db.transaction(() => {
    for (const n of all) world.schedule('note', String(n), begin + n);
  });
  return begin + count;
}

it('settling gives others their turns during a jump, and wakes what waits once all is applied', async () => {
  const world = open(':memory:');
  const end = scheduleAll(world);
  let seen: number[] = [];
  world.clock.sleepUntil(end, () => {
    seen = applied(world);
  });
  let isOver = false;
  const jump = world.clock.advanceTo(end).then(() => {
    isOver = true;
  });
  const between: number[] = [];
  while (!isOver) {
    await nextTurn();
    between.push(applied(world).length);
  }
  await jump;
  expect(seen).toEqual(all);
  expect(between.length).toBeGreaterThanOrEqual(count / 20 - 1);
  expect(between.every((now, index) => now - (between[index - 1] ?? 0) <= 40)).toBe(true);
  world.close();
});

it('settling has applied the first effects where it ends halfway, and the rest where the world is opened again', async () => {
  const file = `${tempDir()}/world.db`;
  const world = open(file);
  const end = scheduleAll(world);
  void world.clock.advanceTo(end);
  await nextTurn();
  await nextTurn();
  const half = applied(world);
  world.close();
  await nextTurn();
  expect(half).toEqual(all.slice(0, half.length));
  expect([half.length > 0, half.length < count]).toEqual([true, true]);

  const again = open(file);
  expect(again.clock.now()).toBe(end);
  expect(applied(again)).toEqual(half);
  await again.settleInParts(again.clock.now());
  expect(applied(again)).toEqual(all);
  again.close();
});

it('settling applies nothing to data that have taken the place of others meanwhile', async () => {
  const world = open(':memory:');
  const image = world.image();
  const end = scheduleAll(world);
  const waiting = world.settleInParts(end);
  world.restore(image, 'before');
  scheduleAll(world);
  await waiting;
  expect(applied(world)).toEqual([]);
  world.close();
});
