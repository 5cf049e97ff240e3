// The journal and the numbers of requests over an orderly end, a restore, and a second run.

import { beforeEach, expect, it } from 'vitest';
import type { Emulator } from '../../src/index.js';
import { tempDir } from '../support/command.js';
import { call, startEmulator } from '../support/emulator.js';

let dataDir = '';
beforeEach(() => {
  dataDir = tempDir();
});

async function ids(emulator: Emulator, count: number): Promise<string[]> {
  const found: string[] = [];
  for (let i = 0; i < count; i++)
    found.push((await call(emulator, 'GET', `/api/${i}`)).headers.get('x-request-id') ?? '');
  return found;
}

it('has the same entries after a restart, and goes on in the ids as if there had been none', async () => {
  const undisturbed = await ids(await startEmulator(), 6);
  const first = await startEmulator({ dataDir });
  const before = await ids(first, 3);
  const entries = first.controls.requests.list();
  await first.close();
  const second = await startEmulator({ dataDir });
  expect(second.controls.requests.list()).toEqual(entries);
  expect([...before, ...(await ids(second, 3))]).toEqual(undisturbed);
  expect(second.controls.requests.list().requests.map(({ seq }) => seq)).toEqual([6, 5, 4, 3, 2, 1]);
  await second.close();
});

it('goes back in the ids with a restore, but not in its own numbers, also over a restart', async () => {
  const first = await startEmulator({ dataDir });
  await ids(first, 2);
  first.controls.snapshots.take({ name: 'two' });
  const after = await ids(first, 2);
  await first.controls.snapshots.restore('two');
  expect(await ids(first, 1)).toEqual(after.slice(0, 1));
  await first.close();
  const second = await startEmulator({ dataDir });
  expect(await ids(second, 1)).toEqual(after.slice(1, 2));
  const records = [];
  for await (const record of second.controls.requests.follow({ since: 1 })) if (records.push(record) === 7) break;
  expect(records.map((record) => (record.kind === 'marker' ? record.event : record.path))).toEqual([
    '/api/0',
    '/api/1',
    '/api/0',
    '/api/1',
    'restored',
    '/api/0',
    '/api/0',
  ]);
  expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  await second.close();
});

it('begins again with the ids when the world is reset', async () => {
  const emulator = await startEmulator();
  const before = await ids(emulator, 3);
  await emulator.controls.reset();
  expect(await ids(emulator, 3)).toEqual(before);
  expect(emulator.controls.requests.list().total).toBe(6);
});
