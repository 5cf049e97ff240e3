// Control operations of snapshots: take, restore, export and import a whole world under a name.

import * as z from 'zod';
import { listed, operation } from '../../control/operation.js';
import { nextTurn, wallNow } from '../../core/clock.js';
import { invalid } from '../../core/errors.js';
import { checkImage } from '../../db/image-check.js';
import { withoutSecrets } from '../../db/without-secrets.js';
import { overtaken } from '../../http/pipeline.js';
import { blobStoreOf } from '../../platform/registry/blobs.js';
import { listBlobsOfWorldImage } from '../../platform/registry/store.js';
import { compareImages, type SnapshotComparison, snapshotComparison } from './compare.js';
import { findSnapshot, findUsableSnapshot, restoreSnapshot, unknownSnapshot, unusableSnapshot } from './restore.js';
import {
  type ImportedSnapshot,
  importedSnapshot,
  type ListedSnapshot,
  listedSnapshot,
  type PortableSnapshot,
  portableSnapshot,
  type SnapshotInfo,
  snapshotInfo,
  snapshotName,
} from './schema.js';
import { portableBlobs, takeBlobs } from './snapshot-blobs.js';
import { DamagedSnapshot, pack, snapshotStore, unpackAside } from './snapshot-store.js';

const byName = z.lazy(() => z.object({ name: z.string().describe('Name of the snapshot') }));

