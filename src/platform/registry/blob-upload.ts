// A blob upload in progress: stores the received bytes with a running hash, so that a client can resume after a break.

import { createHash } from 'node:crypto';
import { closeSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { openAfresh } from '../../core/private-files.js';
import { asStorageFailure, storageFailure } from '../../db/storage-failure.js';

/** The received bytes do not have the stated digest. */
export class DigestMismatch extends Error {}

/** The received body is longer or shorter than stated. */
export class LengthMismatch extends Error {}

/** Another request is writing to the same upload. */
export class UploadBusy extends Error {}

/** The upload was cancelled during a write. */
export class UploadOver extends Error {}

/** The owner of an upload, who alone may continue it. */
export interface UploadOwner {
  /** A world's id. */
  world: string;
  repository: string;
}

/** A blob upload in progress. */
export interface BlobUpload {
  readonly id: string;
  readonly owner: UploadOwner;
  /** The number of received bytes. */
  readonly size: number;
  /**
   * Appends the body of a request.
   *
   * @param length the required number of bytes; undefined: any number
   * @throws UploadBusy; UploadOver; LengthMismatch, after which nothing of it is kept; ApiError SERVICE_UNAVAILABLE when it cannot
   * be stored, or what reading throws: after these the whole pieces that came are kept
   */
  append(content: AsyncIterable<Buffer>, length?: number): Promise<void>;
  /**
   * Completes the upload as a blob.
   *
   * @returns releases the blob: call it once a row refers to the blob
   * @throws DigestMismatch or ApiError SERVICE_UNAVAILABLE, which end the upload; UploadBusy; UploadOver
   */
  finish(digest: string): Promise<() => void>;
  /** Ends the upload and deletes its bytes. */
  discard(): Promise<void>;
}

interface UploadOptions {
  id: string;
  owner: UploadOwner;
  /** The file of the upload. */
  file: string;
  /** Makes a blob of the file; garbage collection skips it until the returned function is called. */
  place: (file: string, digest: string) => () => void;
  /** Removes the upload from the store. */
  forget: () => void;
}

/** Begins an upload. Its file is open only during writes, so that abandoned uploads hold no file descriptors. */
export function createUpload({ id, owner, file, place, forget }: UploadOptions): BlobUpload {
  let hash = createHash('sha256');
  let size = 0;
  let busy = false;
  let isOver = false;
  asStorageFailure(file, () => closeSync(openAfresh(file)));

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
          for await (const piece of content) {
            // Written at the offset, not appended: this overwrites what a failed write left there. A nearly full disk takes a part.
            for (let done = 0; done < piece.length; )
              done += (await handle.write(piece, done, piece.length - done, size + done)).bytesWritten;
            hash.update(piece);
            size += piece.length;
            if (before !== undefined && size > before.most) throw new LengthMismatch();
          }
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
