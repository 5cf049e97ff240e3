// Files of a data directory that somebody has damaged: the start names the file, says what is wrong and what to do, and
// leaves it as it is.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { StoreError } from '../../src/core/errors.js';
import { openSqlite } from '../../src/db/sqlite.js';
import { tempDir } from '../support/command.js';
import { call, startEmulator } from '../support/emulator.js';

let whole = '';
beforeAll(async () => {
  whole = tempDir();
  const emulator = await startEmulator({ dataDir: whole });
  await call(emulator, 'GET', '/api/v1/containers');
  // A killed process leaves it so.
  const killed = tempDir();
  cpSync(whole, killed, { recursive: true, filter: (path) => !/lock$/.test(path) });
  whole = killed;
});

function copy(): string {
  const dir = tempDir();
  cpSync(whole, dir, { recursive: true });
  return dir;
}

async function refusal(dataDir: string): Promise<string> {
  const error = await startEmulator({ dataDir }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreError);
  return (error as Error).message.replace(dataDir, '<data>');
}

it.each([
  ['DROP TABLE effects', 'its table effects is missing'],
  ['DROP TABLE meta', 'its table meta is missing'],
  ['DROP TABLE rate_windows', 'its table rate_windows is missing'],
  ['ALTER TABLE faults RENAME COLUMN rule TO ruled', 'the column rule of its table faults is missing'],
  ["UPDATE meta SET value = x'ff00' WHERE key = 'seed'", 'the row "seed" of its table meta is no text'],
  ["UPDATE meta SET value = x'7b7d' WHERE key = 'clock'", 'the row "clock" of its table meta is no text'],
  ["DELETE FROM meta WHERE key = 'seed'", 'the row "seed" of its table meta is missing'],
  ["DELETE FROM meta WHERE key = 'clock'", 'the row "clock" of its table meta is missing'],
])('a database after %s is named at the start', async (sql, problem) => {
  const dataDir = copy();
  const db = openSqlite(join(dataDir, 'world.db'));
  db.exec(sql);
  db.close();
  const message = `<data>/world.db cannot be used: ${problem}. Choose another --data-dir, or --ephemeral; or put a copy of the file back.`;
  expect(await refusal(dataDir)).toBe(message);
  // The attempt has changed nothing.
  expect(await refusal(dataDir)).toBe(message);
});

it('tables of an older version that have all columns count as whole', async () => {
  const dataDir = copy();
  const db = openSqlite(join(dataDir, 'world.db'));
  db.exec('ALTER TABLE effects RENAME TO former; ALTER TABLE former RENAME TO effects');
  expect(db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'effects'").pluck().get()).toMatch(/"effects"/);
  db.close();
  const emulator = await startEmulator({ dataDir });
  expect((await call(emulator, 'GET', '/api/v1/containers')).status).toBe(200);
});
