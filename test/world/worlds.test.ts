// The collection of worlds at its end.

import { expect, it } from 'vitest';
import type { World } from '../../src/world/world.js';
import { createWorlds, type StoredWorlds } from '../../src/world/worlds.js';

/** Two open worlds, and what happens to them. */
function openWorlds() {
  const done: string[] = [];
  const stored: Partial<StoredWorlds> = {
    outlive: true,
    has: () => true,
    ttlOf: () => 1_000,
    open: (id) => ({ id, endStreams: () => {}, isBusy: () => false, close: () => done.push(`${id} alone`) }) as never,
    close: ({ id }: World) => void done.push(id),
    remove: (id) => () => void done.push(`files of ${id}`),
    finish: () => void done.push('list'),
  };
  const worlds = createWorlds({ openDefault: () => expect.unreachable(), stored: stored as StoredWorlds });
  worlds.find('blue');
  worlds.find('red');
  return { worlds, done };
}

it('closing the worlds closes once one that is being held, before it ends itself: what that world writes behind is not lost', async () => {
  const { worlds, done } = openWorlds();
  const holding = worlds.hold('blue');
  worlds.close();
  expect(done).toEqual(['red', 'blue', 'list']);
  await holding;
  expect(done).toEqual(['red', 'blue', 'list']);
});

it('a world that was dropped while it was being closed is not listed again', async () => {
  const { worlds, done } = openWorlds();
  const holding = worlds.hold('blue');
  worlds.drop('blue');
  worlds.close();
  await holding;
  expect(done).toEqual(['red', 'blue alone', 'list', 'files of blue']);
});
