// The live log stream: in order, without gap or duplicate, however time moves.

import { expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { call, deploy, startEmulator } from '../../support/emulator.js';
import { openStream, type SseMessage } from '../../support/sse.js';

const open = (emulator: Emulator, id: string, headers: Record<string, string> = {}) =>
  openStream(`${emulator.url}/api/v1/containers/${id}/logs/stream`, {
    authorization: `Bearer ${emulator.apiKey}`,
    ...headers,
  });
const logsOf = (messages: SseMessage[]) => messages.filter((m) => m.data.type === 'log').map((m) => m.data.data);
const allLogs = async (emulator: Emulator, id: string) =>
  (await call(emulator, 'GET', `/api/v1/containers/${id}/logs?tail=10000`)).body.logs;

it('delivers every line of ten minutes in one jump, in order', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  const stream = await open(emulator, id);
  await emulator.controls.clock.advance('10m');
  const logs = await allLogs(emulator, id);
  expect(logs.length).toBeGreaterThan(190);
  const messages = await stream.until(logs.length + 4);
  expect(logsOf(messages)).toEqual(logs);
  expect(messages.filter((m) => m.data.type === 'status').map((m) => m.data.data.status)).toEqual([
    'pending',
    'building',
    'deploying',
    'running',
  ]);
  expect(new Set(messages.map((m) => m.id)).size).toBe(messages.length);
  stream.close();
});

it('gives the same by many small steps as by one jump', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  const stream = await open(emulator, id);
  for (let i = 0; i < 60; i++) await emulator.controls.clock.advance('1s');
  const logs = await allLogs(emulator, id);
  const messages = await stream.until(logs.length + 4);
  expect(logsOf(messages)).toEqual(logs);
  stream.close();
});

it('begins again, and says so, where it is to resume from a time that a restore took back', async () => {
  const emulator = await startEmulator({ frozen: true });
  const { id } = await deploy(emulator);
  await emulator.controls.clock.advance('20s');
  emulator.controls.snapshots.take({ name: 'early' });
  await emulator.controls.clock.advance('1m');
  const first = await open(emulator, id);
  const later = (await first.until(10)).at(-1)?.id ?? '';
  first.close();
  await emulator.controls.snapshots.restore('early');
  const resumed = await open(emulator, id, { 'last-event-id': later });
  await emulator.controls.clock.advance('5s');
  const logs = await allLogs(emulator, id);
  const messages = await resumed.until(logs.length + 2);
  expect(messages[0]?.data.type).toBe('reset');
  expect(logsOf(messages)).toEqual(logs.slice(-logsOf(messages).length));
  expect(logsOf(messages).at(-1)).toEqual(logs.at(-1));
  resumed.close();
});

it('resumes after Last-Event-ID, wherever the stream broke', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  const first = await open(emulator, id);
  await emulator.controls.clock.advance('1m');
  const logs = await allLogs(emulator, id);
  const all = [...(await first.until(logs.length + 4))];
  first.close();
  for (const broken of [0, 3, 7, all.length - 1]) {
    const resumed = await open(emulator, id, { 'last-event-id': all[broken]?.id ?? '' });
    const rest = await resumed.until(all.length - broken - 1);
    expect(rest.map((m) => m.id)).toEqual(all.slice(broken + 1).map((m) => m.id));
    resumed.close();
  }
});

it('ends when the container is deleted', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  const stream = await open(emulator, id);
  await call(emulator, 'DELETE', `/api/v1/containers/${id}`);
  await stream.ended;
});

it('tells what people do, though time stands still', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  const stream = await open(emulator, id);
  await stream.until(2);
  emulator.controls.containers.skip(id, { status: 'running' });
  emulator.controls.containers.stop(id);
  const messages = await stream.until(5);
  expect(messages.filter((m) => m.data.type === 'status').map((m) => m.data.data.status)).toEqual([
    'pending',
    'running',
    'stopped',
  ]);
  stream.close();
});

it('shows lines as they come while the clock runs', async () => {
  const emulator = await startEmulator({
    frozen: false,
    containers: { timing: { pending: 20, building: 20, deploying: 20 } },
  });
  const { id } = await deploy(emulator);
  const stream = await open(emulator, id);
  const messages = await stream.until(13);
  expect(messages.some((m) => m.data.data.status === 'running')).toBe(true);
  stream.close();
});
