// The journal and the numbers of requests over an orderly end, a restore, and a second run.

import { beforeEach, expect, it } from 'vitest';
import { tempDir } from '../../support/command.js';
import { call, type Platform, startEmulator, startWorld } from '../../support/emulator.js';

let dataDir = '';
beforeEach(() => {
  dataDir = tempDir();
});

async function ids(emulator: Platform, count: number): Promise<string[]> {
  const found: string[] = [];
  for (let i = 0; i < count; i++)
    found.push((await call(emulator, 'GET', `/api/${i}`)).headers.get('x-request-id') ?? '');
  return found;
}

it('the journal has the same entries after a restart, and continues its ids', async () => {
  const undisturbed = await ids(await startWorld(), 6);
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

it('the journal continues ids and numbers across restores, resets and restarts', async () => {
  const undisturbed = await ids(await startWorld(), 12);
  const first = await startEmulator({ dataDir });
  const given = await ids(first, 2);
  first.controls.snapshots.take({ name: 'two' });
  given.push(...(await ids(first, 2)));
  await first.controls.snapshots.restore('two');
  given.push(...(await ids(first, 2)));
  await first.controls.snapshots.restore('two');
  const exported = first.controls.snapshots.export('two');
  await first.close();
  const second = await startEmulator({ dataDir });
  given.push(...(await ids(second, 2)));
  const records = [];
  for await (const record of second.controls.requests.follow({ since: 1 })) if (records.push(record) === 10) break;
  expect(records.map((record) => (record.kind === 'marker' ? record.event : record.path))).toEqual([
    ...['/api/0', '/api/1', '/api/0', '/api/1', 'restored', '/api/0', '/api/1', 'restored', '/api/0', '/api/1'],
  ]);
  expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  await second.controls.reset();
  given.push(...(await ids(second, 2)));
  await second.controls.scenarios.apply('none');
  given.push(...(await ids(second, 2)));
  expect(given).toEqual(undisturbed);
  await second.close();
  // The snapshot's own world has it as the second request; elsewhere nobody else shall have its ids.
  const elsewhere = await startWorld();
  await elsewhere.controls.snapshots.import(exported);
  await elsewhere.controls.snapshots.restore('two');
  expect(await ids(elsewhere, 1)).toEqual(undisturbed.slice(2, 3));
});

it('the journal contains only a marker after a reset, and verdicts ignore what came before it', async () => {
  const emulator = await startEmulator({ dataDir });
  await ids(emulator, 3);
  await call(emulator, 'GET', '/api/v1/containers?api_key=ek_test_0000000000000000000000000000000000000000');
  expect(emulator.controls.verdicts()).toMatchObject({ fail: 2, requests: 4 });
  await emulator.controls.reset();
  expect(emulator.controls.requests.list()).toMatchObject({ total: 0, dropped: 0 });
  expect(emulator.controls.verdicts()).toMatchObject({ fail: 0, requests: 0, complete: true });
  await emulator.close();
  const again = await startEmulator({ dataDir });
  expect(again.controls.requests.list().total).toBe(0);
});
