// A blob on its way: what has come is kept with its running hash, so that a client can go on after a break.

import { createHash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { privateFile } from '../../core/private-files.js';
import { writePieces } from '../../db/file-writer.js';
import { asStorageFailure, storageFailure } from '../../db/storage-failure.js';

/** What was sent does not have the digest that its sender names. */
export class DigestMismatch extends Error {}

/** What was sent is longer or shorter than its sender said. */
export class LengthMismatch extends Error {}

/** Another request is writing to the same upload. */
export class UploadBusy extends Error {}

/** It was given up while something was written. */
export class UploadOver extends Error {}

/** Who may go on with an upload. */
export interface UploadOwner {
  /** A world's id. */
  world: string;
  repository: string;
}

/** A blob that is still arriving. */
export interface BlobUpload {
  readonly id: string;
  readonly owner: UploadOwner;
  /** The bytes that have arrived. */
  readonly size: number;
  /**
   * Appends what a request sends.
   *
   * @param length how many bytes that must be; undefined: any number
   * @throws UploadBusy; UploadOver; LengthMismatch, after which nothing of it is kept; ApiError SERVICE_UNAVAILABLE when it cannot
   * be stored, or what reading throws: after these the whole pieces that came are kept
   */
  append(content: AsyncIterable<Buffer>, length?: number): Promise<void>;
  /**
   * Makes it a blob.
   *
   * @returns lets go of the blob: once it is written down that somebody has it
   * @throws DigestMismatch or ApiError SERVICE_UNAVAILABLE, which end the upload; UploadBusy; UploadOver
   */
  finish(digest: string): Promise<() => void>;
  /** Ends it and removes what has come. */
  discard(): Promise<void>;
}

interface UploadOptions {
  id: string;
  owner: UploadOwner;
  /** Where it grows. */
  file: string;
  /** Makes a blob of the file, which stays until the returned function is called. */
  place: (file: string, digest: string) => () => void;
  /** Nobody shall find it any more. */
  forget: () => void;
}

/** Begins an upload. Its file is open only while something is written, however many uploads have been left alone. */
export function createUpload({ id, owner, file, place, forget }: UploadOptions): BlobUpload {
  let hash = createHash('sha256');
  let size = 0;
  let busy = false;
  let isOver = false;
  asStorageFailure(file, () => closeSync(openSync(file, 'w', privateFile)));

  async function alone<Result>(act: () => Promise<Result>): Promise<Result> {
    if (busy) throw new UploadBusy();
    busy = true;
    try {
      return await act();
    } catch (error) {
      if (isOver && (error as NodeJS.ErrnoException).code === 'ENOENT') throw new UploadOver();
      throw storageFailure(error, file) ?? error;
    } finally {
      busy = false;
    }
  }

  async function end(): Promise<void> {
    isOver = true;
    forget();
    await rm(file, { force: true });
  }

  return {
    id,
    owner,
    get size() {
      return size;
    },
    append: (content, length) =>
      alone(async () => {
        const before = length === undefined ? undefined : { size, hash: hash.copy(), most: size + length };
        const handle = await open(file, 'r+');
        try {
          // At its place, not at the end: what a failed write left there is written over.
          await writePieces(handle, size, content, (pieces) => {
            for (const piece of pieces) {
              hash.update(piece);
              size += piece.length;
            }
            if (before !== undefined && size > before.most) throw new LengthMismatch();
          });
          if (before !== undefined && size < before.most) throw new LengthMismatch();
        } catch (error) {
          if (before !== undefined && error instanceof LengthMismatch) ({ size, hash } = before);
          throw error;
        } finally {
          await handle.close();
        }
      }),
    finish: (digest) =>
      alone(async () => {
        const actual = `sha256:${hash.digest('hex')}`;
        try {
          if (actual !== digest) throw new DigestMismatch(actual);
          const handle = await open(file, 'r+');
          await handle.truncate(size).finally(() => handle.close());
          return place(file, digest);
        } finally {
          await end();
        }
      }),
    discard: end,
  };
}
