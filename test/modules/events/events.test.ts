// The events of a world: requests, markers, changes of the clock, and each status of a container at its instant.

import { expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import type { WorldEvent } from '../../../src/modules/events/controls.js';
import { call, deploy, startEmulator } from '../../support/emulator.js';
import { openStream, type SseReader } from '../../support/sse.js';

const open = (emulator: Emulator): Promise<SseReader> => openStream(`${emulator.url}/_emulator/events`, {});

/** Waits until so many events of a type have come, and returns their data. */
async function data(stream: SseReader, type: WorldEvent['type'], count: number): Promise<any[]> {
  for (;;) {
    const found = stream.messages.filter((message) => message.data.type === type);
    if (found.length >= count) return found.map((message) => message.data.data);
    await stream.until(stream.messages.length + 1);
  }
}

it('tells requests, the clock and each status that a container comes to, one jump or many', async () => {
  const emulator = await startEmulator({ timing: 'fast' });
  const stream = await open(emulator);
  const { id } = await deploy(emulator);
  const [request] = await data(stream, 'request', 1);
  expect(request).toEqual(emulator.controls.requests.list().requests[0]);
  expect((await data(stream, 'container', 1))[0]).toEqual({
    id,
    project_name: 'web',
    status: 'pending',
    at: '2026-01-01T00:00:00.000Z',
    error: null,
  });
  await emulator.controls.clock.advance('1m');
  const changes = await data(stream, 'container', 4);
  const { statusHistory } = emulator.controls.containers.get(id);
  expect(changes.map(({ status, at }) => ({ status, at }))).toEqual(statusHistory);
  expect(changes.at(-1)?.status).toBe('running');
  expect(await data(stream, 'clock', 1)).toEqual([
    { now: '2026-01-01T00:01:00.000Z', speed: 0, frozen: true, skewMs: 0 },
  ]);
  stream.close();
});

it('tells nothing of what was there already, and why one failed, was stopped or went', async () => {
  const emulator = await startEmulator({ timing: 'instant' });
  const { id } = await deploy(emulator);
  await emulator.controls.clock.advance('1m');
  const stream = await open(emulator);
  const { controls } = emulator;
  controls.containers.crash(id);
  const [failed] = await data(stream, 'container', 1);
  expect(failed).toMatchObject({ id, status: controls.containers.get(id).status });
  controls.containers.stop(id);
  expect((await data(stream, 'container', 2))[1]).toMatchObject({ status: 'stopped' });
  await call(emulator, 'DELETE', `/api/v1/containers/${id}`);
  expect((await data(stream, 'container', 3))[2]).toMatchObject({ id, project_name: 'web', status: 'deleted' });
  stream.close();
});

it('tells statuses as they come due by themselves', async () => {
  const emulator = await startEmulator({ timing: 'fast', frozen: false });
  const stream = await open(emulator);
  await deploy(emulator, { ecr_image_uri: 'r/a:fail-exec-format' });
  emulator.controls.clock.resume({ speed: 600 });
  const changes = await data(stream, 'container', 4);
  const failed = changes.at(-1);
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('exec format error') });
  stream.close();
});

it('marks a reset, and takes no container that it swept away for a deleted one', async () => {
  const emulator = await startEmulator({ timing: 'fast' });
  await deploy(emulator);
  const stream = await open(emulator);
  await emulator.controls.reset();
  const { id } = await deploy(emulator, { project_name: 'again', name: 'again' });
  expect(await data(stream, 'marker', 1)).toMatchObject([{ event: 'reset' }]);
  await emulator.controls.clock.advance('1m');
  const changes = await data(stream, 'container', 4);
  expect(changes.every((change) => change.id === id && change.status !== 'deleted')).toBe(true);
  stream.close();
});

it('is read in process, and ends with the emulator', async () => {
  const emulator = await startEmulator();
  const types: string[] = [];
  const reading = (async () => {
    for await (const { type } of emulator.controls.events()) types.push(type);
  })();
  await Promise.resolve();
  await call(emulator, 'GET', '/api/v1/containers');
  emulator.controls.clock.resume();
  await call(emulator, 'GET', '/api/v1/containers');
  await emulator.close();
  await reading;
  expect(types).toEqual(['request', 'clock', 'request']);
});

it('leaves nothing behind when its reader goes', async () => {
  const emulator = await startEmulator({ timing: 'fast' });
  await deploy(emulator);
  const abort = new AbortController();
  setImmediate(() => emulator.controls.clock.freeze());
  for await (const { type } of emulator.controls.events({ signal: abort.signal })) {
    expect(type).toBe('clock');
    abort.abort();
  }
  const stream = await open(emulator);
  stream.close();
  await stream.ended;
});
