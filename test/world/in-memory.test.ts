// Worlds in memory close as those on disk do, and nobody can tell.

import { expect, it } from 'vitest';
import type { WorldInfo } from '../../src/tools/worlds/request.js';
import { call, deploy, startEmulator } from '../support/emulator.js';

type Emulator = Awaited<ReturnType<typeof startEmulator>>;

/** How many worlds are open beside the default one. */
async function openIn(emulator: Emulator): Promise<number> {
  const metrics = await (await emulator.fetch('/_emulator/metrics')).text();
  return Number(/^cloudemu_worlds\{state="open"\} (\d+)$/m.exec(metrics)?.[1]) - 1;
}

it('a world in memory is closed when others need its place, and opens again with all that was in it', async () => {
  const emulator = await startEmulator({ worlds: { open: 2 }, containers: { urlStyle: 'path' } });
  const clock = { start: '2030-01-01T00:00:00Z', frozen: true };
  const worlds = [];
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) worlds.push(await emulator.createWorld({ id, clock, ttl: '2h' }));
  expect(await openIn(emulator)).toBe(0);
  const made: { id: string }[] = [];
  for (const world of worlds) {
    made.push(await deploy(world));
    await world.controls.clock.advance('10m');
    world.controls.snapshots.take({ name: 'then' });
    made.push(await deploy(world, { name: 'later', project_name: 'later' }));
  }
  await expect.poll(() => openIn(emulator)).toBe(2);
  const listed = emulator.controls.worlds.list();
  expect(listed.map(({ id, now }: WorldInfo) => [id, now]).slice(1)).toEqual(
    worlds.map(({ id }) => [id, '2030-01-01T00:10:00.000Z']),
  );
  for (const [n, world] of worlds.entries()) {
    const get = async (which: number) =>
      (await call(world, 'GET', `/api/v1/containers/${made[2 * n + which]?.id}`)).status;
    expect([await get(0), await get(1), world.controls.requests.list().total]).toEqual([200, 200, 4]);
    await world.controls.snapshots.restore('then');
    expect([await get(0), await get(1), world.controls.requests.list().total]).toEqual([200, 404, 6]);
  }
  await expect.poll(() => openIn(emulator)).toBe(2);
});

it('the keys of a closed world in memory are known, those too that came after its creation', async () => {
  const emulator = await startEmulator({ worlds: { open: 1 } });
  const worlds = [];
  for (const id of ['a', 'b', 'c']) worlds.push(await emulator.createWorld({ id }));
  const late = worlds.map(({ controls }) => controls.keys.create({ name: 'late' }).apiKey);
  await expect.poll(() => openIn(emulator)).toBe(1);
  for (const [n, key] of late.entries()) {
    const { body } = await call(emulator, 'GET', '/api/v1/containers', undefined, { authorization: `Bearer ${key}` });
    expect(body.error.message).toContain(`"${worlds[n]?.id}"`);
  }
  emulator.controls.worlds.drop('a');
  const { body } = await call(emulator, 'GET', '/api/v1/containers', undefined, { authorization: `Bearer ${late[0]}` });
  expect(body.error.message).not.toContain('"a"');
});
