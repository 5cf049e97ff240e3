// All that the emulator keeps is its owner's alone, whatever the umask: the data directory, snapshots, exports, the run file.

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeRunFile } from '../../src/cli/run-file.js';
import { createPrivately, writePrivately } from '../../src/core/private-files.js';
import { createEmulator } from '../../src/index.js';
import { image } from '../support/emulator.js';

let dir: string;
let umask: number;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cloudemu-private-'));
  umask = process.umask(0);
});
afterEach(() => {
  process.umask(umask);
  rmSync(dir, { recursive: true, force: true });
});

/** The paths under a directory, itself included, with their modes. */
function modesOf(path: string): Record<string, string> {
  const names = ['', ...(readdirSync(path, { recursive: true }) as string[])];
  return Object.fromEntries(names.map((name) => [name, (statSync(join(path, name)).mode & 0o777).toString(8)]));
}

async function fill(data: string): Promise<Record<string, string>> {
  const emulator = await createEmulator({ dataDir: data });
  try {
    await emulator.fetch('/api/v1/containers', {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.apiKey}` },
      body: JSON.stringify({ name: 'web', project_name: 'web', ecr_image_uri: image }),
    });
    emulator.controls.snapshots.take({ name: 'first' });
    const remove = await writeRunFile(data, { ...emulator, local: emulator.url, pid: process.pid } as never);
    expect(remove).toBeTypeOf('function');
    return modesOf(data);
  } finally {
    await emulator.close();
  }
}

it('the emulator gives nobody else a right to the data directory or to anything in it', async () => {
  const { '': own, snapshots, ...files } = await fill(join(dir, 'data'));
  expect([own, snapshots]).toEqual(['700', '700']);
  const names = ['world.db', 'world.db-wal', 'world.db-shm', 'lock', 'run.json', 'snapshots/first.snapshot.json'];
  expect(Object.keys(files)).toEqual(expect.arrayContaining(names));
  expect(Object.entries(files).filter(([, mode]) => mode !== '600')).toEqual([]);
});

it('the emulator takes away the rights that an older version left', async () => {
  const data = join(dir, 'data');
  await fill(data);
  for (const name of Object.keys(modesOf(data)))
    chmodSync(join(data, name), name === 'snapshots' ? 0o755 : 0o644 | 0o111);
  chmodSync(data, 0o755);
  writeFileSync(join(data, 'notes.txt'), 'mine');
  const { '': own, 'notes.txt': notes, snapshots, ...files } = await fill(data);
  expect(Object.entries(files).filter(([, mode]) => mode !== '600')).toEqual([]);
  // The directory may be one that others use too, and what else is in it is none of ours.
  expect([own, snapshots, notes]).toEqual(['755', '700', '666']);
});

it('an export over a readable file is written only once that is private', () => {
  const file = join(dir, 'export.json');
  writeFileSync(file, 'old and longer');
  expect(modesOf(dir)['export.json']).toBe('666');
  writePrivately(file, 'new');
  expect(modesOf(dir)['export.json']).toBe('600');
  expect(statSync(file).size).toBe(3);
});

it('an export leaves the content of a file that is there', () => {
  const file = join(dir, 'world.db');
  writeFileSync(file, 'content');
  createPrivately(file);
  expect(statSync(file).size).toBe(7);
});

it('the emulator follows no link of a data directory that somebody else has made, and changes nothing beside its own files', async () => {
  const data = join(dir, 'data');
  const victim = join(dir, 'victim');
  mkdirSync(join(dir, 'project/snapshots'), { recursive: true });
  mkdirSync(data);
  writeFileSync(victim, 'mine');
  symlinkSync(victim, join(data, 'world.db.new'));
  const theirs = join(dir, 'project/snapshots/case.snap');
  writeFileSync(theirs, 'mine', { mode: 0o644 });
  chmodSync(join(dir, 'project/snapshots'), 0o755);
  for (const at of [data, join(dir, 'project')]) {
    await (await createEmulator({ dataDir: at })).close();
    expect(readFileSync(victim, 'utf8')).toBe('mine');
    expect([theirs, join(dir, 'project/snapshots')].map((path) => statSync(path).mode & 0o777)).toEqual([0o644, 0o755]);
  }
  for (const name of ['world.db', 'lock', 'world.db-counts', 'emulator.log']) {
    const linked = join(dir, `with-${name}`);
    mkdirSync(linked);
    symlinkSync(victim, join(linked, name));
    await expect(createEmulator({ dataDir: linked })).rejects.toThrow(`${join(linked, name)} is a link`);
  }
  for (const name of ['snapshots', 'registry', 'worlds', 'failed']) {
    const linked = join(dir, `with-${name}`);
    mkdirSync(linked);
    symlinkSync(join(dir, 'project/snapshots'), join(linked, name));
    await expect(createEmulator({ dataDir: linked })).rejects.toThrow(`${join(linked, name)}: is a link`);
  }
  expect(readFileSync(victim, 'utf8')).toBe('mine');
});
