// Control operations that carry the layers of a world's images to another process, piece by piece.

import { open } from 'node:fs/promises';
import * as z from 'zod';
import { type ControlContext, operation } from '../../control/operation.js';
import { ApiError, invalid } from '../../core/errors.js';
import { DigestMismatch, UploadBusy } from '../registry/blob-upload.js';
import { blobStoreOf } from '../registry/blobs.js';
import { type Moving, movingOf } from './hosting.js';

const params = z.lazy(() =>
  z.object({
    id: z.string().describe('The world'),
    digest: z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hex digits'),
  }),
);
const offset = z.int().min(0).describe('How many bytes lie before this piece');
const size = z.int().min(0).describe('Bytes of the whole blob');
// A body has 16 MB at most.
const content = z.base64().max(16_777_216).describe('The bytes, as base64');

// No process holds more of a blob; larger pieces are no faster, and leave the collector more to do.
const pieceSize = 1_024 * 1_024;

export const blobPiece = z.object({ size, offset, content });

/** A part of a blob. */
export type BlobPiece = z.output<typeof blobPiece>;

export const takenPiece = z.lazy(() =>
  z.object({
    received: z.int(),
    complete: z.boolean().describe('Whether all of it is there, and is what its digest says'),
  }),
);

/** How far a blob has come. */
export type TakenPiece = z.output<typeof takenPiece>;

export const movedBlobOperations = {
  /**
   * Reads 1 MB of a blob that images of a world, or of its snapshots, refer to.
   *
   * @throws ApiError NOT_FOUND where they do not, or the blob is not there; RANGE_INVALID behind its end
   */
  exportBlob: operation({
    id: 'control.worlds.exportBlob',
    route: 'GET /w/{id}/_emulator/world/export/blobs/{digest}',
    summary: 'Read a piece of a layer of a world’s images, for another process to import',
    params,
    query: z.lazy(() => z.object({ offset: offset.default(0) })),
    errors: ['NOT_FOUND', 'CONFLICT', 'RANGE_INVALID'],
    output: blobPiece,
    runs: 'async',
    run: async (
      { world }: ControlContext,
      id: string,
      digest: string,
      { offset: from = 0 }: { offset?: number | undefined } = {},
    ): Promise<BlobPiece> => {
      requireReferred(movingOf(world, id), id, digest);
      const store = blobStoreOf(world);
      const whole = store.sizeOf(digest);
      if (whole === undefined) throw new ApiError('NOT_FOUND', { message: `The blob ${digest} is not there` });
      if (from > whole) throw new ApiError('RANGE_INVALID', { message: `offset must be ${whole} at most` });
      const file = await open(store.pathOf(digest));
      try {
        const piece = Buffer.alloc(Math.min(pieceSize, whole - from));
        const { bytesRead } = await file.read(piece, 0, piece.length, from);
        return { size: whole, offset: from, content: piece.toString('base64', 0, bytesRead) };
      } finally {
        await file.close();
      }
    },
  }),
  /**
   * Takes the next piece of a blob that images of an imported world refer to. The first one begins the blob anew; with
   * the last one its digest is checked.
   *
   * @throws ApiError CONFLICT where another piece is expected; VALIDATION_ERROR where it is not what its digest says
   */
  importBlob: operation({
    id: 'control.worlds.importBlob',
    route: 'PUT /w/{id}/_emulator/world/export/blobs/{digest}',
    summary: 'Import a piece of a layer that another process has exported',
    params,
    body: blobPiece,
    errors: ['NOT_FOUND', 'CONFLICT'],
    output: takenPiece,
    runs: 'async',
    run: async ({ world }: ControlContext, id: string, digest: string, piece: BlobPiece): Promise<TakenPiece> => {
      requireReferred(movingOf(world, id), id, digest);
      const store = blobStoreOf(world);
      if (store.sizeOf(digest) !== undefined) return { received: piece.size, complete: true };
      const owner = { world: id, repository: '' };
      const name = `moved-${id}-${digest}`;
      if (piece.offset === 0) await store.find(name, owner)?.discard();
      const upload = piece.offset === 0 ? store.begin(name, owner) : store.find(name, owner);
      if (upload?.size !== piece.offset)
        throw new ApiError('CONFLICT', { message: `The next piece begins at ${upload?.size ?? 0}` });
      try {
        await upload.append(once(Buffer.from(piece.content, 'base64')));
        if (upload.size < piece.size) return { received: upload.size, complete: false };
        const letGo = await upload.finish(digest);
        letGo();
        return { received: piece.size, complete: true };
      } catch (error) {
        if (error instanceof UploadBusy)
          throw new ApiError('CONFLICT', { message: 'Another piece of this blob is under way' });
        if (!(error instanceof DigestMismatch)) throw error;
        throw invalid({ path: 'content', message: `and what came before is not ${digest}: begin again at 0` });
      }
    },
  }),
};

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

// A team may read and write what its own worlds have, and no other blob.
function requireReferred(moving: Moving, id: string, digest: string): void {
  if (!moving.refersTo(id, digest))
    throw new ApiError('NOT_FOUND', { message: `No image of the world "${id}" has the blob ${digest}` });
}
