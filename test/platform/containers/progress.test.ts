// The progress of a deployment: what share of its usual time it has behind it.

import { expect, it } from 'vitest';
import { deploy, getContainer, startWorld } from '../../support/emulator.js';

/** Deployments take 100 s in all: a second is a per cent. */
const timing = { pending: '10s', building: '40s', deploying: '50s' };
const start = () => startWorld({ containers: { timing } });

const shown = async (world: Awaited<ReturnType<typeof start>>, id: string) => {
  const { status, progress } = await getContainer(world, id);
  return `${status} ${progress}`;
};

it('the progress of a deployment grows with each stage, and ends at 100', async () => {
  const world = await start();
  const { id } = await deploy(world);
  const seen = [await shown(world, id)];
  for (const seconds of [5, 10, 40, 44, 1]) {
    await world.controls.clock.advance(`${seconds}s`);
    seen.push(await shown(world, id));
  }
  expect(seen).toEqual(['pending 0', 'pending 5', 'building 15', 'deploying 55', 'deploying 99', 'running 100']);
});

it('the progress of a deployment grows on after an update has failed while the deployment before it is under way', async () => {
  const world = await start();
  const { id } = await deploy(world);
  // The container fails when 75 s have passed.
  await deploy(world, { environment_vars: { EMULATOR_FAIL: 'image-not-found' } });
  await world.controls.clock.advance('80s');
  expect(await shown(world, id)).toBe('deploying 80');
  await world.controls.clock.advance('10s');
  expect(await shown(world, id)).toBe('deploying 90');
});

it('the progress of a deployment starts at the stage to which a container is moved', async () => {
  const world = await start();
  const { id } = await deploy(world);
  world.controls.containers.skip(id, { status: 'deploying' });
  expect(await shown(world, id)).toBe('deploying 50');
  await world.controls.clock.advance('50s');
  expect(await shown(world, id)).toBe('running 100');
  world.controls.containers.skip(id, { status: 'building' });
  expect(await shown(world, id)).toBe('building 10');
  await world.controls.clock.advance('50s');
  expect(await shown(world, id)).toBe('deploying 60');
  await world.controls.clock.advance('40s');
  expect(await shown(world, id)).toBe('running 100');
});

it('the progress of a deployment stays where the deployment has failed', async () => {
  const world = await start();
  const { id } = await deploy(world, { environment_vars: { EMULATOR_FAIL: 'image-not-found' } });
  await world.controls.clock.advance('10m');
  expect(await shown(world, id)).toBe('failed 75');
});
