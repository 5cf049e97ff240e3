// Awaiting a container's status: at once, as time goes, by jumping, or never.

import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { call, deploy, startWorld } from '../../support/emulator.js';

const door = '/_emulator/await';

it('an await of a container answers at once when it holds, with the container as the control plane shows it', async () => {
  const world = await startWorld({ timing: 'instant' });
  const { id } = await deploy(world);
  const answer = await call(world, 'POST', door, { container: 'web', status: 'running' });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual(world.controls.containers.get(id));
  expect(await world.controls.await({ container: id, status: ['failed', 'running'] })).toEqual(answer.body);
});

it('an await of a container jumps from change to change while the clock is frozen, and no further', async () => {
  const world = await startWorld({ timing: 'realistic' });
  const { id } = await deploy(world);
  for (const status of ['building', 'deploying', 'running'] as const) {
    const container = await world.controls.await({ container: id, status, advance: true });
    expect(container.status).toBe(status);
    expect(container.since).toBe(world.controls.clock.get().now);
  }
  expect(world.controls.clock.get().frozen).toBe(true);
});

it('an await of a container jumps while the clock runs, too', async () => {
  const world = await startWorld({ timing: 'realistic', frozen: false });
  await deploy(world, { ecr_image_uri: 'r/a:fail-oom-later' });
  const failed = await world.controls.await({ container: 'web', status: 'failed', advance: true, timeout: '30s' });
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('OutOfMemory') });
  expect(failed.statusHistory.map(({ status }) => status)).toContain('running');
});

it('an await of a container waits for a clock that runs', async () => {
  const world = await startWorld({ frozen: false });
  world.controls.clock.resume({ speed: 200 });
  await deploy(world);
  const { status } = await world.controls.await({ container: 'web', status: 'running', timeout: '30s' });
  expect(status).toBe('running');
});

it('an await of a container waits for somebody to advance a clock that stands still', async () => {
  const world = await startWorld();
  await deploy(world);
  const building = world.controls.await({ container: 'web', status: 'building' });
  const running = call(world, 'POST', door, { container: 'web', status: 'running' });
  await pause(30);
  await world.controls.clock.advance('2s');
  expect((await building).status).toBe('building');
  await world.controls.clock.advance('1m');
  expect((await running).body.status).toBe('running');
});

it('an await of a container succeeds for a status that a jump passed over', async () => {
  const world = await startWorld();
  await deploy(world);
  const building = world.controls.await({ container: 'web', status: 'building' });
  await world.controls.clock.advance('1h');
  const container = await building;
  expect(container.statusHistory.map(({ status }) => status)).toContain('building');
});

it('an await of a container notices interventions', async () => {
  const world = await startWorld();
  const { id } = await deploy(world);
  const { containers } = world.controls;
  const running = world.controls.await({ container: 'web', status: 'running' });
  containers.skip(id, { status: 'running' });
  expect((await running).status).toBe('running');
  const failing = world.controls.await({ container: 'web', status: 'running' });
  expect((await failing).status).toBe('running');
});

it('an await of a container notices an update', async () => {
  const world = await startWorld();
  await deploy(world);
  await world.controls.clock.advance('1m');
  await deploy(world, { desired_count: 2, ecr_image_uri: 'r/a:v2' });
  const { statusHistory } = await world.controls.await({ container: 'web', status: 'running', advance: true });
  expect(statusHistory.map(({ status }) => status).slice(-4)).toEqual(['pending', 'building', 'deploying', 'running']);
});

