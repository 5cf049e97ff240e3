// A store of blobs for worlds that are opened without an emulator; nothing refers to any.

import { createBlobStore } from '../../src/platform/registry/blobs.js';

export const noBlobs = createBlobStore({
  dir: null,
  referred: () => new Set(),
  referredByWorlds: () => new Set(),
  referredAnywhere: async () => new Set(),
  onError: () => {},
});
