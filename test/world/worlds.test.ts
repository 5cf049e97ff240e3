// The collection of worlds at its end.

import { expect, it } from 'vitest';
import type { StoredWorlds } from '../../src/world/stored.js';
import type { World } from '../../src/world/world.js';
import { Worlds } from '../../src/world/worlds.js';

it('of many worlds that were opened at once, a few are closed in each turn, until no more are open than may be', async () => {
  const closed: string[] = [];
  const stored: Partial<StoredWorlds> = {
    index: { get: () => ({ ttl: 1_000 }) } as never,
    open: (id) => ({ id, isBusy: () => false }) as never,
    closesSoon: () => true,
    close: ({ id }: World) => void closed.push(id),
  };
  const worlds = new Worlds({
    openDefault: () => expect.unreachable(),
    stored: stored as StoredWorlds,
    mostOpen: 10,
  });
  const ids = Array.from({ length: 110 }, (_, n) => `w${n}`);
  for (const id of ids) worlds.find(id);
  const inTurns: number[] = [];
  while (worlds.opened().length > 10) {
    const before = closed.length;
    await new Promise((resolve) => setTimeout(resolve, 0));
    inTurns.push(closed.length - before);
  }
  expect(Math.max(...inTurns)).toBeLessThanOrEqual(20);
  expect(closed).toEqual(ids.slice(0, 100));
});
