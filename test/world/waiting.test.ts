// Waiting in a world leaves nothing behind, however it ends, and looks only when there is something to see.

import { afterEach, describe, expect, it } from 'vitest';
import { configSchema } from '../../src/config/schema.js';
import { type Look, type Subject, waitFor } from '../../src/world/waiting.js';
import { openWorld, type World } from '../../src/world/world.js';

let world: World;
afterEach(() => world.close());

/** A world whose clock stands at 0, and how many listeners its bus has. */
function quietWorld(): () => number {
  const config = configSchema.parse({ seed: 'waiting', clock: { start: '1970-01-01T00:00:00Z', frozen: true } });
  world = openWorld({ id: 'default', config, file: ':memory:', effects: {} });
  let listening = 0;
  const on = world.bus.on.bind(world.bus);
  world.bus.on = (topic, listener) => {
    listening++;
    const off = on(topic, listener);
    return () => {
      listening--;
      off();
    };
  };
  return () => listening;
}

/** Holds from an instant on, on the way to which there are others at which time changes something. */
function atInstant(instant: number, stops: number[] = [], looks: number[] = []): Subject {
  return {
    topics: ['subject', 'other'],
    look(): Look {
      const now = world.clock.now();
      looks.push(now);
      if (now >= instant) return { holds: { now } };
      return { yet: 'not yet', state: { now }, nextAt: [...stops, instant].find((stop) => stop > now) ?? null };
    },
  };
}

const never: Subject = { topics: ['subject'], look: () => ({ never: 'never ever', state: { seen: true } }) };
const broken: Subject = {
  topics: ['subject'],
  look: () => {
    throw new Error('broken');
  },
};
const waiting = { timeout: 60_000, advance: false, signal: undefined };

describe('nothing is left behind', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['what holds at once', () => waitFor(world, atInstant(0), waiting)],
    ['what never holds', () => waitFor(world, never, waiting)],
    ['what breaks', () => waitFor(world, broken, waiting)],
    ['a timeout', () => waitFor(world, atInstant(1_000), { ...waiting, timeout: 5 })],
    ['a jump', () => waitFor(world, atInstant(1_000, [10, 500]), { ...waiting, advance: true })],
    ['a signal', () => waitFor(world, atInstant(1_000), { ...waiting, signal: AbortSignal.timeout(5) })],
    ['a signal of before', () => waitFor(world, atInstant(1_000), { ...waiting, signal: AbortSignal.abort() })],
    [
      'somebody who advances',
      () => {
        const waited = waitFor(world, atInstant(1_000, [10]), waiting);
        expect(world.clock.sleeping()).toBe(1);
        return world.clock.advanceTo(1_000).then(() => waited);
      },
    ],
    [
      'the world’s end',
      () => {
        const waited = waitFor(world, atInstant(1_000), waiting);
        world.endStreams();
        return waited;
      },
    ],
  ])('after %s', async (_, act) => {
    const listening = quietWorld();
    await Promise.resolve()
      .then(act)
      .catch(() => {});
    expect([world.clock.sleeping(), listening()]).toEqual([0, 0]);
  });
});

it('waiting checks when time or the bus says so, and at no other time', async () => {
  quietWorld();
  const looks: number[] = [];
  const waited = waitFor(world, atInstant(1_000, [10, 500], looks), waiting);
  await world.clock.advanceTo(9);
  expect(looks).toEqual([0]);
  await world.clock.advanceTo(10);
  expect(looks).toEqual([0, 10]);
  world.bus.emit('subject');
  world.bus.emit('nothing of ours');
  await new Promise(setImmediate);
  expect(looks).toEqual([0, 10, 10]);
  await world.clock.advanceTo(2_000);
  expect(await waited).toEqual({ now: 2_000 });
  expect(looks).toEqual([0, 10, 10, 2_000]);
});

it('waiting jumps to each instant, once, and stops where the condition holds', async () => {
  quietWorld();
  const looks: number[] = [];
  const jumped = waitFor(world, atInstant(1_000, [10, 500], looks), { ...waiting, advance: true });
  expect(await jumped).toEqual({ now: 1_000 });
  expect([...new Set(looks)]).toEqual([0, 10, 500, 1_000]);
  expect(world.clock.now()).toBe(1_000);
});

it('waiting does not jump beyond the year 9999', async () => {
  quietWorld();
  const far = waitFor(world, atInstant(Date.UTC(10_001, 0)), { ...waiting, advance: true, timeout: 5 });
  await expect(far).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  expect(world.clock.now()).toBe(0);
});

it('waiting that fails reports what was seen last', async () => {
  quietWorld();
  await expect(waitFor(world, never, waiting)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: 'never ever',
    options: { details: { seen: true } },
  });
  const late = waitFor(world, atInstant(1_000, [10]), { ...waiting, timeout: 30 });
  const told = expect(late).rejects.toMatchObject({
    code: 'REQUEST_TIMEOUT',
    message: 'After 30ms, not yet. The clock is frozen: pass `advance`, or advance it',
    options: { details: { now: 10 } },
  });
  await world.clock.advanceTo(10);
  await told;
});

it('waiting fails when a jump does', async () => {
  quietWorld();
  world.clock.advanceTo = () => Promise.reject(new Error('no way'));
  await expect(waitFor(world, atInstant(10), { ...waiting, advance: true })).rejects.toThrow('no way');
});
