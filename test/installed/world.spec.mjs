// The Vitest entry of the package: a world for a test.

import { expect, test } from 'cloudemu/vitest';

test('has a world of its own', async ({ world }) => {
  const answer = await world.fetch('/api/v1/containers', { headers: { authorization: `Bearer ${world.apiKey}` } });
  expect((await answer.json()).data).toEqual([]);
  await world.controls.clock.freeze();
  expect((await world.controls.clock.get()).frozen).toBe(true);
});
