// Many interventions on one deployment, and their bound.

import { expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { call, deploy, getContainer, startWorld } from '../../support/emulator.js';

const path = '/api/v1/containers';

function intervene({ controls }: EmulatorWorld, id: string, pairs: number): void {
  for (let n = 0; n < pairs; n++) {
    controls.containers.crash(id);
    controls.containers.recover(id);
  }
}

const views = async (world: EmulatorWorld, id: string) => {
  const names = ['', '/logs?tail=50', '/logs?tail=10000', '/metrics', '/health', '/deployments'];
  const shown = [];
  for (const name of names) shown.push((await call(world, 'GET', `${path}/${id}${name}`)).body);
  return [...shown, world.controls.containers.inspect(id)];
};

it('a deployment refuses interventions beyond its bound, and says so', async () => {
  const world = await startWorld();
  const { id } = await deploy(world);
  await world.controls.clock.advance('30s');
  intervene(world, id, 500);
  expect((await getContainer(world, id)).statusHistory).toHaveLength(1_000);
  expect(() => world.controls.containers.crash(id)).toThrow(/has had 1,000 interventions.*deploy it anew/);
  await deploy(world);
  await world.controls.clock.advance('30s');
  expect(world.controls.containers.crash(id).status).toBe('failed');
  expect((await call(world, 'DELETE', `/api/v1/containers/${id}`)).status).toBe(200);
});

it('a container shows the same before and after a restore, with many interventions', async () => {
  const world = await startWorld();
  const { id } = await deploy(world);
  await world.controls.clock.advance('30s');
  await call(world, 'PATCH', `${path}/${id}`, { cpu: 300 }, { 'x-emulator-failure': 'image-not-found' });
  await world.controls.clock.advance('30s');
  for (let n = 0; n < 60; n++) {
    intervene(world, id, 1);
    if (n % 4 === 0) world.controls.containers.stop(id);
    if (n % 4 === 1) await world.controls.clock.advance('2s');
    if (n % 8 === 2) world.controls.containers.skip(id, { status: 'building' });
    if (n % 8 === 2) await world.controls.clock.advance('30s');
    if (n % 30 === 7) await call(world, 'PATCH', `${path}/${id}`, { cpu: 400 + n });
    if (n % 4 === 0) world.controls.containers.recover(id);
    if (n % 30 === 7) await world.controls.clock.advance('30s');
    if (n % 5 === 0) await getContainer(world, id);
  }
  const followed = await views(world, id);
  world.controls.snapshots.take({ name: 'now' });
  await world.controls.snapshots.restore('now');
  expect(await views(world, id)).toEqual(followed);
});
