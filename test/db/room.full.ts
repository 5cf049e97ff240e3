// The bounds of a world: beyond each one a request is refused and told of it.

import { expect, it } from 'vitest';
import { call, deploy, startWorld } from '../support/emulator.js';

const many: [number, number, number, number] = [5_000, 5_000, 5_000, 5_000];
const settings = {
  rateLimits: { enabled: false },
  quotas: { containers: many, agents: many },
  credits: { seeded: 1_000_000 },
} as const;

it('a world holds at most 2,000 containers, but may change those', async () => {
  const world = await startWorld(settings);
  for (let n = 0; n < 2_000; n++) await deploy(world, { name: `n${n}`, project_name: `p${n}` });
  const body = { name: 'n', project_name: 'p', ecr_image_uri: 'acme/web:v1', port: 3000 };
  const refused = await call(world, 'POST', '/api/v1/containers', body);
  expect(refused).toMatchObject({ status: 400 });
  expect(JSON.stringify(refused.body)).toContain('A world holds at most 2,000 containers');
  const update = await call(world, 'POST', '/api/v1/containers', { ...body, name: 'n7', project_name: 'p7' });
  expect(update.status).toBe(202);
});

it('a world holds at most 24 MB of data, of which some can be deleted', async () => {
  const world = await startWorld(settings);
  const environment_vars = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`V${n}`, 'v'.repeat(32_768)]));
  const body = (n: number) => ({ name: `n${n}`, project_name: `p${n}`, ecr_image_uri: 'acme/web:v1', port: 3000 });
  const create = (n: number) => call(world, 'POST', '/api/v1/containers', { ...body(n), environment_vars });
  const ids: string[] = [];
  let last = await create(0);
  for (let n = 1; last.status === 202; n++) {
    ids.push(last.body.data.id);
    last = await create(n);
  }
  expect(ids).toHaveLength(15);
  expect(last).toMatchObject({ status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
  expect(last.body.error.message).toBe('A world holds at most 24 MB of data: delete some, or use another world');
  expect((await call(world, 'GET', '/api/v1/containers')).body.data).toHaveLength(15);
  expect((await call(world, 'POST', '/api/v1/containers', body(50))).status).toBe(202);
  const messages = [{ role: 'user', content: 'long '.repeat(10_000) }];
  expect((await call(world, 'POST', '/api/v1/chat/completions', { model: 'gpt-4o', messages })).status).toBe(200);
  expect((await call(world, 'DELETE', `/api/v1/containers/${ids[0]}`)).status).toBe(200);
  world.controls.snapshots.take({ name: 'full' });
  await world.controls.snapshots.restore('full');
});

it('a world holds at most 2,000 agents', async () => {
  const world = await startWorld(settings);
  const create = (n: number) => call(world, 'POST', '/api/v1/app/agents', { name: `Agent ${n}` });
  for (let n = 0; n < 2_000; n++) expect((await create(n)).status).toBe(201);
  const refused = await create(2_000);
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain('A world holds at most 2,000 agents');
});

it('a world holds at most 1,000 manifests of images', async () => {
  const world = await startWorld(settings);
  const put = (n: number) =>
    world.controls.images.make({
      repository: 'web',
      tag: `v${n}`,
      platforms: ['linux/amd64'],
      exposedPorts: [3_000 + n],
    });
  for (let n = 0; n < 1_000; n++) put(n);
  expect(() => put(1_000)).toThrow(/A world holds at most 1,000 manifests of images/);
});
