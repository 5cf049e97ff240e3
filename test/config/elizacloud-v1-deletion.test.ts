// The profile elizacloud-v1: a deleted container takes a while to go.

import { expect, it } from 'vitest';
import { call, deploy, getContainer, image, startWorld } from '../support/emulator.js';
import { openStream } from '../support/sse.js';

const path = '/api/v1/containers';
// The timing `instant` leaves deletions no time either.
const timing = { pending: 0, building: 0, deploying: 0 };
const start = (options = {}) => startWorld({ profile: 'elizacloud-v1', timing, ...options });

it('a deleted container shows the status deleting for half a minute, then it is gone', async () => {
  const world = await start();
  const { id } = await deploy(world);
  await world.controls.clock.advance('1m');
  expect((await call(world, 'DELETE', `${path}/${id}`)).status).toBe(200);
  expect(await getContainer(world, id)).toMatchObject({
    status: 'deleting',
    nextTransitionAt: '2026-01-01T00:01:30.000Z',
  });
  await world.controls.clock.advance('29s');
  expect((await call(world, 'GET', path)).body.data).toMatchObject([{ id, status: 'deleting' }]);
  await world.controls.clock.advance('1s');
  expect((await call(world, 'GET', `${path}/${id}`)).status).toBe(404);
  expect((await call(world, 'GET', path)).body.data).toEqual([]);
  expect(world.controls.containers.list()).toEqual([]);
});

it.each(['clock', 'reads', 'manual'] as const)(
  'a deleted container goes by time alone with progression %s',
  async (progression) => {
    const world = await start({ containers: { progression } });
    const { id } = await deploy(world);
    await call(world, 'DELETE', `${path}/${id}`);
    for (let i = 0; i < 5; i++) expect((await getContainer(world, id)).status).toBe('deleting');
    await world.controls.clock.advance('30s');
    expect((await call(world, 'GET', `${path}/${id}`)).status).toBe(404);
  },
);

it('a deleted container keeps project_name and quota until then', async () => {
  const world = await start({ quotas: { containers: [1, 1, 1, 1] } });
  const { id } = await deploy(world);
  await call(world, 'DELETE', `${path}/${id}`);
  const create = (project: string) =>
    call(world, 'POST', path, { name: project, project_name: project, ecr_image_uri: image });
  const same = await create('web');
  expect([same.status, same.body.error]).toEqual([409, expect.stringContaining('is being deleted')]);
  expect((await create('other')).status).toBe(403);
  expect((await call(world, 'GET', `${path}/quota`)).body.data.quota).toMatchObject({ current: 1, remaining: 0 });
  await world.controls.clock.advance('30s');
  expect((await create('web')).status).toBe(202);
});

it('a deleted container stops serving at once, and reports logs, health and metrics to the end', async () => {
  const world = await start();
  const { id } = await deploy(world);
  const { url } = await getContainer(world, id);
  expect((await fetch(url)).status).toBe(200);
  await call(world, 'DELETE', `${path}/${id}`);
  expect((await fetch(url)).status).toBe(503);
  const { logs } = (await call(world, 'GET', `${path}/${id}/logs`)).body;
  expect(logs.at(-1).message).toBe('Deleting the container and its stack');
  expect((await call(world, 'GET', `${path}/${id}/health`)).body.status).toBe('stopped');
  expect((await call(world, 'GET', `${path}/${id}/metrics`)).body.data.metrics.task_count).toBe(0);
  expect((await call(world, 'GET', `${path}/${id}/deployments`)).body.data.total).toBe(1);
});

it('a second DELETE of a container has the same response, and changes are refused', async () => {
  const world = await start();
  const { id } = await deploy(world);
  await call(world, 'DELETE', `${path}/${id}`);
  await world.controls.clock.advance('20s');
  expect((await call(world, 'DELETE', `${path}/${id}`)).status).toBe(200);
  expect((await call(world, 'PATCH', `${path}/${id}`, { desired_count: 2 })).status).toBe(409);
  expect(() => world.controls.containers.recover(id)).toThrow(/is being deleted/);
  await world.controls.clock.advance('10s');
  expect((await call(world, 'DELETE', `${path}/${id}`)).status).toBe(404);
});

it('a container in any state can be deleted, an update on its way included', async () => {
  const world = await startWorld({ profile: 'elizacloud-v1' });
  const { id } = await deploy(world);
  await world.controls.clock.advance('1m');
  await call(world, 'PATCH', `${path}/${id}`, { desired_count: 2 });
  await world.controls.clock.advance('2s');
  await call(world, 'DELETE', `${path}/${id}`);
  await world.controls.clock.advance('20s');
  const { status, statusHistory } = await getContainer(world, id);
  expect([status, statusHistory.at(-1).status]).toEqual(['deleting', 'deleting']);
});

it.each([
  ['virtual', { frozen: true }],
  ['wall', { frozen: false, containers: { deletion: 300 } }],
])(
  'a deleted container ends its log stream when it is gone, by %s time and without another request',
  async (_, options) => {
    const world = await start(options);
    const { id } = await deploy(world);
    const stream = await openStream(`${world.url}${path}/${id}/logs/stream`, {
      authorization: `Bearer ${world.apiKey}`,
    });
    await call(world, 'DELETE', `${path}/${id}`);
    if (options.frozen) await world.controls.clock.advance('30s');
    await stream.ended;
    const statuses = stream.messages.filter(({ data }) => data.type === 'status').map(({ data }) => data.data.status);
    expect(statuses.at(-1)).toBe('deleting');
  },
);

it('no intervention skips to the status deleting', async () => {
  const world = await start();
  const { id } = await deploy(world);
  expect(() => world.controls.containers.skip(id, { status: 'deleting' })).toThrow(/its DELETE/);
});
