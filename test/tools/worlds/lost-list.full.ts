// Worlds on disk that their list has lost: they are listed again from what their own directories say, and nothing is
// removed but what was being made or ended.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../../src/client.js';
import { openSqlite } from '../../../src/db/sqlite.js';
import { startCommand, tempDir } from '../../support/command.js';
import { call, deploy, startEmulator } from '../../support/emulator.js';
import { image, layer, logIn } from '../../support/oci.js';

const settings = (dataDir: string, open = 1) => ({
  dataDir,
  worlds: { persist: true, open },
  containers: { urlStyle: 'path' as const },
});
const dirOf = (dataDir: string, id: string): string => {
  const worlds = join(dataDir, 'worlds');
  return join(worlds, readdirSync(worlds).find((name) => name.startsWith(`${id}.`)) ?? 'none');
};

/** A data directory with two worlds, of which one was used and one never opened, and a copy of its list before both. */
async function withWorlds(): Promise<{ dataDir: string; older: string; apiKey: string; id: string; free: string }> {
  const dataDir = tempDir();
  const older = tempDir();
  await (await startEmulator(settings(dataDir))).close();
  cpSync(join(dataDir, 'worlds'), older, { recursive: true });
  const emulator = await startEmulator(settings(dataDir));
  const clock = { start: '2030-01-01T00:00:00Z', frozen: true } as const;
  const used = await emulator.createWorld({ id: 'used', label: 'sky', clock });
  const { id } = await deploy(used);
  await used.controls.clock.advance('10m');
  used.controls.snapshots.take({ name: 'then' });
  const { apiKey: free } = await emulator.controls.worlds.create({ id: 'unopened', ttl: '2h', seed: 'other' });
  await emulator.close();
  return { dataDir, older, apiKey: used.apiKey, id, free };
}

async function bothAreThere(
  dataDir: string,
  { apiKey, id, free }: { apiKey: string; id: string; free: string },
  more = 0,
) {
  const emulator = await startEmulator(settings(dataDir));
  const [unopened, used] = emulator.controls.worlds.list().slice(1 + more);
  expect([unopened, used]).toMatchObject([
    { id: 'unopened', apiKey: free, ttlMs: 7_200_000 },
    { id: 'used', apiKey, label: 'sky', now: '2030-01-01T00:10:00.000Z', frozen: true },
  ]);
  const world = connect({ url: `${emulator.url}/w/used` });
  expect((await call({ fetch: world.fetch, apiKey }, 'GET', `/api/v1/containers/${id}`)).status).toBe(200);
  expect(await world.controls.snapshots.list()).toMatchObject([{ name: 'then' }]);
  const again = { clock: { start: '2030-01-01T00:00:00Z', frozen: true }, label: 'sky' } as const;
  expect(await emulator.controls.worlds.open('used', again)).toMatchObject({ created: false });
  // A key still names its world to clients that send it elsewhere.
  const { body } = await call(emulator, 'GET', '/api/v1/containers', undefined, { authorization: `Bearer ${free}` });
  expect(body.error.message).toContain('"unopened"');
  await emulator.close();
}

it.each<[string, (worlds: string, older: string) => void]>([
  ['older', (worlds, older) => cpSync(join(older, 'index.db'), join(worlds, 'index.db'))],
  ['gone', (worlds) => rmSync(join(worlds, 'index.db'))],
  ['empty', (worlds) => writeFileSync(join(worlds, 'index.db'), '')],
])('worlds on disk are listed again where the list is %s', async (_, lose) => {
  const made = await withWorlds();
  const { dataDir, older } = made;
  lose(join(dataDir, 'worlds'), older);
  await bothAreThere(dataDir, made);
});

it('worlds on disk are listed again where the log of the list was not copied, and the start says so', async () => {
  const cwd = tempDir();
  const env = { CLOUDEMU_WORLDS_PERSIST: 'true' };
  const emulator = await startCommand(['--quiet'], { cwd, env });
  const { apiKey } = await connect({ url: emulator.url }).createWorld({ id: 'blue' });
  await emulator.end('SIGKILL');
  const worlds = join(cwd, '.cloudemu/worlds');
  for (const ending of ['-wal', '-shm']) rmSync(join(worlds, `index.db${ending}`), { force: true });
  const again = await startCommand(['--quiet'], { cwd, env });
  expect(again.stderr()).toContain(`The list of worlds had lost the world "blue": it is listed again, from ${worlds}`);
  expect((await connect({ url: again.url }).controls.worlds.list())[1]).toMatchObject({ id: 'blue', apiKey });
  await again.end('SIGTERM');
});

