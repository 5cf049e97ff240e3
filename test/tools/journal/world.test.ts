// Numbers of requests in worlds that are made beside each other: the same seed gives the same ids, from the first on.

import { expect, it } from 'vitest';
import { startWorld } from '../../support/emulator.js';

it('every world’s journal begins with the first id of its seed', async () => {
  const world = await startWorld();
  const ids: (string | null)[] = [];
  for (const id of ['a', 'b']) {
    const { baseUrl } = await world.controls.worlds.create({ id, seed: 'same', clock: { frozen: true } });
    for (let i = 0; i < 2; i++) ids.push((await fetch(`${baseUrl}/api/health`)).headers.get('x-request-id'));
  }
  expect(ids.slice(2)).toEqual(ids.slice(0, 2));
  const alone = await startWorld({ seed: 'same' });
  expect((await alone.fetch('/api/health')).headers.get('x-request-id')).toBe(ids[0]);
});
