// After a failed update a container is the deployment that came to run last, whatever happens to it, until a newer one runs.

import { describe, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { call, deploy, getContainer, startWorld } from '../../support/emulator.js';

const path = '/api/v1/containers';
const first = { cpu: 300, ecr_image_uri: 'r.example/a:v1' };
const second = { cpu: 900, ecr_image_uri: 'r.example/a:v2' };

/** A container that runs its first deployment, the update of which has failed. */
async function afterFailedUpdate(world: EmulatorWorld, headers: Record<string, string> = {}): Promise<string> {
  const { id } = await deploy(world, first, headers);
  await world.controls.clock.advance('13s');
  const failing = { 'x-emulator-failure': 'image-not-found' };
  expect((await call(world, 'PATCH', `${path}/${id}`, second, failing)).status).toBe(200);
  await world.controls.clock.advance('1m');
  return id;
}

const interventions: Record<string, (world: EmulatorWorld, id: string) => unknown> = {
  'a crash': ({ controls }, id) => controls.containers.crash(id),
  'a stop': ({ controls }, id) => controls.containers.stop(id),
  'a lack of memory': ({ controls }, id) => controls.containers.fail(id, { mode: 'oom-later' }),
};

describe('after a failed update', () => {
  it('the container runs the first deployment, with the error of the update', async () => {
    const world = await startWorld();
    const shown = await getContainer(world, await afterFailedUpdate(world));
    expect(shown).toMatchObject({ ...first, status: 'running' });
    expect(shown.error_message).toContain('v2');
  });

  it.each(Object.keys(interventions))(
    'the container shows, recovers and changes the first deployment after %s',
    async (name) => {
      const world = await startWorld();
      const id = await afterFailedUpdate(world);
      await interventions[name]?.(world, id);
      const status = name === 'a stop' ? 'stopped' : 'failed';
      const shown = await getContainer(world, id);
      expect(shown).toMatchObject({ ...first, status });
      expect(shown.error_message ?? '').not.toContain('v2');
      expect((await call(world, 'GET', path)).body.data[0]).toMatchObject({ ...first, status });
      const health = (await call(world, 'GET', `${path}/${id}/health`)).body;
      expect(JSON.stringify(health)).not.toContain('never started');
      expect(world.controls.containers.get(id).image.uri).toBe(first.ecr_image_uri);
      world.controls.containers.recover(id);
      expect(await getContainer(world, id)).toMatchObject({ ...first, status: 'running', error_message: null });
      await call(world, 'PATCH', `${path}/${id}`, { memory: 512 });
      await world.controls.clock.advance('1m');
      expect(await getContainer(world, id)).toMatchObject({ ...first, memory: 512, status: 'running' });
    },
  );

  it('the container shows the first deployment while its health fails', async () => {
    const world = await startWorld({
      containers: { timing: { pending: 0, building: '1s', deploying: '1s', running: '2m' } },
    });
    const id = await afterFailedUpdate(world, { 'x-emulator-failure': 'flapping-health' });
    await world.controls.clock.advance('1m');
    const shown = await getContainer(world, id);
    expect(shown).toMatchObject({ ...first, status: 'failed', error_message: 'Health check failed' });
    const { body } = await call(world, 'GET', `${path}/${id}/health`);
    expect(body.message).toContain('timed out');
    // Stopped meanwhile, it does not come back when the health would have.
    world.controls.containers.stop(id);
    await world.controls.clock.advance('10m');
    expect(await getContainer(world, id)).toMatchObject({ ...first, status: 'stopped' });
  });

  it('the container shows and recovers the first deployment after a stop for want of credits', async () => {
    const world = await startWorld({ billing: { daily: true } });
    const id = await afterFailedUpdate(world);
    world.controls.organizations.credits(world.organizationId, { set: 0 });
    await world.controls.clock.advance('4d');
    expect(await getContainer(world, id)).toMatchObject({ ...first, status: 'stopped', billing_status: 'suspended' });
    world.controls.containers.recover(id);
    expect(await getContainer(world, id)).toMatchObject({ ...first, status: 'running' });
  });

  it('the container is saved in a scenario as what runs', async () => {
    const world = await startWorld();
    await afterFailedUpdate(world);
    const { document } = (await world.controls.scenarios.save({ name: 'kept' })) as any;
    expect(document.data.containers[0]).toMatchObject({ cpu: 300, ecr_image_uri: first.ecr_image_uri });
    expect(document.data.containers[0].mode).toBeUndefined();
  });

  it('the container is deleted as a whole', async () => {
    const world = await startWorld({ containers: { deletion: '10s' } });
    const id = await afterFailedUpdate(world);
    await call(world, 'DELETE', `${path}/${id}`);
    expect(await getContainer(world, id)).toMatchObject({ status: 'deleting' });
    expect((await call(world, 'PATCH', `${path}/${id}`, { cpu: 512 })).status).toBe(409);
    await world.controls.clock.advance('11s');
    expect((await call(world, 'GET', `${path}/${id}`)).status).toBe(404);
  });
});

it('a container shows a deployment as in progress that was moved back to a stage', async () => {
  const world = await startWorld();
  const { id } = await deploy(world, first);
  await world.controls.clock.advance('1m');
  world.controls.containers.skip(id, { status: 'building' });
  const list = async () => (await call(world, 'GET', `${path}/${id}/deployments`)).body.data.deployments;
  expect((await getContainer(world, id)).status).toBe('building');
  expect(await list()).toMatchObject([{ status: 'pending', duration_ms: null }]);
  await world.controls.clock.advance('1m');
  expect(await list()).toMatchObject([{ status: 'success' }]);
});
