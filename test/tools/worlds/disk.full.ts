// Worlds on disk: many more than are open, and a process that is killed.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../../src/client.js';
import { openDb } from '../../../src/db/db.js';
import { startCommand, tempDir } from '../../support/command.js';
import { call, deploy } from '../../support/emulator.js';
import { eventually } from '../../support/eventually.js';
import { spread } from '../../support/spread.js';

const dirsIn = (dir: string): string[] =>
  readdirSync(join(dir, 'worlds')).filter((name) => /\.[0-9a-f]{8}$/.test(name));
const env = { CLOUDEMU_WORLDS_PERSIST: 'true', CLOUDEMU_WORLDS_OPEN: '50', CLOUDEMU_CONTAINERS_URL_STYLE: 'path' };

it('a world on disk loses nothing acknowledged when the process is killed, and locks its files against other processes', async () => {
  const cwd = tempDir();
  const start = () => startCommand(['--quiet', '--seed', 'killed'], { cwd, env });
  const emulator = await start();
  const world = await connect({ url: emulator.url }).createWorld({ id: 'kept' });
  const { id } = await deploy(world);
  const [name = ''] = dirsIn(join(cwd, '.cloudemu'));
  const file = join(cwd, '.cloudemu', 'worlds', name, 'world.db');
  expect(() => openDb(file)).toThrow('locked');
  await expect(start()).rejects.toThrow();
  await emulator.end('SIGKILL');

  const again = await start();
  const kept = connect({ url: `${again.url}/w/kept` });
  expect((await call({ fetch: kept.fetch, apiKey: world.apiKey }, 'GET', `/api/v1/containers/${id}`)).status).toBe(200);
  await again.end('SIGTERM');
});

it('worlds on disk use memory for the open ones only, however many exist', async () => {
  const cwd = tempDir();
  const emulator = await startCommand(['--quiet', '--seed', 'many'], { cwd, env });
  const open = connect({ url: emulator.url }).controls.worlds.open;
  const memory = (): number => {
    const status = readFileSync(`/proc/${emulator.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
  };
  const use = async (from: number, to: number): Promise<void> => {
    const numbers = Array.from({ length: to - from }, (_, n) => from + n);
    await spread(numbers, async (n) => {
      const { apiKey } = await open(`w-${n}`, { ttl: '1d' });
      const listed = await fetch(`${emulator.url}/w/w-${n}/api/v1/containers`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      expect(listed.status).toBe(200);
      await listed.text();
    });
  };
  await use(0, 300);
  const before = memory();
  await use(300, 1_200);
  // In memory, 900 worlds would take some 250 MB.
  expect(memory() - before).toBeLessThan(90);
  const opened = (): string[] =>
    dirsIn(join(cwd, '.cloudemu')).filter((name) =>
      readdirSync(join(cwd, '.cloudemu', 'worlds', name)).includes('world.db-wal'),
    );
  await eventually(() => opened().length <= 50);
  await emulator.end('SIGTERM');
});
