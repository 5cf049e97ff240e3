// Which of the blobs that worlds share are removed.

import { expect, it, onTestFinished } from 'vitest';
import { createImageBlobs } from '../../../src/tools/snapshots/image-blobs.js';
import type { SnapshotStores } from '../../../src/tools/snapshots/snapshot-stores.js';

it('a blob stays that a world refers to since the collection began, though the world has closed again meanwhile', async () => {
  let listed: { id: string; blobs: string[] }[] = [];
  // While its blobs are read, others get their turn.
  const snapshot = { list: () => [{ name: 'a', problem: null }], get: () => undefined };
  const blobs = createImageBlobs({
    dataDir: null,
    worlds: () => expect.unreachable(),
    opened: () => [],
    stored: () => listed,
    snapshots: { all: () => [snapshot] } as unknown as SnapshotStores,
    onError: (error) => expect.unreachable(String(error)),
  });
  onTestFinished(() => blobs.close());
  const [pushedAgain, orphan] = [blobs.put('of a push that was interrupted'), blobs.put('of another one')];
  const collecting = blobs.collect();
  listed = [{ id: 'closed', blobs: [pushedAgain] }];
  expect(await collecting).toEqual([orphan]);
  expect([pushedAgain, orphan].map(blobs.sizeOf)).toEqual([30, undefined]);
});
