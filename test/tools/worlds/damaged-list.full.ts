// A damaged list of worlds on disk: told with its file, and nobody loses a world by it.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StoreError } from '../../../src/core/errors.js';
import { openSqlite } from '../../../src/db/sqlite.js';
import { tempDir } from '../../support/command.js';
import { call, startEmulator } from '../../support/emulator.js';

const settings = (dataDir: string) => ({ dataDir, worlds: { persist: true, open: 1 } });

/** A data directory with the world "blue" whose list somebody has changed. */
async function damaged(sql: string): Promise<{ dataDir: string; list: string }> {
  const dataDir = tempDir();
  const emulator = await startEmulator(settings(dataDir));
  await emulator.createWorld({ id: 'blue', label: 'sky' });
  await emulator.close();
  const list = join(dataDir, 'worlds/index.db');
  const db = openSqlite(list);
  db.exec(sql);
  db.close();
  return { dataDir, list };
}

it.each([
  ['facts', "'{'"],
  ['facts', "'{}'"],
  ['facts', "x'ff'"],
  ['facts', "json_set(facts, '$.clock', 5)"],
  ['facts', "json_set(facts, '$.asked.label', 5)"],
])('a list of worlds with %s = %s is reported as damaged until the world ends', async (column, value) => {
  const { dataDir, list } = await damaged(`UPDATE worlds SET ${column} = ${value}`);
  const emulator = await startEmulator(settings(dataDir));
  const { status, body } = await call(emulator, 'GET', '/_emulator/worlds');
  expect([status, body.error.message]).toEqual([
    503,
    `The list of worlds ${list} is damaged: ${column} of the world "blue" is not as it was written. End that world, or put a copy of the file back`,
  ]);
  // The world itself is whole; it is closed when another one needs its place.
  expect((await call(emulator, 'GET', '/w/blue/_emulator/clock')).status).toBe(200);
  await emulator.createWorld({ id: 'red' });
  expect((await call(emulator, 'GET', '/w/red/_emulator/clock')).status).toBe(200);
  expect((await call(emulator, 'DELETE', '/_emulator/worlds/blue')).status).toBe(200);
  expect((await call(emulator, 'GET', '/_emulator/worlds')).body.total).toBe(2);
});

it('a list of worlds by a build from before the first release is refused at the start, with what to do', async () => {
  const { dataDir, list } = await damaged('ALTER TABLE worlds DROP COLUMN closing');
  const error = await startEmulator(settings(dataDir)).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreError);
  expect((error as Error).message).toBe(
    `${list} was written by a build of cloudemu from before its first release, which cannot be read. Use another --data-dir, or delete this one.`,
  );
});

it('a list of worlds without a column is refused at the start, with its file', async () => {
  const { dataDir, list } = await damaged('ALTER TABLE worlds RENAME COLUMN facts TO truths');
  const error = await startEmulator(settings(dataDir)).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreError);
  expect((error as Error).message).toBe(
    `${list} cannot be used: table worlds has no column named facts. Choose another --data-dir, or --ephemeral; or put a copy of the file back.`,
  );
});
