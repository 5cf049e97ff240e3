// The bound on interventions of one deployment.

import { expect, it } from 'vitest';
import { call, deploy, startWorld } from '../../support/emulator.js';

it('a deployment refuses interventions beyond its bound, and says so', async () => {
  const world = await startWorld();
  const { id } = await deploy(world);
  await world.controls.clock.advance('30s');
  for (let n = 0; n < 5_000; n++) {
    world.controls.containers.crash(id);
    world.controls.containers.recover(id);
    // Connections that nobody attends to for long are closed.
    if (n % 50 === 0) await call(world, 'GET', `/api/v1/containers/${id}/health`);
  }
  expect(() => world.controls.containers.crash(id)).toThrow(/has had 10,000 interventions.*deploy it anew/);
  await deploy(world);
  await world.controls.clock.advance('30s');
  expect(world.controls.containers.crash(id).status).toBe('failed');
  expect((await call(world, 'DELETE', `/api/v1/containers/${id}`)).status).toBe(200);
});
