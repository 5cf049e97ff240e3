// Awaiting a container's status: at once, as time goes, by jumping, or never.

import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { call, deploy, startEmulator } from '../../support/emulator.js';

const door = '/_emulator/await';

it('answers at once when it holds, with the container as its door shows it', async () => {
  const emulator = await startEmulator({ timing: 'instant' });
  const { id } = await deploy(emulator);
  const answer = await call(emulator, 'POST', door, { container: 'web', status: 'running' });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual(emulator.controls.containers.get(id));
  expect(await emulator.controls.await({ container: id, status: ['failed', 'running'] })).toEqual(answer.body);
});

it('jumps from change to change while the clock is frozen, and no further', async () => {
  const emulator = await startEmulator({ timing: 'realistic' });
  const { id } = await deploy(emulator);
  for (const status of ['building', 'deploying', 'running'] as const) {
    const container = await emulator.controls.await({ container: id, status, advance: true });
    expect(container.status).toBe(status);
    expect(container.since).toBe(emulator.controls.clock.get().now);
  }
  expect(emulator.controls.clock.get().frozen).toBe(true);
});

it('jumps while the clock runs, too', async () => {
  const emulator = await startEmulator({ timing: 'realistic', frozen: false });
  await deploy(emulator, { ecr_image_uri: 'r/a:fail-oom-later' });
  const failed = await emulator.controls.await({ container: 'web', status: 'failed', advance: true, timeout: '30s' });
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('OutOfMemory') });
  expect(failed.statusHistory.map(({ status }) => status)).toContain('running');
});

it('waits for a clock that runs', async () => {
  const emulator = await startEmulator({ frozen: false });
  emulator.controls.clock.resume({ speed: 200 });
  await deploy(emulator);
  const { status } = await emulator.controls.await({ container: 'web', status: 'running', timeout: '30s' });
  expect(status).toBe('running');
});

it('waits for somebody to advance a clock that stands still', async () => {
  const emulator = await startEmulator();
  await deploy(emulator);
  const building = emulator.controls.await({ container: 'web', status: 'building' });
  const running = call(emulator, 'POST', door, { container: 'web', status: 'running' });
  await pause(30);
  await emulator.controls.clock.advance('2s');
  expect((await building).status).toBe('building');
  await emulator.controls.clock.advance('1m');
  expect((await running).body.status).toBe('running');
});

it('has waited for what a jump led over', async () => {
  const emulator = await startEmulator();
  await deploy(emulator);
  const building = emulator.controls.await({ container: 'web', status: 'building' });
  await emulator.controls.clock.advance('1h');
  const container = await building;
  expect(container.statusHistory.map(({ status }) => status)).toContain('building');
});

it('hears of what people do', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  const { containers } = emulator.controls;
  const running = emulator.controls.await({ container: 'web', status: 'running' });
  containers.skip(id, { status: 'running' });
  expect((await running).status).toBe('running');
  const failing = emulator.controls.await({ container: 'web', status: 'running' });
  expect((await failing).status).toBe('running');
});

it('hears of an update', async () => {
  const emulator = await startEmulator();
  await deploy(emulator);
  await emulator.controls.clock.advance('1m');
  await deploy(emulator, { desired_count: 2, ecr_image_uri: 'r/a:v2' });
  const { statusHistory } = await emulator.controls.await({ container: 'web', status: 'running', advance: true });
  expect(statusHistory.map(({ status }) => status).slice(-4)).toEqual(['pending', 'building', 'deploying', 'running']);
});

it.each<[string, Record<string, unknown>, string, RegExp]>([
  ['what it is past', {}, 'pending', /web is running, not pending, and nothing lies ahead of it/],
  ['what its plan does not hold', {}, 'failed', /web is running, not failed, and nothing lies ahead/],
  ['failure', { ecr_image_uri: 'r/a:fail-exec-format' }, 'running', /is failed, not running, .*\(.*exec format error/s],
])('refuses at once to wait for %s', async (_, fields, status, message) => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator, fields);
  await emulator.controls.clock.advance('5m');
  const answer = await call(emulator, 'POST', door, { container: id, status });
  expect([answer.status, answer.body.error.code]).toEqual([409, 'CONFLICT']);
  expect(answer.body.error.message).toMatch(message);
  expect(answer.body.error.details).toEqual(emulator.controls.containers.get(id));
});

it('refuses as soon as the plan leads elsewhere', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator, { ecr_image_uri: 'r/a:fail-exec-format' });
  await expect(emulator.controls.await({ container: id, status: 'stopped' })).rejects.toThrow(
    /is pending, not stopped, and only building, deploying, failed lies ahead of it/,
  );
  const other = await deploy(emulator, { name: 'b', project_name: 'b' });
  const running = expect(emulator.controls.await({ container: 'b', status: 'running' })).rejects;
  emulator.controls.containers.fail(other.id, { mode: 'no-capacity' });
  await running.toThrow(/b is failed, not running/);
});

it('refuses when the container is deleted, at once or in time', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  const gone = emulator.controls.await({ container: 'web', status: 'running' }).catch((error: unknown) => error);
  await call(emulator, 'DELETE', `/api/v1/containers/${id}`);
  expect(await gone).toMatchObject({ code: 'CONFLICT', message: 'Container web is gone' });
  const slow = await startEmulator({ containers: { deletion: '30s' } });
  const container = (await deploy(slow)).id;
  const running = slow.controls.await({ container, status: 'running' }).catch((error: unknown) => error);
  await call(slow, 'DELETE', `/api/v1/containers/${container}`);
  expect(await running).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('it is being deleted') });
  expect((await slow.controls.await({ container, status: 'deleting' })).status).toBe('deleting');
});

it.each(['manual', 'reads'] as const)('knows that %s progression is not moved by time', async (progression) => {
  const emulator = await startEmulator({ containers: { progression } });
  const { id } = await deploy(emulator);
  const request = { container: 'web', status: 'running', advance: true, timeout: 50 } as const;
  await expect(emulator.controls.await(request)).rejects.toMatchObject({
    code: 'REQUEST_TIMEOUT',
    message: expect.stringMatching(progression === 'manual' ? /skip moves it on/ : /GETs move it on/),
  });
  const running = emulator.controls.await({ ...request, timeout: '30s' });
  for (let i = 0; i < 3; i++) {
    if (progression === 'manual') emulator.controls.containers.skip(id);
    else await call(emulator, 'GET', `/api/v1/containers/${id}`);
  }
  expect((await running).status).toBe('running');
});

it('lets a hundred wait at once: one advance answers all', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  const wanted = Array.from(
    { length: 100 },
    (_, i) => (['building', 'deploying', 'running'] as const)[i % 3] ?? 'running',
  );
  const all = wanted.map((status) => emulator.controls.await({ container: id, status }));
  await call(emulator, 'POST', door, { container: id, status: 'running', advance: true });
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual(wanted);
});

it('lets a hundred jump at once', async () => {
  const emulator = await startEmulator({ timing: 'realistic' });
  const { id } = await deploy(emulator);
  const request = { container: id, status: 'running', advance: true };
  const answers = await Promise.all(Array.from({ length: 100 }, () => call(emulator, 'POST', door, request)));
  for (const { body } of answers) expect(body).toEqual(emulator.controls.containers.get(id));
  expect(emulator.controls.containers.get(id).since).toBe(emulator.controls.clock.get().now);
});