it('a directory that says nothing of its world is left as it is, and named at each start', async () => {
  const { dataDir, older } = await withWorlds();
  const dir = dirOf(dataDir, 'used');
  rmSync(join(dir, 'world.json'));
  cpSync(join(older, 'index.db'), join(dataDir, 'worlds/index.db'));
  const foreign = join(dataDir, 'worlds/notes.12345678');
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'mine.txt'), 'mine');
  for (let start = 1; start <= 2; start++) {
    const warnings: string[] = [];
    const listen = ({ message }: Error): unknown => warnings.push(message);
    process.on('warning', listen);
    const emulator = await startEmulator(settings(dataDir));
    process.off('warning', listen);
    expect(warnings.filter((text) => text.includes('stays as it is'))).toEqual([
      expect.stringContaining(foreign),
      expect.stringContaining(dir),
    ]);
    expect(emulator.controls.worlds.list().map(({ id }) => id)).toEqual(['default', 'unopened']);
    await emulator.close();
    expect([existsSync(join(dir, 'world.db')), existsSync(join(foreign, 'mine.txt'))]).toEqual([true, true]);
  }
});

it('a start removes what was being made or ended when the process was killed, and nothing else', async () => {
  const { dataDir, older } = await withWorlds();
  const [used, unopened] = [dirOf(dataDir, 'used'), dirOf(dataDir, 'unopened')];
  cpSync(join(older, 'index.db'), join(dataDir, 'worlds/index.db'));
  renameSync(unopened, `${unopened}.unfinished`);
  writeFileSync(join(used, 'ended'), '');
  const emulator = await startEmulator(settings(dataDir));
  expect(emulator.controls.worlds.list().map(({ id }) => id)).toEqual(['default']);
  expect([existsSync(used), existsSync(`${unopened}.unfinished`)]).toEqual([false, false]);
});

it('a world whose directory is gone is no longer listed, and one whose file is gone is refused', async () => {
  const { dataDir } = await withWorlds();
  rmSync(dirOf(dataDir, 'used'), { recursive: true });
  rmSync(join(dirOf(dataDir, 'unopened'), 'world.db'));
  const emulator = await startEmulator(settings(dataDir));
  expect(emulator.controls.worlds.list().map(({ id }) => id)).toEqual(['default', 'unopened']);
  const { status, body } = await call(emulator, 'GET', '/w/unopened/api/v1/containers');
  expect([status, body.error.message]).toEqual([503, expect.stringContaining('world.db is gone')]);
  emulator.controls.worlds.drop('unopened');
  expect(emulator.controls.worlds.list().map(({ id }) => id)).toEqual(['default']);
});

it('a world on disk has everything in its database file a moment after the last write, so that a copy of it alone holds it', async () => {
  const [dataDir, copy] = [tempDir(), tempDir()];
  const emulator = await startEmulator(settings(dataDir, 5));
  const { id } = await deploy(emulator);
  const blue = await emulator.createWorld({ id: 'blue' });
  const { id: other } = await deploy(blue);
  const files: [string, string, string][] = [
    [join(dataDir, 'world.db'), emulator.apiKey, id],
    [join(dirOf(dataDir, 'blue'), 'world.db'), blue.apiKey, other],
  ];
  for (const [n, [file, apiKey, made]] of files.entries()) {
    const holds = async (): Promise<number> => {
      const alone = join(copy, `${n}-${performance.now()}`);
      mkdirSync(alone);
      cpSync(file, join(alone, 'world.db'));
      const from = await startEmulator({ dataDir: alone, seed: n === 0 ? 'test' : undefined } as never);
      const { status } = await call({ fetch: from.fetch, apiKey }, 'GET', `/api/v1/containers/${made}`);
      await from.close();
      return status;
    };
    await expect.poll(holds, { timeout: 15_000, interval: 500 }).toBe(200);
  }
});

