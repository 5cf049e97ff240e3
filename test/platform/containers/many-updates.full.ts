// More updates than a container remembers: what serves, and what is under way, is never forgotten with them.

import { expect, it } from 'vitest';
import { call, deploy, getContainer, startWorld } from '../../support/emulator.js';

type World = Awaited<ReturnType<typeof startWorld>>;

const path = '/api/v1/containers';
const failing = { ecr_image_uri: 'registry.example/web:fail-image-not-found' };

async function update(world: World, times: number, { fields = {}, apart = '0s' }): Promise<void> {
  for (let n = 0; n < times; n++) {
    await deploy(world, fields);
    if (apart !== '0s') await world.controls.clock.advance(apart);
  }
}

const balanceOf = async (world: World): Promise<number> =>
  (await call(world, 'GET', '/api/v1/credits/balance')).body.balance;

async function statusesOf(world: World, id: string): Promise<string[]> {
  const listed = (await call(world, 'GET', path)).body.data[0];
  return [(await getContainer(world, id)).status, listed.status];
}

it('a container serves through 45 updates that fail', async () => {
  const world = await startWorld();
  const { id } = await deploy(world);
  await world.controls.clock.advance('1m');
  const before = await balanceOf(world);
  await update(world, 45, { fields: failing, apart: '1m' });
  expect(await statusesOf(world, id)).toEqual(['running', 'running']);
  expect(await balanceOf(world)).toBe(before);
  world.controls.containers.crash(id);
  expect((await getContainer(world, id)).error_message).not.toBeNull();
  world.controls.containers.recover(id);
  expect(await statusesOf(world, id)).toEqual(['running', 'running']);
});

it('a container serves what was recovered after it had failed, through 22 updates that fail', async () => {
  const world = await startWorld();
  const { id } = await deploy(world, failing);
  await world.controls.clock.advance('10m');
  world.controls.containers.recover(id);
  await world.controls.clock.advance('10m');
  expect(await statusesOf(world, id)).toEqual(['running', 'running']);
  await update(world, 22, { fields: failing, apart: '1m' });
  expect(await statusesOf(world, id)).toEqual(['running', 'running']);
});

it('a container runs in the end where all of 24 updates at once fail, but not the first deployment', async () => {
  const world = await startWorld();
  const { id } = await deploy(world);
  await update(world, 24, { fields: failing });
  await world.controls.clock.advance('10m');
  expect(await statusesOf(world, id)).toEqual(['running', 'running']);
});

it('a container gets a refund for all of 25 deployments that are under way when it is deleted', async () => {
  const world = await startWorld();
  const before = await balanceOf(world);
  await update(world, 25, {});
  const [{ id }] = (await call(world, 'GET', path)).body.data;
  expect((await call(world, 'DELETE', `${path}/${id}`)).body.refundAmount).toBe(12.5);
  expect(await balanceOf(world)).toBe(before);
});

it('a container returns a share of the last charge when it is deleted, also after 25 changes that were free', async () => {
  const world = await startWorld({ credits: { deletionRefund: [{ within: '2h', share: 1 }] }, prices: { deploy: 4 } });
  const { id } = await deploy(world);
  for (let n = 0; n < 25; n++) {
    await world.controls.clock.advance('1m');
    await call(world, 'PATCH', `${path}/${id}`, { cpu: 256 + n });
  }
  await world.controls.clock.advance('1m');
  expect((await call(world, 'DELETE', `${path}/${id}`)).body.refundAmount).toBe(4);
});
