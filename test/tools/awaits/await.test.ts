// Awaiting in general: timeouts, clients that go away, worlds that end or begin again, bad requests.

import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runEmulator } from '../../../src/app/emulator.js';
import { configSchema } from '../../../src/config/schema.js';
import type { ControlOperation } from '../../../src/control/operation.js';
import { awaitOperations } from '../../../src/tools/awaits/control.js';
import { call, deploy, startWorld } from '../../support/emulator.js';

const door = '/_emulator/await';
const running = { container: 'web', status: 'running' } as const;

describe('the timeout', () => {
  it('answers 408 with the last state seen, and what to do about a frozen clock', async () => {
    const emulator = await startWorld();
    const { id } = await deploy(emulator);
    const answer = await call(emulator, 'POST', door, { ...running, timeout: '50ms' });
    expect([answer.status, answer.body.error.code]).toEqual([408, 'REQUEST_TIMEOUT']);
    expect(answer.body.error.message).toBe(
      'After 50ms, Container web is pending, not running. The clock is frozen: pass `advance`, or advance it',
    );
    expect(answer.body.error.details).toEqual(emulator.controls.containers.get(id));
  });

  it('is in wall time, whatever virtual time does', async () => {
    const emulator = await startWorld({ timing: 'realistic', frozen: false });
    await deploy(emulator);
    const began = performance.now();
    await expect(emulator.controls.await({ ...running, timeout: 100 })).rejects.toThrow(/is pending, not running$/);
    expect(performance.now() - began).toBeGreaterThan(95);
  });

  it('of zero only checks once', async () => {
    const emulator = await startWorld();
    await deploy(emulator);
    await expect(emulator.controls.await({ ...running, timeout: 0 })).rejects.toMatchObject({
      code: 'REQUEST_TIMEOUT',
    });
    expect((await emulator.controls.await({ ...running, status: 'pending', timeout: 0 })).status).toBe('pending');
  });
});

it.each<[object, number, string]>([
  [{}, 400, 'container or `operation` or `job` or `agent` must be given'],
  [{ container: 'web' }, 400, 'status is required'],
  [{ container: 'web', status: 'runing' }, 400, 'status must be one of pending'],
  [{ container: 'web', status: [] }, 400, 'status must'],
  [{ container: 'web', status: 'running', count: 5 }, 400, 'count is unknown'],
  [{ container: 'web', operation: 'containers.list' }, 400, 'operation cannot be combined with `container`'],
  [{ container: 5, status: 'running' }, 400, 'container must be a string'],
  [{ container: 'wbe', status: 'running' }, 404, 'no container with the id or project_name "wbe"; did you mean "web"?'],
  [{ container: 'web', status: 'running', timeout: '11m' }, 400, 'timeout must be a duration of at most 10 minutes'],
  [{ container: 'web', status: 'running', timeout: 'soon' }, 400, 'timeout must be a duration'],
  [{ container: 'web', status: 'running', timeout: -1 }, 400, 'timeout must be a duration'],
  [{ container: 'web', status: 'running', advance: 'yes' }, 400, 'advance must be true or false'],
  [{ job: 'j1', status: 'completed' }, 404, 'There is no job of id (or of a voice or hosted agent of id) "j1"'],
  [{ operation: 'containers.crate', count: 1 }, 400, 'operation must be the id of an operation'],
  [{ operation: 'containers.list' }, 400, 'count is required'],
  [{ operation: 'containers.list', count: 0 }, 400, 'count must be at least 1'],
  [{ operation: 'containers.list', count: 5_000 }, 400, 'count must be at most 1000: the journal keeps no more'],
  [{ operation: 'containers.list', count: 1, status: '9xx' }, 400, 'status must'],
])('an await refuses %j', async (body, status, message) => {
  const emulator = await startWorld();
  await deploy(emulator);
  const answer = await call(emulator, 'POST', door, body);
  expect([answer.status, answer.body.error.message]).toEqual([status, expect.stringContaining(message)]);
});

it('an await refuses a project of several organizations', async () => {
  const emulator = await startWorld();
  await deploy(emulator);
  const { apiKey } = emulator.controls.organizations.create();
  const { id } = await deploy(emulator, {}, { authorization: `Bearer ${apiKey}` });
  await expect(emulator.controls.await(running)).rejects.toThrow(/project of 2 organizations: give the id of one/);
  expect((await emulator.controls.await({ ...running, container: id, advance: true })).id).toBe(id);
});

