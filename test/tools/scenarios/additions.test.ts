// Additions of the scenario of the settings to single worlds.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../../../src/db/sqlite.js';
import { ConfigError, createEmulator } from '../../../src/index.js';
import { tempDir } from '../../support/command.js';

const broken = { match: { operation: 'containers.list' }, when: { nth: 1 }, effect: { error: 'CONFLICT' } } as const;
const fileOf = (document: object): string => {
  const file = join(tempDir(), 'some.json');
  writeFileSync(file, JSON.stringify(document));
  return file;
};

it('faults of the settings’ scenario are armed in a world that is made later, whatever it begins with, and again after a reset', async () => {
  const document = { worlds: { mine: { faults: [broken] }, default: { faults: [broken] } } };
  await using emulator = await createEmulator({ scenario: fileOf(document) });
  const status = async ({ fetch, apiKey }: Pick<typeof emulator, 'fetch' | 'apiKey'>): Promise<number> =>
    (await fetch('/api/v1/containers', { headers: { 'x-api-key': apiKey } })).status;
  const mine = await emulator.createWorld({ id: 'mine', scenario: { title: 'of the test' } });
  const other = await emulator.createWorld({ id: 'other' });
  expect([await status(mine), await status(mine), await status(other), await status(emulator)]).toEqual([
    409, 200, 200, 409,
  ]);
  expect(mine.controls.scenarios.expectations().scenario).toBe('of the test');
  await mine.controls.reset();
  expect(await status(mine)).toBe(409);
});

it('faults of the settings’ scenario join those that a test sets itself, which come first', async () => {
  await using emulator = await createEmulator({ scenario: fileOf({ worlds: { mine: { faults: [broken] } } }) });
  const mine = await emulator.createWorld({ id: 'mine' });
  const status = async (): Promise<number> =>
    (await mine.fetch('/api/v1/containers', { headers: { 'x-api-key': mine.apiKey } })).status;
  mine.controls.faults.add({
    match: { operation: 'containers.list' },
    when: { nth: 1 },
    effect: { error: 'SERVICE_UNAVAILABLE' },
  });
  expect([await status(), await status(), await status()]).toEqual([503, 409, 200]);
  expect(mine.controls.faults.list().map(({ hits }) => hits)).toEqual([1, 1]);
});

it('the error about additions to worlds names what is wrong in them', async () => {
  const wrong = { worlds: { mine: { faults: [{ ...broken, match: { operation: 'container.list' } }] } } };
  await expect(createEmulator({ scenario: fileOf(wrong) })).rejects.toThrow(ConfigError);
  await expect(createEmulator({ scenario: fileOf(wrong) })).rejects.toThrow(
    /worlds\.mine\.faults\[0\]\.match\.operation/,
  );
});

it('what the settings’ scenario adds to a world is there once, also where the process was killed before the list knew', async () => {
  const dataDir = tempDir();
  const options = {
    dataDir,
    worlds: { persist: true },
    scenario: fileOf({ worlds: { mine: { faults: [broken] } } }),
  };
  const counted = async (make: boolean): Promise<number> => {
    await using emulator = await createEmulator(options);
    const { controls } = make ? await emulator.createWorld({ id: 'mine' }) : emulator;
    if (make) return (await controls.faults.list()).length;
    const answer = await fetch(`${emulator.url}/w/mine/_emulator/faults`);
    return ((await answer.json()) as { faults: unknown[] }).faults.length;
  };
  expect(await counted(true)).toBe(1);
  const list = openSqlite(join(dataDir, 'worlds', 'index.db'));
  list.exec('UPDATE worlds SET is_new = 1');
  list.close();
  expect(await counted(false)).toBe(1);
});
