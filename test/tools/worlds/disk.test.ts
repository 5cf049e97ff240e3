// Worlds in files of their own: opened when asked for, closed when others need the place, there again after a restart.

import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../../src/client.js';
import { startClock } from '../../../src/core/clock.js';
import type { WorldInfo } from '../../../src/tools/worlds/request.js';
import { sampleOf } from '../../support/campaign.js';
import { startCommand, tempDir } from '../../support/command.js';
import { damageRow } from '../../support/damage.js';
import { call, deploy, startEmulator } from '../../support/emulator.js';

const dirsIn = (dir: string): string[] =>
  readdirSync(join(dir, 'worlds')).filter((name) => /\.[0-9a-f]{8}$/.test(name));
const walsIn = (dir: string): string[] =>
  dirsIn(dir).filter((name) => readdirSync(join(dir, 'worlds', name)).includes('world.db-wal'));

const settings = (dataDir: string, open: number) => ({
  dataDir,
  worlds: { persist: true, open },
  containers: { urlStyle: 'path' as const },
});

it('a world on disk opens when it is first asked for, and the one that was used longest ago closes', async () => {
  const dataDir = tempDir();
  const emulator = await startEmulator(settings(dataDir, 2));
  const worlds = [];
  for (const id of ['a', 'b', 'c', 'd']) worlds.push(await emulator.createWorld({ id }));
  expect(walsIn(dataDir)).toEqual([]);
  const made = await Promise.all(worlds.map((world) => deploy(world)));
  await expect.poll(() => walsIn(dataDir).length).toBe(2);
  // Closed ones open again, with what was in them and with controls that were taken before.
  for (const [n, world] of worlds.entries()) {
    expect((await call(world, 'GET', `/api/v1/containers/${made[n].id}`)).status).toBe(200);
    expect(world.controls.requests.list().total).toBe(2);
  }
  await expect.poll(() => walsIn(dataDir).length).toBe(2);
});

it.each([true, false])('each world’s journal begins with number 1 (on disk: %s)', async (persist) => {
  const emulator = await startEmulator({ ...settings(tempDir(), 5), worlds: { persist } });
  for (const id of ['a', 'b', 'c']) {
    const world = await emulator.createWorld({ id });
    for (let n = 1; n <= 2; n++) await call(world, 'GET', '/api/v1/containers');
    expect([id, ...world.controls.requests.list().requests.map(({ seq }) => seq)]).toEqual([id, 2, 1]);
  }
});

it('worlds on disk are listed in pages without opening one', async () => {
  const dataDir = tempDir();
  const emulator = await startEmulator(settings(dataDir, 2));
  for (const id of ['team-b-1', 'team-a-2', 'team-a-1', 'team-a-3'])
    await emulator.controls.worlds.create({ id, ttl: '2h' });
  const ids = async (query: string): Promise<string[]> => {
    const { worlds, total } = (await (await emulator.fetch(`/_emulator/worlds${query}`)).json()) as any;
    return [...worlds.map(({ id }: { id: string }) => id), total];
  };
  expect(await ids('')).toEqual(['default', 'team-a-1', 'team-a-2', 'team-a-3', 'team-b-1', 5]);
  expect(await ids('?limit=1')).toEqual(['default', 5]);
  expect(await ids('?limit=2&after=default')).toEqual(['team-a-1', 'team-a-2', 5]);
  expect(await ids('?prefix=team-a-&after=team-a-2')).toEqual(['team-a-3', 3]);
  for (const method of ['GET', 'PUT'])
    expect(
      await (
        await emulator.fetch('/w/team-b-1/_emulator/world', {
          method,
          ...(method === 'PUT' && { body: '{"ttl":"2h"}' }),
        })
      ).json(),
    ).toMatchObject({ id: 'team-b-1' });
  expect(walsIn(dataDir)).toEqual([]);
});

it('a world on disk survives a restart with its clock, key, snapshots, ttl and settings of its creation', async () => {
  const dataDir = tempDir();
  const first = await startEmulator(settings(dataDir, 2));
  const request = { clock: { start: '2030-01-01T00:00:00Z', frozen: true }, ttl: '2h' } as const;
  const { apiKey } = await first.controls.worlds.open('kept', request);
  const world = connect({ url: `${first.url}/w/kept` });
  await world.controls.clock.advance('10m');
  await world.controls.snapshots.take({ name: 'then' });
  const { id } = await deploy({ fetch: world.fetch, apiKey });
  await first.close();

  const again = await startEmulator(settings(dataDir, 2));
  expect(again.controls.worlds.list()[1]).toMatchObject({
    id: 'kept',
    apiKey,
    now: '2030-01-01T00:10:00.000Z',
    ttlMs: 7_200_000,
  });
  expect(await again.controls.worlds.open('kept', request)).toMatchObject({ created: false, apiKey });
  await expect(again.controls.worlds.open('kept', { ttl: '3h' })).rejects.toThrow('created otherwise (clock, ttl)');
  expect(
    (await call(again, 'GET', '/api/v1/containers', undefined, { authorization: `Bearer ${apiKey}` })).body.error
      .message,
  ).toContain('"kept"');
  const kept = connect({ url: `${again.url}/w/kept` });
  expect((await call({ fetch: kept.fetch, apiKey }, 'GET', `/api/v1/containers/${id}`)).status).toBe(200);
  await kept.controls.snapshots.restore('then');
  expect((await call({ fetch: kept.fetch, apiKey }, 'GET', `/api/v1/containers/${id}`)).status).toBe(404);
});

