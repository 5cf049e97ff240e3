// The limit of an address: it counts the requests of all its keys together.

import { expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';
import { callWith } from '../../support/keys.js';

const path = '/api/v1/containers';

it('six hundred requests a minute of an address pass under the profile elizacloud, whichever key they carry', async () => {
  const world = await startWorld({ profile: 'elizacloud' });
  const { apiKey: key } = world.controls.keys.create({ name: 'other' });
  const first = await call(world, 'GET', path);
  expect([first.headers.get('x-ratelimit-limit'), first.headers.get('x-ratelimit-remaining')]).toEqual(['600', '599']);
  for (let sent = 1; sent < 599; sent += 2)
    await Promise.all([call(world, 'GET', path), callWith(world, key, 'GET', path)]);
  expect((await call(world, 'POST', path, { name: 'app', image: 'ghcr.io/elizaos/app:v1' })).status).toBe(201);
  for (const refused of [await call(world, 'GET', path), await callWith(world, key, 'GET', path)])
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'rate_limit_exceeded',
      '60',
    ]);
  const { addresses, windows } = world.controls.limits.list();
  expect(addresses).toEqual({ limit: 600, windowMs: 60_000, from: 'settings' });
  expect(windows).toContainEqual(expect.objectContaining({ bucket: 'address', used: 600, limit: 600 }));
  await world.controls.clock.advance('1m');
  expect((await call(world, 'GET', path)).status).toBe(200);
});

it('the document shows the limit, where there is one', async () => {
  const limitsOf = async (settings: object) =>
    (await call(await startWorld(settings), 'GET', '/openapi.json')).body.paths[path].get['x-rate-limit'];
  expect((await limitsOf({ rateLimits: { perAddress: 7 } })).address).toEqual({ limit: 7, windowMs: 60_000 });
  expect(await limitsOf({})).not.toHaveProperty('address');
});
