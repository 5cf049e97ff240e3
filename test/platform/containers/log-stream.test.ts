// The live log stream: in order, without gap or duplicate, however time moves.

import { expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { call, deploy, startWorld } from '../../support/emulator.js';
import { openStream, type SseMessage } from '../../support/sse.js';

const open = (world: EmulatorWorld, id: string, headers: Record<string, string> = {}) =>
  openStream(`${world.url}/api/v1/containers/${id}/logs/stream`, {
    authorization: `Bearer ${world.apiKey}`,
    ...headers,
  });
const logsOf = (messages: SseMessage[]) => messages.filter((m) => m.data.type === 'log').map((m) => m.data.data);
const allLogs = async (world: EmulatorWorld, id: string) =>
  (await call(world, 'GET', `/api/v1/containers/${id}/logs?tail=10000`)).body.logs;

it('a log stream delivers every line of ten minutes in one jump, in order', async () => {
  const world = await startWorld();
  const { id } = await deploy(world);
  const stream = await open(world, id);
  await world.controls.clock.advance('10m');
  const logs = await allLogs(world, id);
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

it('a log stream begins again, and says so, where it is to resume from a time that a restore took back', async () => {
  const world = await startWorld({ frozen: true });
  const { id } = await deploy(world);
  await world.controls.clock.advance('20s');
  world.controls.snapshots.take({ name: 'early' });
  await world.controls.clock.advance('1m');
  const first = await open(world, id);
  const later = (await first.until(10)).at(-1)?.id ?? '';
  first.close();
  await world.controls.snapshots.restore('early');
  const resumed = await open(world, id, { 'last-event-id': later });
  await world.controls.clock.advance('5s');
  const logs = await allLogs(world, id);
  const messages = await resumed.until(logs.length + 2);
  expect(messages[0]?.data.type).toBe('reset');
  expect(logsOf(messages)).toEqual(logs.slice(-logsOf(messages).length));
  expect(logsOf(messages).at(-1)).toEqual(logs.at(-1));
  resumed.close();
});

it('a log stream resumes after Last-Event-ID, wherever the stream broke', async () => {
  const world = await startWorld();
  const { id } = await deploy(world);
  const first = await open(world, id);
  await world.controls.clock.advance('1m');
  const logs = await allLogs(world, id);
  const all = [...(await first.until(logs.length + 4))];
  first.close();
  for (const broken of [0, 3, 7, all.length - 1]) {
    const resumed = await open(world, id, { 'last-event-id': all[broken]?.id ?? '' });
    const rest = await resumed.until(all.length - broken - 1);
    expect(rest.map((m) => m.id)).toEqual(all.slice(broken + 1).map((m) => m.id));
    resumed.close();
  }
});

it('a log stream ends when the container is deleted', async () => {
  const world = await startWorld();
  const { id } = await deploy(world);
  const stream = await open(world, id);
  await call(world, 'DELETE', `/api/v1/containers/${id}`);
  await stream.ended;
});

it('a log stream reports interventions, though time stands still', async () => {
  const world = await startWorld();
  const { id } = await deploy(world);
  const stream = await open(world, id);
  await stream.until(2);
  world.controls.containers.skip(id, { status: 'running' });
  world.controls.containers.stop(id);
  const messages = await stream.until(5);
  expect(messages.filter((m) => m.data.type === 'status').map((m) => m.data.data.status)).toEqual([
    'pending',
    'running',
    'stopped',
  ]);
  stream.close();
});

it('a log stream shows lines as they come while the clock runs', async () => {
  const world = await startWorld({
    frozen: false,
    containers: { timing: { pending: 20, building: 20, deploying: 20 } },
  });
  const { id } = await deploy(world);
  const stream = await open(world, id);
  const messages = await stream.until(13);
  expect(messages.some((m) => m.data.data.status === 'running')).toBe(true);
  stream.close();
});

it('a log stream shows the last lines of a level, however many others have come since, as the list does', async () => {
  const world = await startWorld({ frozen: true });
  const { id } = await deploy(world);
  await world.controls.clock.advance('20s');
  await world.controls.containers.crash(id);
  await world.controls.containers.recover(id);
  await world.controls.clock.advance('6h');
  const path = `/api/v1/containers/${id}/logs`;
  const wanted = async (query: string) => (await call(world, 'GET', `${path}?${query}`)).body.logs;
  const errors = await wanted('level=error');
  expect(errors.map(({ message }: any) => message)).toEqual([expect.stringContaining('exit code 1')]);
  const warnings = await wanted('tail=200&level=warn');
  expect(warnings).toHaveLength(200);
  expect(await wanted('tail=3&level=warn')).toEqual(warnings.slice(-3));
  expect(await wanted('level=debug')).toEqual([]);

  const stream = await openStream(`${world.url}${path}/stream?level=error`, {
    authorization: `Bearer ${world.apiKey}`,
  });
  await world.controls.containers.crash(id);
  const messages = await stream.until(5);
  expect(logsOf(messages)).toEqual([...errors, ...(await wanted('tail=1&level=error'))]);
  expect(messages.map((m) => m.data.data.status ?? 'line')).toEqual(['failed', 'line', 'running', 'failed', 'line']);
  stream.close();
});

it.each(['text/plain', 'Text/Plain; charset=utf-8'])(
  'the list of logs comes as lines for a client that accepts %s',
  async (accept) => {
    const world = await startWorld({ frozen: true });
    const { id } = await deploy(world);
    const { text } = await call(world, 'GET', `/api/v1/containers/${id}/logs`, undefined, { accept });
    expect(text).toMatch(/^2026-01-01T00:00:00.000Z INFO Deployment accepted: .*\n$/);
  },
);