/** Makes the operation answer this from now on, in process and over HTTP, until the test has ended. */
function watchAwaits(): Promise<unknown>[] {
  const promises: Promise<unknown>[] = [];
  const operation = awaitOperations.await as unknown as ControlOperation;
  const { run } = operation;
  operation.run = (...args) => {
    const promise = run(...args) as Promise<unknown>;
    promises.push(promise.catch((error: unknown) => error));
    return promise;
  };
  onTestFinished(() => {
    operation.run = run;
  });
  return promises;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

/** An emulator with its controls, and requests to its control plane. */
async function startBare() {
  const config = configSchema.parse({ server: { port: 0 }, data: { ephemeral: true } });
  const emulator = await runEmulator({ config });
  onTestFinished(() => emulator.close());
  const { controlsOf } = await emulator.controlPlane();
  const post = (path: string, body: object) =>
    fetch(`http://127.0.0.1:${emulator.port}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return { emulator, controls: controlsOf('default'), post };
}
const never = { operation: '*', count: 900 };

it('an await gives up when the client goes away', async () => {
  const { emulator } = await startBare();
  const promises = watchAwaits();
  const sent = request({ host: '127.0.0.1', port: emulator.port, path: door, method: 'POST' });
  sent.on('error', () => {});
  sent.end(JSON.stringify({ ...never, timeout: '10m' }));
  await until(() => promises.length === 1);
  sent.destroy();
  expect(await promises[0]).toMatchObject({ name: 'AbortError' });
  expect((await fetch(`http://127.0.0.1:${emulator.port}/_emulator/health`)).status).toBe(200);
});

it('an await in process gives up by a signal', async () => {
  const emulator = await startWorld();
  await deploy(emulator);
  const controller = new AbortController();
  const waiting = emulator.controls.await(running, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(emulator.controls.await(running, { signal: controller.signal })).rejects.toThrow('enough');
});

it('an await ends with the emulator: 503', async () => {
  const { emulator, controls, post } = await startBare();
  const promises = watchAwaits();
  const overHttp = post(door, never);
  const inProcess = controls.await(never).catch((error: unknown) => error);
  await until(() => promises.length === 2);
  await emulator.close();
  expect(await inProcess).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect((await overHttp).status).toBe(503);
});

it('an await ends with its world', async () => {
  const { controls, post } = await startBare();
  await controls.worlds.create({ id: 'other' });
  const promises = watchAwaits();
  const waiting = post(`/w/other${door}`, never);
  await until(() => promises.length === 1);
  controls.worlds.drop('other');
  expect(await promises[0]).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect((await waiting).status).toBe(503);
});

describe('when the world begins again', () => {
  it('an await reports that the container is gone', async () => {
    const emulator = await startWorld();
    await deploy(emulator);
    const waiting = emulator.controls.await(running).catch((error: unknown) => error);
    await emulator.controls.reset();
    expect(await waiting).toMatchObject({ code: 'CONFLICT', message: 'Container web is gone' });
  });

  it('an await waits for a restored container', async () => {
    const emulator = await startWorld();
    const { id } = await deploy(emulator);
    emulator.controls.snapshots.take({ name: 'young' });
    await emulator.controls.clock.advance('2s');
    const waiting = emulator.controls.await({ ...running, status: 'running' });
    await emulator.controls.snapshots.restore('young');
    expect(emulator.controls.containers.get(id).status).toBe('pending');
    await emulator.controls.clock.advance('3s');
    await emulator.controls.clock.advance('10s');
    expect((await waiting).status).toBe('running');
  });

  it('an await succeeds where a snapshot brings what it waits for', async () => {
    const emulator = await startWorld();
    await deploy(emulator);
    emulator.controls.snapshots.take({ name: 'young' });
    await emulator.controls.clock.advance('1m');
    emulator.controls.snapshots.take({ name: 'grown' });
    await emulator.controls.snapshots.restore('young');
    const waiting = emulator.controls.await(running);
    await emulator.controls.snapshots.restore('grown');
    expect((await waiting).status).toBe('running');
  });
});