it('a world that was used after an older list was written is read again: its end, its images, its first opening', async () => {
  const [dataDir, older] = [tempDir(), tempDir()];
  const list = join(dataDir, 'worlds/index.db');
  const first = await startEmulator(settings(dataDir));
  const { apiKey } = await first.controls.worlds.create({ id: 'used', ttl: '1h' });
  await first.controls.worlds.create({ id: 'unopened', ttl: '1h' });
  await first.close();
  cpSync(list, join(older, 'new'));
  const push = async (emulator: Awaited<ReturnType<typeof startEmulator>>, tag: string) => {
    const world = connect({ url: `${emulator.url}/w/used` });
    const repository = await logIn({ ...world, apiKey, url: `${emulator.url}/w/used` } as never);
    const pushed = image({ layers: [layer(`of ${tag}`)] });
    await repository.push(tag, pushed);
    return pushed;
  };
  const second = await startEmulator(settings(dataDir));
  await push(second, 'v1');
  await second.close();
  cpSync(list, join(older, 'closed'));
  const third = await startEmulator(settings(dataDir));
  const pushed = await push(third, 'v2');
  await third.close();

  for (const name of ['new', 'closed']) {
    cpSync(join(older, name), list);
    const db = openSqlite(list);
    // A world that was last used so long ago would end at once.
    db.exec("UPDATE worlds SET ends_at = 1 WHERE id = 'used'");
    db.close();
    const warnings: string[] = [];
    const listen = ({ message }: Error): unknown => warnings.push(message);
    process.on('warning', listen);
    const emulator = await startEmulator(settings(dataDir));
    process.off('warning', listen);
    expect(warnings).toEqual([expect.stringContaining('The list of worlds was older than the world "used"')]);
    expect(emulator.controls.worlds.list().map(({ id }) => id)).toEqual(['default', 'unopened', 'used']);
    // Layers that no world needs are collected after a moment.
    await push(emulator, `after-${name}`);
    const world = connect({ url: `${emulator.url}/w/used` });
    const repository = await logIn({ ...world, apiKey, url: `${emulator.url}/w/used` } as never);
    for (const { digest } of pushed.blobs) {
      expect((await repository.send('GET', `/blobs/${digest}`)).status).toBe(200);
    }
    await emulator.close();
  }
});

it('a list that an older copy and a newer log have damaged is made again, and kept', async () => {
  const made = await withWorlds();
  const { dataDir } = made;
  const list = join(dataDir, 'worlds/index.db');
  const emulator = await startEmulator(settings(dataDir));
  for (let n = 0; n < 30; n++) await emulator.controls.worlds.create({ id: `more-${n}`, label: 'x'.repeat(900) });
  const log = readFileSync(`${list}-wal`);
  await emulator.close();
  // The pages of the middle are of another time.
  const bytes = readFileSync(list);
  writeFileSync(list, Buffer.concat([bytes.subarray(0, 4_096), Buffer.alloc(8_192, 1), bytes.subarray(12_288)]));
  writeFileSync(`${list}-wal`, log.subarray(0, 32));
  await bothAreThere(dataDir, made, 30);
  expect(existsSync(`${list}.damaged`)).toBe(true);
});

it('a world that ended after an older list was written is forgotten, also where the process was killed before it was gone', async () => {
  const { dataDir, apiKey } = await withWorlds();
  const used = dirOf(dataDir, 'used');
  writeFileSync(join(used, 'ended'), '');
  rmSync(join(used, 'world.db'));
  const emulator = await startEmulator(settings(dataDir));
  expect(emulator.controls.worlds.list().map(({ id }) => id)).toEqual(['default', 'unopened']);
  expect([existsSync(used), apiKey.length > 10]).toEqual([false, true]);
});

it('a world whose directory does not say which one it is keeps its layers', async () => {
  const { dataDir, older, apiKey } = await withWorlds();
  const push = async (emulator: Awaited<ReturnType<typeof startEmulator>>, id: string, key: string, text: string) => {
    const url = `${emulator.url}/w/${id}`;
    const repository = await logIn({ ...connect({ url }), apiKey: key, url } as never);
    const pushed = image({ layers: [layer(text)] });
    await repository.push('v1', pushed);
    return pushed.blobs.map(({ digest }) => join(dataDir, 'registry/sha256', digest.slice('sha256:'.length)));
  };
  const first = await startEmulator(settings(dataDir));
  const kept = await push(first, 'used', apiKey, 'of the world that is set aside');
  await first.close();
  rmSync(join(dirOf(dataDir, 'used'), 'world.json'));
  cpSync(join(older, 'index.db'), join(dataDir, 'worlds/index.db'));
  const second = await startEmulator(settings(dataDir));
  expect(second.controls.worlds.list().map(({ id }) => id)).toEqual(['default', 'unopened']);
  const other = await second.controls.worlds.create({ id: 'other' });
  const needless = await push(second, 'other', other.apiKey, 'that nobody needs any more');
  second.controls.worlds.drop('other');
  await expect.poll(() => needless.some((file) => existsSync(file))).toBe(false);
  expect(kept.filter((file) => !existsSync(file))).toEqual([]);
});