it('the list holds the clock of a world that was open when the process was killed', async () => {
  const cwd = tempDir();
  const start = () => startCommand(['--quiet'], { cwd, env: { CLOUDEMU_WORLDS_PERSIST: 'true' } });
  const listed = async (url: string) => (await connect({ url }).controls.worlds.list())[1];
  const emulator = await start();
  const clock = { start: '2030-01-01T00:00:00Z', frozen: true };
  const { controls } = await connect({ url: emulator.url }).createWorld({ id: 'kept', clock });
  await controls.clock.advance('10m');
  await controls.scenarios.apply({ seed: 'other', clock: { start: '2031-01-01T00:00:00Z', frozen: true } });
  await controls.clock.advance('5m');
  const before = await listed(emulator.url);
  expect(before?.now).toBe('2031-01-01T00:05:00.000Z');
  await emulator.end('SIGKILL');

  const again = await start();
  const rest = ({ baseUrl: _, usedAt: __, bytes: ___, ...world }: WorldInfo) => world;
  expect(rest((await listed(again.url)) as WorldInfo)).toEqual(rest(before as WorldInfo));
  await again.end('SIGTERM');
});

it('a world on disk is deleted with its file when it is dropped or its ttl is over, open or closed', async () => {
  const dataDir = tempDir();
  const emulator = await startEmulator(settings(dataDir, 5));
  for (const id of ['dropped', 'unopened', 'opened', 'stays'])
    await emulator.controls.worlds.create({ id, ttl: id === 'stays' || id === 'dropped' ? '1h' : 1_000 });
  await emulator.fetch('/w/opened/api/v1/containers');
  emulator.controls.worlds.drop('dropped');
  const names = () => dirsIn(dataDir).map((name) => name.replace(/\..*/, ''));
  await expect.poll(names, { timeout: 15_000 }).toEqual(['stays']);
  // An id that is free again is that of another world.
  await emulator.controls.worlds.create({ id: 'dropped' });
  expect(emulator.controls.worlds.list().map(({ id }) => id)).toEqual(['default', 'dropped', 'stays']);
});

it('a world on disk needs a data directory', async () => {
  await expect(startEmulator({ worlds: { persist: true } })).rejects.toThrow('worlds.persist needs a data directory');
});

const noJson = '{broken';
const broken = 'is no JSON: unexpected character at line 1, column 2';
const other = 'is not as it was written:';

it.each(
  sampleOf(
    [
      ...['clock', 'initial-state', 'settings', 'counts', 'journal'].flatMap((row) => [
        [row, noJson, broken],
        [row, '5', `${other} (whole) must be an object`],
        [row, 'null', `${other} (whole) must be an object`],
      ]),
      ['clock', '{}', `${other} anchorVirtual is required`],
      ['clock', JSON.stringify({ ...startClock({ at: 0 }), floor: 1e300 }), `${other} floor must be at most`],
      ['initial-state', '{"at":"x"}', `${other} at must be a number`],
      ['settings', '[]', `${other} (whole) must be an object`],
      ['counts', '{"generation":1,"requests":-1}', `${other} requests must be at least 0`],
    ],
    8,
  ),
)('a world on disk reports each time that its row "%s" is damaged: %s', async (row, value, problem) => {
  const dataDir = tempDir();
  const first = await startEmulator(settings(dataDir, 2));
  await first.createWorld({ id: 'a' });
  await first.close();
  const reason = `world.db cannot be used: the row "${row}" of its table meta ${problem}`;

  damageRow(join(dataDir, 'worlds', dirsIn(dataDir)[0] ?? '', 'world.db'), row, value);
  const again = await startEmulator(settings(dataDir, 2));
  for (const path of ['/w/a/api/v1/containers', '/w/a/_emulator/clock', '/w/a/api/v1/containers']) {
    const { status, body } = await call(again, 'GET', path);
    expect([status, body.error.message]).toEqual([503, expect.stringContaining(reason)]);
  }
  await again.close();

  damageRow(join(dataDir, 'world.db'), row, value);
  for (let start = 1; start <= 2; start++) await expect(startEmulator(settings(dataDir, 2))).rejects.toThrow(reason);
});

it('the emulator releases the data directory when the list of worlds is damaged, and names the file', async () => {
  const dataDir = tempDir();
  const index = join(dataDir, 'worlds', 'index.db');
  await (await startEmulator(settings(dataDir, 2))).close();
  writeFileSync(index, 'no database at all, however long it is, until it is a page or more'.repeat(100));
  await expect(startEmulator(settings(dataDir, 2))).rejects.toThrow(`${index} cannot be used: file is not a database`);
  rmSync(index);
  await startEmulator(settings(dataDir, 2));
});

it('a world on disk opens with settings that an older version allowed, and leaves out those that are refused now', async () => {
  const dataDir = tempDir();
  const made = await startEmulator(settings(dataDir, 2));
  const scenario = { settings: { voice: { chunked: true } } };
  await made.createWorld({ id: 'a', scenario });
  await made.close();
  const older = { voice: { defaultVoice: 'narrator', chunked: true }, gone: 1 };
  for (const file of [join('worlds', dirsIn(dataDir)[0] ?? '', 'world.db'), 'world.db']) {
    damageRow(join(dataDir, file), 'settings', JSON.stringify(older));
  }
  const again = await startEmulator(settings(dataDir, 2));
  for (const world of ['', '/w/a']) {
    const { status, body } = await call(again, 'GET', `${world}/_emulator/config`);
    expect([status, body.voice]).toMatchObject([200, { defaultVoice: null, chunked: true }]);
  }
});