export const snapshotOperations = {
  /** Lists all snapshots by name; a damaged one has a problem in place of times. */
  list: operation({
    id: 'control.snapshots.list',
    route: 'GET /snapshots',
    summary: 'List the snapshots of the world',
    output: listed('snapshots', listedSnapshot),
    command: {
      line: 'snapshot list',
      examples: [['snapshot list', 'names, and the virtual time of each']],
    },
    run: ({ world }): ListedSnapshot[] => snapshotStore.of(world).list(),
  }),
  /**
   * Takes a snapshot of everything: data, clock, limits, faults with their counts. The journal is not part of it.
   *
   * @param request its name; one of that name is replaced
   * @example controls.snapshots.take({ name: 'three-running' })
   * @throws ApiError VALIDATION_ERROR
   */
  take: operation({
    id: 'control.snapshots.take',
    route: 'POST /snapshots',
    summary: 'Take a snapshot of the whole world under a name',
    body: z.lazy(() => z.object({ name: snapshotName })),
    output: snapshotInfo,
    command: {
      line: 'snapshot take <name>',
      examples: [['snapshot take three-running', 'replaces the snapshot of that name, if there is one']],
    },
    run({ world }, request: { name: string }): SnapshotInfo {
      const taken = {
        name: request.name,
        takenAt: new Date(wallNow()).toISOString(),
        now: world.clock.view().now,
      };
      snapshotStore.of(world).put({ ...taken, image: world.image() });
      return taken;
    },
  }),
  /**
   * Restores a snapshot: the world returns to its state at that time, including the clock. A snapshot can be restored
   * repeatedly. Open log streams get the event `reset`; requests in progress are refused with 503.
   *
   * @throws ApiError NOT_FOUND naming the nearest, CONFLICT when it cannot be used
   */
  restore: operation({
    id: 'control.snapshots.restore',
    route: 'POST /snapshots/{name}/restore',
    summary: 'Restore a snapshot; it can be restored repeatedly',
    params: byName,
    errors: ['NOT_FOUND', 'CONFLICT'],
    output: snapshotInfo,
    command: {
      line: 'snapshot restore <name>',
      examples: [['snapshot restore three-running', 'restores data, clock, limits and faults']],
    },
    runs: 'async',
    run: async ({ world }, name: string): Promise<SnapshotInfo> => {
      const snapshot = await findUsableSnapshot(world, name);
      await restoreSnapshot(world, snapshot);
      const { image: _, ...restored } = snapshot;
      return restored;
    },
  }),
  /**
   * Compares a snapshot row by row with a later one, or with the world as it is now. Secrets are masked.
   *
   * @param options.with the other snapshot; by default the world as it is now
   * @example controls.snapshots.compare('before').tables.map(({ table, added }) => `${table} +${added}`)
   * @throws ApiError NOT_FOUND naming the nearest, CONFLICT when one cannot be used
   */
  compare: operation({
    id: 'control.snapshots.compare',
    route: 'GET /snapshots/{name}/compare',
    summary: 'Compare a snapshot with another one, or with the world as it is now, row by row',
    params: byName,
    query: z.lazy(() =>
      z.object({
        with: z.string().optional().describe('Name of the other snapshot; by default the world as it is now'),
        limit: z
          .int()
          .min(1)
          .max(1_000)
          .default(100)
          .describe('Maximum number of rows shown per table; the counts are of all'),
      }),
    ),
    errors: ['NOT_FOUND', 'CONFLICT'],
    output: snapshotComparison,
    command: {
      line: 'snapshot compare <name>',
      prints: 'comparison',
      examples: [
        ['snapshot compare before', 'what has changed since'],
        ['snapshot compare before --with after', 'what differs between two snapshots'],
      ],
    },
    runs: 'async',
    run: async (
      { world },
      name: string,
      { with: other, limit = 100 }: { with?: string | undefined; limit?: number | undefined } = {},
    ): Promise<SnapshotComparison> => {
      const before = (await findUsableSnapshot(world, name)).image.bytes;
      const after = other === undefined ? world.image().bytes : (await findUsableSnapshot(world, other)).image.bytes;
      // The thread that compares them takes some 15 ms to start.
      await nextTurn();
      const clean = (text: string): string => world.redactor.text(text);
      try {
        return { name, with: other ?? null, tables: await compareImages(before, after, { limit, clean }) };
      } catch (error) {
        throw unusableSnapshot(name, error);
      }
    },
  }),
  /**
   * Returns the snapshot as one document, which can be stored in a file and imported by another emulator. It contains the
   * manifests, tags and digests of images, and blobs of up to 1 MB each and 16 MB in total; larger layers stay here.
   *
   * @param options withoutSecrets: omits the values of environment variables and all blobs of images
   * @throws ApiError NOT_FOUND naming the nearest, CONFLICT when it cannot be used
   */
  export: operation({
    id: 'control.snapshots.export',
    route: 'GET /snapshots/{name}/export',
    summary: 'Export a snapshot as one portable document',
    params: byName,
    query: z.lazy(() =>
      z.object({
        withoutSecrets: z.boolean().optional().describe('Leave out the values of environment variables'),
      }),
    ),
    errors: ['NOT_FOUND', 'CONFLICT'],
    output: portableSnapshot,
    command: {
      line: 'snapshot export <name>',
      prints: 'snapshot',
      flags: {
        file: { type: 'string', describe: 'Write it to this file, which only you can read, instead of printing it' },
      },
      examples: [
        ['snapshot export three-running --file three.json', 'for another machine, or for CI'],
        [
          'snapshot export three-running --file three.json --without-secrets',
          'without the values of environment variables',
        ],
      ],
    },
    run({ world }, name: string, options: { withoutSecrets?: boolean | undefined } = {}): PortableSnapshot {
      const snapshot = findSnapshot(world, name);
      if (options.withoutSecrets !== true) {
        const blobs = portableBlobs(blobStoreOf(world), snapshot.image);
        return { ...pack(snapshot), ...blobs };
      }
      try {
        return pack({ ...snapshot, image: withoutSecrets(snapshot.image) });
      } catch (error) {
        throw unusableSnapshot(name, error);
      }
    },
  }),
  /**
   * Imports an exported snapshot, under its name. It must contain the tables and indexes of a world and nothing else.
   *
   * @returns the layers of its images that are missing: such images can be deployed, but not pulled
   * @throws ApiError VALIDATION_ERROR when it is not a snapshot, or damaged
   */
  import: operation({
    id: 'control.snapshots.import',
    route: 'POST /snapshots/import',
    summary: 'Import an exported snapshot',
    body: portableSnapshot,
    holdsFiles: true,
    output: importedSnapshot,
    command: {
      line: 'snapshot import <file>',
      document: 'file',
      only: [],
      examples: [['snapshot import three.json', 'then `snapshot restore` restores it']],
    },
    runs: 'async',
    run: async ({ world }, document: PortableSnapshot): Promise<ImportedSnapshot> => {
      try {
        const snapshot = await unpackAside(document);
        const problem = await checkImage(snapshot.image);
        if (problem !== undefined) throw new DamagedSnapshot(problem);
        // The next world of that id is another one.
        if (world.isClosed) throw overtaken();
        const blobs = blobStoreOf(world);
        takeBlobs(blobs, document.blobs ?? {});
        snapshotStore.of(world).put(snapshot);
        const { image, ...imported } = snapshot;
        return {
          ...imported,
          missingBlobs: listBlobsOfWorldImage(image.bytes).filter((digest) => blobs.sizeOf(digest) === undefined),
        };
      } catch (error) {
        if (!(error instanceof DamagedSnapshot)) throw error;
        throw invalid({ path: 'image', message: `is not a complete snapshot: ${error.message}` });
      }
    },
  }),
  /**
   * Deletes a snapshot, even a damaged one.
   *
   * @throws ApiError NOT_FOUND
   */
  remove: operation({
    id: 'control.snapshots.remove',
    route: 'DELETE /snapshots/{name}',
    summary: 'Delete a snapshot',
    params: byName,
    errors: ['NOT_FOUND', 'CONFLICT'],
    output: z.lazy(() => z.object({ removed: z.string() })),
    command: {
      line: 'snapshot remove <name>',
      examples: [['snapshot remove three-running', 'deletes it']],
    },
    run: ({ world }, name: string): { removed: string } => {
      if (!snapshotStore.of(world).remove(name)) throw unknownSnapshot(world, name);
      return { removed: name };
    },
  }),
};
