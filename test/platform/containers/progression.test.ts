// A deployment moves on by time, by reads of it, or by a person.

import { expect, it } from 'vitest';
import { isFull } from '../../support/campaign.js';
import { call, deploy, getContainer, startWorld } from '../../support/emulator.js';

const statusOf = async (world: Parameters<typeof getContainer>[0], id: string): Promise<string> =>
  (await getContainer(world, id)).status;

it('progression by `reads` moves one stage for each N GETs, whatever the time', async () => {
  const world = await startWorld({ containers: { progression: 'reads', readsPerStage: 2 } });
  const { id } = await deploy(world);
  await world.controls.clock.advance('1h');
  await call(world, 'GET', '/api/v1/containers');
  await call(world, 'GET', `/api/v1/containers/${id}/logs`);
  const seen = [];
  for (let i = 0; i < 8; i++) seen.push(await statusOf(world, id));
  expect(seen).toEqual(['pending', 'building', 'building', 'deploying', 'deploying', 'running', 'running', 'running']);
});

it('progression by `reads` shows the address with the GET that makes the container run', async () => {
  const world = await startWorld({ containers: { progression: 'reads' } });
  const { id } = await deploy(world);
  let shown = await getContainer(world, id);
  while (shown.status !== 'running') shown = await getContainer(world, id);
  expect(shown.url).toMatch(/^http:/);
});

it('progression by `reads` fails and refunds as well', async () => {
  const world = await startWorld({ containers: { progression: 'reads' } });
  const { id } = await deploy(world, { ecr_image_uri: 'r/a:fail-exec-format' });
  const seen = new Set<string>();
  for (let i = 0; i < 10; i++) seen.add(await statusOf(world, id));
  expect([...seen].at(-1)).toBe('failed');
  expect((await call(world, 'GET', '/api/v1/credits/balance')).body.balance).toBe(1000);
});

it('progression in `manual` stands still until it is skipped', async () => {
  const world = await startWorld({ containers: { progression: 'manual' } });
  const { id } = await deploy(world);
  await world.controls.clock.advance('1d');
  expect(await statusOf(world, id)).toBe('pending');
  world.controls.containers.skip(id);
  expect(await statusOf(world, id)).toBe('building');
  world.controls.containers.skip(id, { status: 'running' });
  expect(await statusOf(world, id)).toBe('running');
});

it.each(isFull ? (['fast', 'manual'] as const) : (['fast'] as const))(
  'progression shows lines and progress of a deployment at their instants in %s',
  async (way) => {
    const containers = { progression: way === 'manual' ? ('manual' as const) : ('clock' as const) };
    const world = await startWorld({ timing: 'fast', containers });
    const { id } = await deploy(world, { ecr_image_uri: 'r/a:fail-exec-format' });
    const seen = new Set<string>();
    for (let step = 0; step < 60; step++) {
      await world.controls.clock.advance(271);
      const polled = await getContainer(world, id);
      // A container written meanwhile drops what was kept of this one.
      await deploy(world, { name: `n${step}`, project_name: `p${step}` });
      expect(polled).toEqual(await getContainer(world, id));
      seen.add(`${polled.progress} ${polled.deployment_log.length}`);
    }
    expect(seen.size).toBeGreaterThan(way === 'manual' ? 0 : 30);
  },
);

it.each([
  ['instant', 0, 0],
  ['fast', 9_000, 15_000],
  ['realistic', 8 * 60_000, 12 * 60_000],
] as const)('progression takes its time in %s', async (timing, least, most) => {
  for (const seed of ['a', 'b', 'c', 'd', 'e']) {
    const world = await startWorld({ timing, seed });
    const { id } = await deploy(world);
    await world.controls.clock.advance('20m');
    const { statusHistory } = await getContainer(world, id);
    const took = Date.parse(statusHistory.at(-1).at) - Date.parse(statusHistory[0].at);
    expect(statusHistory.map((entry: { status: string }) => entry.status)).toEqual([
      'pending',
      'building',
      'deploying',
      'running',
    ]);
    expect(took).toBeGreaterThanOrEqual(least);
    expect(took).toBeLessThanOrEqual(most);
  }
});

it('progression takes durations per stage, and the polling advice follows', async () => {
  const world = await startWorld({ containers: { timing: { pending: '1s', building: '1m', deploying: '2m' } } });
  const created = await call(world, 'POST', '/api/v1/containers', {
    name: 'a',
    project_name: 'a',
    ecr_image_uri: 'r/a:1',
  });
  expect(created.body.polling).toMatchObject({ intervalMs: 10_000, expectedDurationMs: 181_000 });
  await world.controls.clock.advance(180_999);
  expect(await statusOf(world, created.body.data.id)).toBe('deploying');
  await world.controls.clock.advance(1);
  expect(await statusOf(world, created.body.data.id)).toBe('running');
});

it('progression goes on through a patch and a deletion while a deployment is under way', async () => {
  const world = await startWorld();
  const { id } = await deploy(world);
  await world.controls.clock.advance('3s');
  expect((await call(world, 'PATCH', `/api/v1/containers/${id}`, { desired_count: 2 })).status).toBe(200);
  for (const view of ['logs', 'metrics', 'health', 'deployments']) {
    expect((await call(world, 'GET', `/api/v1/containers/${id}/${view}`)).status).toBe(200);
  }
  expect((await call(world, 'DELETE', `/api/v1/containers/${id}`)).status).toBe(200);
});
