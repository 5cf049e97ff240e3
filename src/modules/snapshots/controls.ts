// Controls of snapshots: take, restore, export and import a whole world under a name.

import * as z from 'zod';
import { wallNow } from '../../core/clock.js';
import { ApiError, invalid } from '../../core/errors.js';
import { nearest } from '../../core/nearest.js';
import { describe } from '../../core/problems.js';
import { StoreError } from '../../db/connection.js';
import { checkImage } from '../../db/image-check.js';
import { checkInput } from '../../http/validate.js';
import type { World } from '../../world/world.js';
import { reopenAddresses } from '../containers/open-addresses.js';
import { releaseReservations } from '../credits/reservations.js';
import { blobStoreOf } from '../registry/blobs.js';
import { isDigest } from '../registry/names.js';
import { listBlobsOfImage } from '../registry/store.js';
import { portableBlobs, takeBlobs } from './snapshot-blobs.js';
import {
  DamagedSnapshot,
  type ListedSnapshot,
  type PortableSnapshot,
  pack,
  type Snapshot,
  type SnapshotInfo,
  type SnapshotStore,
  unpack,
} from './snapshot-store.js';
import { withoutSecrets } from './store.js';

export const snapshotName = z.string().refine((name) => /^[A-Za-z0-9][\w.-]{0,63}$/.test(name), {
  error: 'must be 1 to 64 letters, digits, dots, dashes or underscores',
});

export const exportOptions = z.object({
  withoutSecrets: z.boolean().optional().describe('Leave out the values of environment variables'),
});

export const portableSnapshot = z.object({
  format: z.literal('cloudemu-snapshot'),
  version: z.literal(1),
  name: snapshotName,
  takenAt: z.iso.datetime(),
  now: z.iso.datetime(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  image: z.string().min(1),
  blobs: z.record(z.string().refine(isDigest, { error: 'must be sha256: and 64 hex digits' }), z.base64()).optional(),
});

/** A snapshot that was taken in. */
export interface ImportedSnapshot extends SnapshotInfo {
  /** Layers of its images that neither the document nor this emulator has: push the images again to pull them. */
  missingBlobs: string[];
}

export type SnapshotControls = ReturnType<typeof createSnapshotControls>;

/** The snapshot controls of a world. */
export function createSnapshotControls(world: World, shelf: SnapshotStore) {
  function find(name: string): Snapshot {
    let snapshot: Snapshot | undefined;
    try {
      snapshot = snapshotName.safeParse(name).success ? shelf.get(name) : undefined;
    } catch (error) {
      throw unusable(name, error);
    }
    if (snapshot !== undefined) return snapshot;
    throw unknown(name);
  }
  function unknown(name: string): ApiError {
    const suggestion = nearest(
      name,
      shelf.list().map((known) => known.name),
    );
    return new ApiError('NOT_FOUND', {
      message: `There is no snapshot ${describe(name)}${suggestion === undefined ? '' : `; did you mean "${suggestion}"?`}`,
    });
  }
  return {
    /** By name; of one whose file is damaged it is told what is wrong. */
    list: (): ListedSnapshot[] => shelf.list(),
    /**
     * Takes a snapshot of everything: data, clock, limits, faults with their counts. The journal is not part of it.
     *
     * @param request its name; one of that name is replaced
     * @example controls.snapshots.take({ name: 'three-running' })
     * @throws ApiError VALIDATION_ERROR
     */
    take(request: { name: string }): SnapshotInfo {
      const { name } = checkInput(z.object({ name: snapshotName }), request, { strict: true, warn: () => {} });
      const info = { name, takenAt: new Date(wallNow()).toISOString(), now: world.clock.view().now };
      shelf.put({ ...info, image: world.image() });
      return info;
    },
    /**
     * Puts a snapshot back, as often as wanted: the world is what it was then, its clock too. Open log streams are
     * told `reset`; requests that are under way are refused with 503.
     *
     * @throws ApiError NOT_FOUND naming the nearest, CONFLICT when it cannot be used
     */
    async restore(name: string): Promise<SnapshotInfo> {
      const { image, ...info } = find(name);
      const problem = await checkImage(image);
      if (problem !== undefined) throw unusable(name, new DamagedSnapshot(problem));
      try {
        world.restore(image, name);
        releaseReservations(world);
      } catch (error) {
        throw unusable(name, error);
      }
      await reopenAddresses(world);
      return info;
    },
    /**
     * The snapshot as one document, to be kept in a file and imported elsewhere. Of images it carries manifests, tags
     * and digests, and blobs of up to 1 MB while they are no more than 16 MB together: larger layers stay here.
     *
     * @param options withoutSecrets: the values of environment variables are left out, and all blobs of images
     * @throws ApiError NOT_FOUND naming the nearest, CONFLICT when it cannot be used
     */
    export(name: string, options: { withoutSecrets?: boolean | undefined } = {}): PortableSnapshot {
      const { withoutSecrets: clear } = checkInput(exportOptions, options, { strict: true, warn: () => {} });
      const snapshot = find(name);
      if (clear !== true) return { ...pack(snapshot), ...portableBlobs(blobStoreOf(world), snapshot.image) };
      try {
        return pack({ ...snapshot, image: withoutSecrets(snapshot.image) });
      } catch (error) {
        throw unusable(name, error);
      }
    },
    /**
     * Takes an exported snapshot in, under its name. It must hold tables and indexes of a world and nothing else.
     *
     * @returns which layers of its images are nowhere: the images are there and can be deployed, but not pulled
     * @throws ApiError VALIDATION_ERROR when it is no snapshot, or damaged
     */
    async import(document: PortableSnapshot): Promise<ImportedSnapshot> {
      const portable = checkInput(portableSnapshot, document, { strict: false, warn: () => {} });
      try {
        const snapshot = unpack(portable);
        const problem = await checkImage(snapshot.image);
        if (problem !== undefined) throw new DamagedSnapshot(problem);
        takeBlobs(blobStoreOf(world), portable.blobs ?? {});
        shelf.put(snapshot);
        const { image, ...info } = snapshot;
        return {
          ...info,
          missingBlobs: listBlobsOfImage(image).filter((digest) => blobStoreOf(world).sizeOf(digest) === undefined),
        };
      } catch (error) {
        if (!(error instanceof DamagedSnapshot)) throw error;
        throw invalid({ path: 'image', message: `is no whole snapshot: ${error.message}` });
      }
    },
    /**
     * Forgets a snapshot, also one that is damaged.
     *
     * @throws ApiError NOT_FOUND
     */
    remove(name: string): { removed: string } {
      if (!shelf.remove(name)) throw unknown(name);
      return { removed: name };
    },
  };
}

function unusable(name: string, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const known = error instanceof DamagedSnapshot || error instanceof StoreError;
  const reason = known ? error.message : 'it holds no world that this cloudemu can read';
  return new ApiError('CONFLICT', { message: `The snapshot "${name}" cannot be used: ${reason}` });
}
