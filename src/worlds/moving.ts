// Carries worlds on disk out of this process, and those of others into it.

import { ApiError } from '../core/errors.js';
import { finish } from '../core/slices.js';
import { listBlobs, listBlobsOfWorldImage } from '../modules/registry/store.js';
import type { SnapshotStores } from '../modules/snapshots/snapshot-stores.js';
import type { Moving } from '../modules/worlds/hosting.js';
import type { Worlds } from '../world/worlds.js';
import type { ListedWorlds } from './stored-worlds.js';

interface MovingOptions {
  worlds: Worlds;
  stored: ListedWorlds;
  snapshots: SnapshotStores;
}

/** Moves the worlds of a data directory. */
export function createMoving({ worlds, stored, snapshots }: MovingOptions): Moving {
  return {
    async hold(id) {
      const known = stored.read(id);
      const copy = stored.generation(id);
      if (known === undefined || copy === undefined) throw worlds.unknown(id);
      const isThere = worlds.followed(id);
      // Whoever hears that it could not be exported does not release it.
      await worlds.hold(id).catch((error) => {
        if (isThere()) worlds.release(id);
        throw error;
      });
      if (!isThere()) throw new ApiError('NOT_FOUND', { message: `The world "${id}" has ended meanwhile` });
      try {
        const store = snapshots.of(id);
        // A damaged one stays behind, as it cannot be restored.
        const kept = store.list().flatMap(({ name, problem }) => (problem === null ? (store.get(name) ?? []) : []));
        return { copy, asked: known.asked, owner: known.owner, image: stored.imageOf(id), snapshots: kept };
      } catch (error) {
        worlds.release(id);
        throw error;
      }
    },
    release: worlds.release,
    async take(id, { image, snapshots: kept, ...world }) {
      if (worlds.has(id)) {
        if (stored.takenFrom(id) !== world.copy)
          throw new ApiError('CONFLICT', {
            message: `There is another world "${id}" already: end it, or move it away`,
          });
        worlds.drop(id);
      }
      stored.take({ id, ...world }, image);
      for (const snapshot of kept) finish(snapshots.of(id).put(snapshot));
      worlds.sweep();
    },
    refersTo(id, digest) {
      const open = worlds.peek(id);
      const own = open === undefined ? stored.blobsOf(id) : listBlobs(open.db);
      if (own.includes(digest)) return true;
      const store = snapshots.of(id);
      return store.list().some(({ name, problem }) => {
        const image = problem === null ? store.get(name)?.image : undefined;
        return image !== undefined && listBlobsOfWorldImage(image.bytes).includes(digest);
      });
    },
  };
}
