// Key values are shown once and stored nowhere: not in the world's files, not in the journal.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { tempDir } from '../../support/command.js';
import { call, startEmulator } from '../../support/emulator.js';
import { callWith, keysPath, mint } from '../../support/keys.js';

let dataDir = '';
beforeEach(() => {
  dataDir = tempDir();
});

/** The files of the data directory that contain a text. */
function filesWith(text: string): string[] {
  return readdirSync(dataDir).filter((file) => readFileSync(join(dataDir, file)).includes(text));
}

it('the world’s files hold none of the key values', async () => {
  const emulator = await startEmulator({ dataDir });
  const minted = [await mint(emulator), await mint(emulator, { environment: 'live', permissions: ['apps'] })];
  const { body } = await call(emulator, 'POST', `${keysPath}/${minted[0]?.id}/regenerate`);
  const values = [emulator.apiKey, ...minted.map((key) => key.value), body.plainKey];
  values.push(emulator.controls.keys.create().apiKey, emulator.controls.organizations.create().apiKey);
  for (const value of values) await callWith(emulator, value, 'GET', '/api/v1/containers');
  await callWith(emulator, `ek_live_${'5'.repeat(64)}`, 'GET', '/api/v1/containers');

  const search = (): void => {
    expect(filesWith(emulator.organizationId)).not.toEqual([]);
    for (const value of [...values, `ek_live_${'5'.repeat(64)}`])
      expect(filesWith(value.slice(13)), value.slice(0, 12)).toEqual([]);
  };
  expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(['world.db', 'world.db-wal']));
  search();
  await emulator.close();
  search();
});
