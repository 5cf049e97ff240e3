// Control operations that carry a whole world to another process: held still and exported here, imported there.

import * as z from 'zod';
import { type ControlContext, operation } from '../../control/operation.js';
import { wallNow } from '../../core/clock.js';
import { invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { checkImage } from '../../db/image-check.js';
import type { AskedWorld } from '../../world/made-world.js';
import { turnsOf } from '../../world/turns.js';
import { blobStoreOf } from '../registry/blobs.js';
import { listBlobsOfWorldImage } from '../registry/store.js';
import { type PortableSnapshot, portableSnapshot } from '../snapshots/schema.js';
import { DamagedSnapshot, pack, type Snapshot, unpack } from '../snapshots/snapshot-store.js';
import { movingOf } from './hosting.js';
import { movedBlobOperations } from './moved-blobs.js';
import { worldParams } from './request.js';

/** The name of one copy of a world. */
export const copy = z
  .string()
  .max(80)
  .describe('Names this copy of the world: there is no other of that name anywhere');

export const portableWorld = z.lazy(() =>
  z.object({
    format: z.literal('cloudemu-world'),
    version: z.literal(1),
    id: z.string(),
    copy,
    asked: z
      .record(z.string(), z.unknown())
      .refine(({ ttl }) => typeof ttl === 'number' && ttl > 0, { error: 'must hold a ttl, in milliseconds' })
      .describe('What was asked for when it was created'),
    owner: z.string().describe('The name of the control token that has created it'),
    data: portableSnapshot.describe('Everything in it, with the journal'),
    snapshots: z.array(portableSnapshot),
  }),
);

/** A whole world as one document that another process can take over. */
export type PortableWorld = z.output<typeof portableWorld>;

export const movedWorld = z.lazy(() =>
  z.object({
    id: z.string(),
    missingBlobs: z
      .array(z.string())
      .describe('Blobs of its images, and of its snapshots’, that are not here: import them before images are pulled'),
  }),
);

/** A world that was imported. */
export type MovedWorld = z.output<typeof movedWorld>;

export const moveOperations = {
  /**
   * Holds a world still, and exports it whole: data, clock, limits, faults, journal, snapshots. From then on every
   * request to it is 503 with Retry-After, until it is released or ended: nothing that clients were told is lost. It must
   * lie on disk.
   *
   * @example const document = await controls.worlds.export('blue')
   * @throws ApiError NOT_FOUND, or CONFLICT where it cannot be moved
   */
  export: operation({
    id: 'control.worlds.export',
    route: 'POST /w/{id}/_emulator/world/export',
    summary: 'Stop the requests to a world and export it whole, for another process to import',
    params: worldParams,
    errors: ['NOT_FOUND', 'CONFLICT'],
    output: portableWorld,
    runs: 'async',
    run: async ({ world }: ControlContext, id: string): Promise<PortableWorld> => {
      const { image, snapshots, ...facts } = await movingOf(world, id).hold(id);
      const now = new Date(wallNow()).toISOString();
      const packed = (snapshot: Snapshot): Promise<PortableSnapshot> => turnsOf(world).inTurns(pack(snapshot));
      const data = await packed({ name: 'world', takenAt: now, now, image: { bytes: image, isChecked: true } });
      return {
        format: 'cloudemu-world',
        version: 1,
        id,
        ...facts,
        data,
        snapshots: await Promise.all(snapshots.map(packed)),
      };
    },
  }),
  /**
   * Answers requests to a world again that was exported.
   *
   * @throws ApiError NOT_FOUND
   */
  release: operation({
    id: 'control.worlds.release',
    route: 'DELETE /w/{id}/_emulator/world/export',
    summary: 'Make a world that was exported respond to requests again',
    params: worldParams,
    errors: ['NOT_FOUND', 'CONFLICT'],
    output: z.lazy(() => z.object({ released: z.string() })),
    run: ({ world }: ControlContext, id: string): { released: string } => {
      movingOf(world, id).release(id);
      return { released: id };
    },
  }),
  /**
   * Takes a world over that another process has exported. A copy that was taken over before, and that nobody has used
   * since, is replaced.
   *
   * @throws ApiError VALIDATION_ERROR when it is no world, or damaged; CONFLICT when there is another one of that id
   */
  import: operation({
    id: 'control.worlds.import',
    route: 'PUT /w/{id}/_emulator/world/export',
    summary: 'Import a world that another process has exported',
    params: worldParams,
    body: portableWorld,
    holdsFiles: true,
    errors: ['CONFLICT'],
    output: movedWorld,
    runs: 'async',
    run: async ({ world }: ControlContext, id: string, document: PortableWorld): Promise<MovedWorld> => {
      const { data, snapshots, asked, owner, copy: from } = document;
      if (document.id !== id)
        throw invalid({
          path: 'id',
          message: `must be ${describe(id)}, as in the path`,
          received: describe(document.id),
        });
      const { image } = await soundOf(data, 'data');
      const taken = await Promise.all(snapshots.map((one, index) => soundOf(one, `snapshots.${index}`)));
      await movingOf(world).take(id, {
        asked: asked as AskedWorld,
        owner,
        copy: from,
        image: image.bytes,
        snapshots: taken,
      });
      const referred = [image, ...taken.map((one) => one.image)].flatMap(({ bytes }) => listBlobsOfWorldImage(bytes));
      const blobs = blobStoreOf(world);
      return { id, missingBlobs: [...new Set(referred)].filter((digest) => blobs.sizeOf(digest) === undefined) };
    },
  }),
  ...movedBlobOperations,
};

async function soundOf(document: PortableSnapshot, path: string): Promise<Snapshot> {
  try {
    const snapshot = unpack(document);
    const problem = await checkImage(snapshot.image);
    if (problem !== undefined) throw new DamagedSnapshot(problem);
    return snapshot;
  } catch (error) {
    if (!(error instanceof DamagedSnapshot)) throw error;
    throw invalid({ path: `${path}.image`, message: `is not a complete world: ${error.message}` });
  }
}
