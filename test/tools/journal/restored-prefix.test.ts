// Keys of a restored world are masked, whatever their prefix was where the snapshot was taken.

import { expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';

it('the journal masks keys with the prefix of the world that a snapshot came from', async () => {
  const other = await startWorld({ keys: { prefix: 'zz_test_' } });
  other.controls.snapshots.take({ name: 'elsewhere' });
  const document = other.controls.snapshots.export('elsewhere');
  const world = await startWorld();
  // The redactor is in use before the restore.
  await call(world, 'GET', '/api/v1/containers');
  expect(world.controls.requests.list().requests).toHaveLength(1);
  await world.controls.snapshots.import(document);
  await world.controls.snapshots.restore('elsewhere');
  await call(world, 'GET', `/api/v1/containers?note=${other.apiKey}`, undefined, { 'x-note': other.apiKey });
  const kept = JSON.stringify(world.controls.requests.list());
  expect(other.apiKey).toMatch(/^zz_test_/);
  expect(kept).not.toContain(other.apiKey);
});
