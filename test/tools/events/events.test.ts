// The events of a world: requests, markers, changes of the clock, and each status of a container at its instant.

import { expect, it, vi } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import type { WorldEvent } from '../../../src/tools/events/control.js';
import { itFull } from '../../support/campaign.js';
import { call, deploy, image, startWorld } from '../../support/emulator.js';
import { openStream, type SseReader } from '../../support/sse.js';

const open = (world: EmulatorWorld): Promise<SseReader> => openStream(`${world.url}/_emulator/events`, {});

/** Waits until so many events of a type have come, and returns their data. */
async function data(stream: SseReader, type: WorldEvent['type'], count: number): Promise<any[]> {
  for (;;) {
    const found = stream.messages.filter((message) => message.data.type === type);
    if (found.length >= count) return found.map((message) => message.data.data);
    await stream.until(stream.messages.length + 1);
  }
}

it('the stream of events reports requests, the clock and each status that a container comes to, one jump or many', async () => {
  const world = await startWorld({ timing: 'fast' });
  const stream = await open(world);
  const { id } = await deploy(world);
  const [request] = await data(stream, 'request', 1);
  expect(request).toEqual(world.controls.requests.list().requests[0]);
  expect((await data(stream, 'container', 1))[0]).toEqual({
    id,
    project_name: 'web',
    status: 'pending',
    at: '2026-01-01T00:00:00.000Z',
    error: null,
  });
  await world.controls.clock.advance('1m');
  const changes = await data(stream, 'container', 4);
  const { statusHistory } = world.controls.containers.get(id);
  expect(changes.map(({ status, at }) => ({ status, at }))).toEqual(statusHistory);
  expect(changes.at(-1)?.status).toBe('running');
  expect(await data(stream, 'clock', 1)).toEqual([
    { now: '2026-01-01T00:01:00.000Z', speed: 0, frozen: true, skewMs: 0 },
  ]);
  stream.close();
});

it('the stream of events reports nothing of what was there already, and why a container failed, was stopped or went', async () => {
  const world = await startWorld({ timing: 'instant' });
  const { id } = await deploy(world);
  await world.controls.clock.advance('1m');
  const stream = await open(world);
  const { controls } = world;
  controls.containers.crash(id);
  const [failed] = await data(stream, 'container', 1);
  expect(failed).toMatchObject({ id, status: controls.containers.get(id).status });
  controls.containers.stop(id);
  expect((await data(stream, 'container', 2))[1]).toMatchObject({ status: 'stopped' });
  await call(world, 'DELETE', `/api/v1/containers/${id}`);
  expect((await data(stream, 'container', 3))[2]).toMatchObject({ id, project_name: 'web', status: 'deleted' });
  stream.close();
});

it('the stream of events reports statuses as they come due by themselves', async () => {
  const world = await startWorld({ timing: 'fast', frozen: false });
  const stream = await open(world);
  await deploy(world, { ecr_image_uri: 'r/a:fail-exec-format' });
  world.controls.clock.resume({ speed: 600 });
  const changes = await data(stream, 'container', 4);
  const failed = changes.at(-1);
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('exec format error') });
  stream.close();
});

it('the stream of events marks a reset, and takes no container that it swept away for a deleted one', async () => {
  const world = await startWorld({ timing: 'fast' });
  await deploy(world);
  const stream = await open(world);
  await world.controls.reset();
  const { id } = await deploy(world, { project_name: 'again', name: 'again' });
  expect(await data(stream, 'marker', 1)).toMatchObject([{ event: 'reset' }]);
  await world.controls.clock.advance('1m');
  const changes = await data(stream, 'container', 4);
  expect(changes.every((change) => change.id === id && change.status !== 'deleted')).toBe(true);
  stream.close();
});

