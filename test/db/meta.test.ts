// Rows of the table meta that are not as they were written: whoever needs one is told, and nothing changes.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startClock } from '../../src/core/clock.js';
import { sampleOf } from '../support/campaign.js';
import { tempDir } from '../support/command.js';
import { damageRow } from '../support/damage.js';
import { call, startEmulator } from '../support/emulator.js';

type Sent = [method: string, path: string, body?: object];

const started = { at: 0, frozen: true, scenario: { name: 'x', scenario: { data: 5 } } };
const reset: Sent = ['POST', '/_emulator/reset'];
const create: Sent = ['POST', '/api/v1/containers', { name: 'web', project_name: 'web', ecr_image_uri: 'acme/web:v1' }];
const merge: Sent = ['POST', '/_emulator/scenarios', { merge: true, data: { containers: [create[2]] } }];
const judge: Sent = ['GET', '/_emulator/expectations'];

const damages: [row: string, value: unknown, sent: Sent, problem: string][] = [
  ['initial-state', { ...started, scenario: 5 }, reset, 'scenario must be an object'],
  ['initial-state', started, reset, 'scenario.scenario.data must be an object'],
  ['outcomes', {}, create, '(whole) must be a list'],
  ['outcomes', {}, merge, '(whole) must be a list'],
  ['outcomes', [{ number: 1, match: { project: 5 } }], create, '[0].match.project must be a string'],
  ['scenario', { name: null, balance: 0 }, judge, 'expect is required'],
  ['scenario', { name: null, balance: 0, expect: [{ requests: 5 }] }, judge, 'expect[0].requests must be a list'],
];

it.each(sampleOf(damages, 4))(
  'a request that needs the damaged row "%s" (%j) is 503, and changes nothing',
  async (row, value, sent, problem) => {
    const dataDir = tempDir();
    await (await startEmulator({ dataDir })).close();
    damageRow(join(dataDir, 'world.db'), row, JSON.stringify(value));
    const emulator = await startEmulator({ dataDir });
    await emulator.controls.snapshots.take({ name: 'before' });
    const { status, body } = await call(emulator, ...sent);
    const message = `The database of this world is damaged: the row "${row}" of its table meta is not as it was written: ${problem}`;
    expect([status, body.error.message]).toEqual([503, message]);
    // Beside the counts of requests, and when the clock was last set.
    const counted = ['meta clock', 'meta counts', 'api_keys', 'rate_windows'];
    const { tables } = await emulator.controls.snapshots.compare('before');
    const changed = tables.flatMap(({ table, rows }) =>
      rows.map(({ key }) => (table === 'meta' ? `meta ${key}` : table)),
    );
    expect(changed.filter((what) => !counted.includes(what))).toEqual([]);
    expect((await call(emulator, 'GET', '/api/v1/containers')).body.data).toEqual([]);
  },
);

it('a row of meta may hold what a newer version has stored beside what is known', async () => {
  const dataDir = tempDir();
  await (await startEmulator({ dataDir })).close();
  damageRow(join(dataDir, 'world.db'), 'clock', JSON.stringify({ ...startClock({ at: 0, frozen: true }), newer: 1 }));
  damageRow(join(dataDir, 'world.db'), 'outcomes', '[{"number":1,"mode":"exec-format","newer":1}]');
  const emulator = await startEmulator({ dataDir });
  expect(emulator.controls.clock.get().now).toBe('1970-01-01T00:00:00.000Z');
  expect((await call(emulator, ...create)).status).toBe(202);
});
