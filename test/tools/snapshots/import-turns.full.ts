// An import is decompressed in a thread, and hashed in turns with everything else.

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, it, vi } from 'vitest';

const taken = vi.fn();

it('an import gives others a turn for each half of a megabyte that is hashed', async () => {
  vi.resetModules();
  vi.doMock(import('../../../src/core/clock.js'), async (original) => {
    const clock = await original();
    return {
      ...clock,
      nextTurn() {
        taken();
        return clock.nextTurn();
      },
    };
  });
  const { unpackAside } = await import('../../../src/tools/snapshots/snapshot-store.js');
  const image = Buffer.alloc(16 * 1_024 * 1_024);
  const snapshot = await unpackAside({
    name: 'large',
    takenAt: '2026-01-01T00:00:00.000Z',
    now: '2026-01-01T00:00:00.000Z',
    sha256: createHash('sha256').update(image).digest('hex'),
    image: gzipSync(image).toString('base64'),
  } as Parameters<typeof unpackAside>[0]);
  expect(snapshot.image.bytes.equals(image)).toBe(true);
  expect(taken).toHaveBeenCalledTimes(32);
});
