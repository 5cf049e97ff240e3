// A snapshot of a world with long texts and layers of almost a megabyte goes from one emulator to another.

import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { call, startEmulator } from '../../support/emulator.js';
import { digestOf, pushImage, registryOf } from '../../support/push.js';

it('a large snapshot is imported with all that it holds, in process and over HTTP', async () => {
  const former = await startEmulator();
  const layer = randomBytes(450_000).toString('hex');
  await pushImage(await registryOf(former), 'v1', {}, layer);
  for (let i = 0; i < 8; i++) {
    const content = randomBytes(30_000).toString('base64');
    await call(former, 'POST', '/api/v1/knowledge', { content, filename: `${i}.txt` });
  }
  former.controls.snapshots.take({ name: 'large' });
  const document = await former.controls.snapshots.export('large');
  expect(document.image.length).toBeGreaterThan(1_000_000);
  expect(document.blobs?.[digestOf(layer)]).toHaveLength(1_200_000);
  const next = await startEmulator();
  await next.controls.snapshots.import(document);
  const other = await startEmulator();
  expect((await call(other, 'POST', '/_emulator/snapshots/import', document)).status).toBe(200);
  await other.controls.snapshots.restore('large');
});
