// Thousands of interventions on one deployment: each costs as much as the first ones, and so does a GET of the container.

import { expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { call, deploy, getContainer, startWorld } from '../../support/emulator.js';

const path = '/api/v1/containers';

/** Milliseconds of CPU that `act` takes. */
async function cpuOf(act: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

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

it.each([0, 1])(
  'an intervention takes no longer as the last of 2,000 than as the first, after %d updates',
  async (updates) => {
    const world = await startWorld();
    const { id } = await deploy(world);
    await world.controls.clock.advance('30s');
    for (let n = 0; n < updates; n++) await call(world, 'PATCH', `${path}/${id}`, { cpu: 300 });
    await world.controls.clock.advance('30s');
    // Code is compiled and caches are filled.
    intervene(world, id, 100);
    const costs: number[] = [];
    for (let chunk = 0; chunk < 9; chunk++) costs.push(await cpuOf(() => intervene(world, id, 100)));
    // Each act ran through all earlier ones, several times: the last chunk took some ten times as long as the first.
    expect(Math.min(...costs.slice(-3))).toBeLessThan(3 * Math.max(...costs.slice(0, 3)));
  },
);

it('a GET of a container with 2,000 interventions is as quick as of one with a thousand', async () => {
  const world = await startWorld();
  const { id } = await deploy(world);
  await world.controls.clock.advance('30s');
  const lookAt = async (): Promise<void> => {
    for (let n = 0; n < 20; n++) {
      // A former answer is not valid any more.
      intervene(world, id, 1);
      await getContainer(world, id);
      await call(world, 'GET', `${path}/${id}/logs`);
    }
  };
  intervene(world, id, 500);
  await lookAt();
  const former = await cpuOf(lookAt);
  intervene(world, id, 460);
  expect(await cpuOf(lookAt)).toBeLessThan(3 * former);
  const { statusHistory } = await getContainer(world, id);
  expect(statusHistory).toHaveLength(1_000);
  expect(statusHistory.slice(-2).map(({ status }: any) => status)).toEqual(['failed', 'running']);
  expect(world.controls.containers.get(id).statusHistory).toEqual(statusHistory);
});

it('a container shows the same whether its interventions are followed or read anew', async () => {
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
  // A restored world has forgotten everything that was kept.
  world.controls.snapshots.take({ name: 'now' });
  await world.controls.snapshots.restore('now');
  expect(await views(world, id)).toEqual(followed);
});