itFull(
  'the stream of events reports each status of many containers once, also of those that change before their turn has come',
  async () => {
    const world = await startWorld({ timing: 'fast', rateLimits: { enabled: false }, quotas: { enabled: false } });
    const ids: string[] = [];
    for (let n = 0; n < 230; n++) ids.push((await deploy(world, { name: `many-${n}`, project_name: `many-${n}` })).id);
    const [stopped = '', failed = '', unchanged = '', deleted = ''] = ids;
    const seen = new Map<string, string[]>(ids.map((id) => [id, []]));
    const abort = new AbortController();
    const reading = (async () => {
      for await (const { type, data } of world.controls.events({ signal: abort.signal })) {
        if (type !== 'container') continue;
        seen.set(data.id, [...(seen.get(data.id) ?? []), data.status]);
      }
    })();
    // The clock is frozen: what these had already, and what they come to now, has one instant.
    world.controls.containers.stop(stopped);
    world.controls.containers.skip(failed);
    world.controls.containers.fail(failed);
    await call(world, 'DELETE', `/api/v1/containers/${deleted}`);
    const { id: added } = await deploy(world, { name: 'added', project_name: 'added' });
    await vi.waitFor(() => expect(seen.get(added)).toEqual(['pending']));
    expect(seen.get(stopped)).toEqual(['stopped']);
    expect(seen.get(failed)).toEqual(
      world.controls.containers
        .get(failed)
        .statusHistory.slice(1)
        .map(({ status }) => status),
    );
    expect(seen.get(deleted)).toEqual(['deleted']);
    expect(seen.get(unchanged)).toEqual([]);
    await world.controls.clock.advance('1m');
    await vi.waitFor(() => {
      const comeTo = new Set(ids.slice(4).map((id) => seen.get(id)?.join(' ')));
      expect([...comeTo]).toEqual(['building deploying running']);
    });
    abort.abort();
    await reading;
  },
);

itFull(
  'the stream of events reports nothing of what a restore of many containers has put back, and what happens to them from then on',
  async () => {
    const world = await startWorld({ timing: 'fast', rateLimits: { enabled: false }, quotas: { enabled: false } });
    const ids: string[] = [];
    for (let n = 0; n < 120; n++) ids.push((await deploy(world, { name: `many-${n}`, project_name: `many-${n}` })).id);
    const [stopped = '', ...others] = ids;
    world.controls.snapshots.take({ name: 'before' });
    const seen: string[] = [];
    const abort = new AbortController();
    const reading = (async () => {
      for await (const { type, data } of world.controls.events({ signal: abort.signal }))
        if (type === 'container') seen.push(`${data.id} ${data.status}`);
    })();
    await world.controls.clock.advance('1m');
    await vi.waitFor(() => expect(seen).toHaveLength(3 * ids.length));
    await world.controls.snapshots.restore('before');
    seen.length = 0;
    world.controls.containers.stop(stopped);
    await world.controls.clock.advance('1m');
    await vi.waitFor(() => expect(seen).toHaveLength(1 + 3 * others.length));
    expect(seen.filter((change) => change.startsWith(stopped))).toEqual([`${stopped} stopped`]);
    abort.abort();
    await reading;
  },
);

it('the stream of events is read in process, and ends with the emulator', async () => {
  const world = await startWorld();
  const types: string[] = [];
  const reading = (async () => {
    for await (const { type } of world.controls.events()) types.push(type);
  })();
  await Promise.resolve();
  await call(world, 'GET', '/api/v1/containers');
  world.controls.clock.resume();
  await call(world, 'GET', '/api/v1/containers');
  await world.close();
  await reading;
  expect(types).toEqual(['request', 'clock', 'request']);
});

it('the stream of events leaves nothing behind when its reader goes', async () => {
  const world = await startWorld({ timing: 'fast' });
  await deploy(world);
  const abort = new AbortController();
  setImmediate(() => world.controls.clock.freeze());
  for await (const { type } of world.controls.events({ signal: abort.signal })) {
    expect(type).toBe('clock');
    abort.abort();
  }
  const stream = await open(world);
  stream.close();
  await stream.ended;
});

it('a jump of the clock waits for the reader of events, also right after the stream was opened', async () => {
  const world = await startWorld({ timing: 'fast' });
  await deploy(world);
  const abort = new AbortController();
  const statuses: string[] = [];
  const reading = (async () => {
    for await (const { type, data } of world.controls.events({ signal: abort.signal }))
      if (type === 'container') statuses.push((data as { status: string }).status);
  })();
  await world.controls.clock.advance('1m');
  abort.abort();
  await reading;
  expect(statuses).toEqual(['building', 'deploying', 'running']);
});

it('the stream of events does not call the containers of other data deleted that a scenario puts in their place', async () => {
  const world = await startWorld({ timing: 'fast' });
  await deploy(world);
  const stream = await open(world);
  await world.controls.scenarios.apply({
    clock: { start: '2026-03-01T00:00:00Z', frozen: true },
    data: { containers: [{ project_name: 'new', ecr_image_uri: image }] },
  });
  const { id } = await deploy(world, { name: 'last', project_name: 'last' });
  for (let count = 1; ; count++) {
    const changes = await data(stream, 'container', count);
    expect(changes.at(-1)?.status).not.toBe('deleted');
    if (changes.at(-1)?.id === id) break;
  }
  stream.close();
});
