// Pieces at their instants, with a world's clock: each once, in order, and nobody left sleeping or listening.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { configSchema } from '../../../src/config/schema.js';
import type { Caller } from '../../../src/http/endpoint.js';
import { createOrganization } from '../../../src/platform/accounts/create-organization.js';
import { credit } from '../../../src/platform/credits/ledger.js';
import { openBill } from '../../../src/platform/models/charges.js';
import { unknownModel } from '../../../src/platform/models/models.js';
import { type End, type Pace, play } from '../../../src/platform/models/pacing.js';
import { closing, replaced } from '../../../src/world/topics.js';
import { openWorld, type World } from '../../../src/world/world.js';

const virtual: Pace = { clock: 'virtual', first: 1_000, each: 100 };

let world: World;
let listening = 0;
beforeEach(() => {
  const config = configSchema.parse({ seed: 'pace', clock: { start: '2026-01-01T00:00:00Z', frozen: true } });
  world = openWorld({ id: 'default', config, file: ':memory:', effects: {} });
  listening = 0;
  const on = world.bus.on.bind(world.bus);
  world.bus.on = (topic, listener) => {
    const stop = on(topic, listener);
    listening++;
    return () => {
      listening--;
      stop();
    };
  };
});
afterEach(() => world.close());

interface Played {
  reached: number[];
  ends: End[];
  leave: () => void;
}

function start(pace: Pace, count: number): Played {
  const played: Played = { reached: [], ends: [], leave: () => {} };
  played.leave = play(world, pace, count, {
    reach(from, to) {
      for (let piece = from; piece < to; piece++) played.reached.push(piece);
    },
    over(end, reached) {
      expect(reached).toBe(played.reached.length);
      played.ends.push(end);
    },
  });
  return played;
}

const advance = (ms: number): Promise<void> => world.clock.advanceTo(world.clock.now() + ms);

it('pacing brings each piece once, however time moves', async () => {
  const played = start(virtual, 5);
  await advance(999);
  expect(played.reached).toEqual([]);
  await advance(1);
  expect(played.reached).toEqual([0]);
  await advance(250);
  expect(played.reached).toEqual([0, 1, 2]);
  await advance(10_000);
  expect(played).toMatchObject({ reached: [0, 1, 2, 3, 4], ends: ['done'] });
  expect([world.clock.sleeping(), listening]).toEqual([0, 0]);
});

it('pacing ends once each of a hundred runs, whoever ends them', async () => {
  const all = Array.from({ length: 100 }, () => start(virtual, 5));
  const stalled = start({ ...virtual, first: 0, stallAfter: 2 }, 5);
  await Promise.resolve();
  expect(world.clock.sleeping()).toBe(101);
  for (const played of all.slice(0, 30)) played.leave();
  await advance(1_100);
  expect(world.clock.sleeping()).toBe(70);
  expect(stalled).toMatchObject({ reached: [0, 1], ends: [] });
  for (const played of all.slice(30, 60)) played.leave();
  world.bus.emit(closing);
  await Promise.resolve();
  for (const played of all) played.leave();
  await advance(10_000);
  const ends = all.map((played) => played.ends.join());
  expect(ends).toEqual([...Array(60).fill('gone'), ...Array(40).fill('closing')]);
  expect(stalled.ends).toEqual(['closing']);
  expect([world.clock.sleeping(), listening]).toEqual([0, 0]);
});

it('pacing ends when other data come', async () => {
  const played = start(virtual, 5);
  world.bus.emit(replaced);
  await Promise.resolve();
  expect(played.ends).toEqual(['replaced']);
  expect([world.clock.sleeping(), listening]).toEqual([0, 0]);
});

// A request in a file waits for its commit: meanwhile the world may have been deleted or moved.
it('pacing ends at once in a world that has ended, without a charge', () => {
  const { organization } = createOrganization(world, { name: 'Shop', owner: { name: 'Ada' }, at: 0 });
  credit(world, organization.id, 100, { type: 'seed', reason: '', priceRule: '', operation: '', requestId: '', at: 0 });
  const caller = { organizationId: organization.id } as Caller;
  const asking = { world, caller, operation: 'chat.completions', requestId: 'req_1', now: 0 };
  const bill = openBill(asking, unknownModel(world, 'plain'), { amount: 50, rule: '' }, 'Chat completion');
  world.endStreams();
  world.close();
  for (const count of [0, 5]) {
    const ends: End[] = [];
    play(world, { ...virtual, first: 0 }, count, {
      reach: () => expect.unreachable(),
      over(end, reached) {
        bill.settle({ input: 1, output: reached });
        ends.push(end);
      },
    })();
    expect(ends).toEqual(['closing']);
  }
});

it('pacing of nothing waits, too', async () => {
  const played = start(virtual, 0);
  await advance(999);
  expect(played.ends).toEqual([]);
  await advance(1);
  expect(played.ends).toEqual(['done']);
});

it('pacing does not sleep past what became due while the last pieces were written', async () => {
  let written = (): void => {};
  const reached: number[] = [];
  const over: End[] = [];
  play(world, { clock: 'virtual', first: 0, each: 100 }, 3, {
    reach(_from, to) {
      reached.push(to);
      return new Promise((resolve) => (written = resolve));
    },
    over: (end) => void over.push(end),
  });
  expect(reached).toEqual([1]);
  await advance(150);
  written();
  await Promise.resolve();
  await Promise.resolve();
  expect(reached).toEqual([1, 2]);
  const moved = advance(1_000);
  written();
  await moved;
  for (let i = 0; i < 10; i++) await Promise.resolve();
  written();
  for (let i = 0; i < 10; i++) await Promise.resolve();
  expect([reached, over]).toEqual([[1, 2, 3], ['done']]);
});