it.each<[string, Record<string, unknown>, string, RegExp]>([
  ['what it is past', {}, 'pending', /web is running, not pending, and its plan leads to nothing else/],
  ['what its plan does not hold', {}, 'failed', /web is running, not failed, and its plan leads to nothing else/],
  ['failure', { ecr_image_uri: 'r/a:fail-exec-format' }, 'running', /is failed, not running, .*\(.*exec format error/s],
])('an await of a container refuses at once to wait for %s', async (_, fields, status, message) => {
  const world = await startWorld();
  const { id } = await deploy(world, fields);
  await world.controls.clock.advance('5m');
  const answer = await call(world, 'POST', door, { container: id, status });
  expect([answer.status, answer.body.error.code]).toEqual([409, 'CONFLICT']);
  expect(answer.body.error.message).toMatch(message);
  expect(answer.body.error.details).toEqual(world.controls.containers.get(id));
});

it('an await of a container is refused as soon as the plan leads elsewhere', async () => {
  const world = await startWorld();
  const { id } = await deploy(world, { ecr_image_uri: 'r/a:fail-exec-format' });
  await expect(world.controls.await({ container: id, status: 'stopped' })).rejects.toThrow(
    /is pending, not stopped, and its plan leads only to building, deploying, failed/,
  );
  const other = await deploy(world, { name: 'b', project_name: 'b' });
  const running = expect(world.controls.await({ container: 'b', status: 'running' })).rejects;
  world.controls.containers.fail(other.id, { mode: 'no-capacity' });
  await running.toThrow(/b is failed, not running/);
});

it('an await of a container is refused when the container is deleted, at once or in time', async () => {
  const world = await startWorld();
  const { id } = await deploy(world);
  const gone = world.controls.await({ container: 'web', status: 'running' }).catch((error: unknown) => error);
  await call(world, 'DELETE', `/api/v1/containers/${id}`);
  expect(await gone).toMatchObject({ code: 'CONFLICT', message: 'Container web is gone' });
  const slow = await startWorld({ containers: { deletion: '30s' } });
  const container = (await deploy(slow)).id;
  const running = slow.controls.await({ container, status: 'running' }).catch((error: unknown) => error);
  await call(slow, 'DELETE', `/api/v1/containers/${container}`);
  expect(await running).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('it is being deleted') });
  expect((await slow.controls.await({ container, status: 'deleting' })).status).toBe('deleting');
});

it.each(['manual', 'reads'] as const)(
  'an await of a container knows that %s progression is not moved by time',
  async (progression) => {
    const world = await startWorld({ containers: { progression } });
    const { id } = await deploy(world);
    const request = { container: 'web', status: 'running', advance: true, timeout: 50 } as const;
    await expect(world.controls.await(request)).rejects.toMatchObject({
      code: 'REQUEST_TIMEOUT',
      message: expect.stringMatching(progression === 'manual' ? /skip moves it on/ : /GETs move it on/),
    });
    const running = world.controls.await({ ...request, timeout: '30s' });
    for (let i = 0; i < 3; i++) {
      if (progression === 'manual') world.controls.containers.skip(id);
      else await call(world, 'GET', `/api/v1/containers/${id}`);
    }
    expect((await running).status).toBe('running');
  },
);

it('a hundred awaits of containers wait at once: one advance answers all', async () => {
  const world = await startWorld();
  const { id } = await deploy(world);
  const wanted = Array.from(
    { length: 100 },
    (_, i) => (['building', 'deploying', 'running'] as const)[i % 3] ?? 'running',
  );
  const all = wanted.map((status) => world.controls.await({ container: id, status }));
  await call(world, 'POST', door, { container: id, status: 'running', advance: true });
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual(wanted);
});

it('a hundred awaits of containers jump at once', async () => {
  const world = await startWorld({ timing: 'realistic' });
  const { id } = await deploy(world);
  const request = { container: id, status: 'running', advance: true };
  const answers = await Promise.all(Array.from({ length: 100 }, () => call(world, 'POST', door, request)));
  for (const { body } of answers) expect(body).toEqual(world.controls.containers.get(id));
  expect(world.controls.containers.get(id).since).toBe(world.controls.clock.get().now);
});

it('an await of a container waits for the day whose bill stops it, where days are billed', async () => {
  const world = await startWorld({ billing: { daily: true } });
  const { controls, organizationId } = world;
  await deploy(world, { name: 'shop', project_name: 'shop' });
  // They pay for one day; then come 48 hours of grace.
  controls.organizations.credits(organizationId, { set: 1 });
  const stopped = await controls.await({ container: 'shop', status: 'stopped', advance: true });
  expect(stopped).toMatchObject({ status: 'stopped', since: '2026-01-05T00:00:00.000Z' });
  expect(controls.clock.get().now).toBe('2026-01-05T00:00:00.000Z');
});

it('an await of a container says at once that credits pay for more days than one can wait for', async () => {
  const world = await startWorld({ billing: { daily: true } });
  const { controls, organizationId } = world;
  await deploy(world, { name: 'shop', project_name: 'shop' });
  controls.organizations.credits(organizationId, { set: 1_000_000 });
  const { now } = controls.clock.get();
  const waiting = controls.await({ container: 'shop', status: 'stopped', advance: true });
  await expect(waiting).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringMatching(/; the credits pay for \d{7} days of it$/),
  });
  expect(controls.clock.get().now).toBe(now);
});
