// The layers of pushed images: files named by their own SHA-256, shared by all worlds of a process.

import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterWall } from '../../core/clock.js';
import { ownDirectory } from '../../core/own-directory.js';
import { makeDirectory, privateDir, writePrivately } from '../../core/private-files.js';
import { ourRegistry } from '../../db/data-dir.js';
import { asStorageFailure } from '../../db/storage-failure.js';
import { makeTemporary, type TemporaryDirectory } from '../../db/temporary-directory.js';
import type { WorldPart } from '../../world/parts.js';
import type { PartKey, World } from '../../world/world.js';
import { type BlobUpload, createUpload, type UploadOwner } from './blob-upload.js';

interface WorldBlobs extends WorldPart {
  readonly store: BlobStore;
}

/** The host sets the directory of the blobs, as all worlds share it. */
export const blobsKey: PartKey<WorldBlobs> = {
  name: 'blobs',
  create() {
    throw new Error('the host provides the blobs of a world');
  },
};

/** A world's view of the emulator's blobs: its uploads end when its data are replaced. */
export function worldBlobs(store: BlobStore, { id }: World): WorldBlobs {
  return { store, replaced: () => store.release(id) };
}

/** The blob store of a world. */
export function blobStoreOf(world: World): BlobStore {
  return world.part(blobsKey).store;
}

export interface BlobStore {
  /** The size of a blob in bytes, or undefined when it does not exist. */
  sizeOf(digest: string): number | undefined;
  /** The file of an existing blob. */
  pathOf(digest: string): string;
  /** @throws ApiError SERVICE_UNAVAILABLE when storage fails */
  begin(id: string, owner: UploadOwner): BlobUpload;
  /** An upload in progress. */
  find(id: string, owner: UploadOwner): BlobUpload | undefined;
  /**
   * Stores a small blob and returns its digest.
   *
   * @throws ApiError SERVICE_UNAVAILABLE when it cannot be stored
   */
  put(content: Buffer | string): string;
  /** Protects a blob from collection until the returned function is called: once a row refers to it. */
  hold(digest: string): () => void;
  /** Cancels the uploads of a world that ended or was reset, and collects soon. */
  release(worldId: string): void;
  /** Removes, after a moment, every blob that no world and no snapshot refers to. */
  collectSoon(): void;
  /** The same at once; resolves with the removed digests. */
  collect(): Promise<string[]>;
  close(): Promise<void>;
}

export interface BlobStoreOptions {
  /** The directory of the blobs; null: a temporary directory that is removed with the process, however it ends. */
  dir: string | null;
  /** The digests that open worlds refer to: few worlds, and read often. */
  referred: () => ReadonlySet<string>;
  /** The digests that all worlds refer to, open or not. */
  referredByWorlds: () => ReadonlySet<string>;
  /** The same, with those that snapshots refer to. */
  referredAnywhere: () => Promise<ReadonlySet<string>>;
  onError: (error: unknown) => void;
}

const collectAfterMs = 50;
/** After this time a blob's hold ends by itself: the request that held it has failed. */
const heldMs = 10_000;
/** Clients that give up leave their uploads behind; beyond this number the oldest is cancelled. */
const mostUploads = 1_000;

/** The blobs of an emulator. Nothing is created on disk before the first one arrives. */
export function createBlobStore({
  dir,
  referred,
  referredByWorlds,
  referredAnywhere,
  onError,
}: BlobStoreOptions): BlobStore {
  // A world that is made again under its id and seed has uploads of the same ids while those before are being removed.
  const uploads = new Map<string, BlobUpload>();
  let begun = 0;
  // Blobs that no row refers to yet, each with the number of its holders.
  const held = new Map<string, number>();
  let temporary: TemporaryDirectory | undefined;
  let root = dir !== null && existsSync(dir) ? dir : undefined;
  // A killed process leaves unfinished uploads that can never be completed.
  if (root !== undefined) rmSync(join(root, 'uploads'), { recursive: true, force: true });
  let cancelCollect: (() => void) | undefined;

  function makeRoot(): string {
    if (root !== undefined && existsSync(join(root, 'uploads')) && existsSync(join(root, 'sha256'))) return root;
    return asStorageFailure(dir === null ? ':memory:' : join(dir, 'sha256'), () => {
      if (dir === null && (root === undefined || !existsSync(root))) temporary = makeTemporary('cloudemu-images-');
      const made = dir ?? temporary?.path ?? '';
      if (dir !== null) ownDirectory(dir, ourRegistry);
      makeDirectory(join(made, 'uploads'), privateDir);
      makeDirectory(join(made, 'sha256'), privateDir);
      root = made;
      return made;
    });
  }
  const pathOf = (digest: string): string => join(root ?? '', 'sha256', hexOf(digest));
  const sizeOf = (digest: string): number | undefined => {
    const file = root === undefined ? undefined : lstatSync(pathOf(digest), { throwIfNoEntry: false });
    return file?.isFile() === true ? file.size : undefined;
  };

  function hold(digest: string): () => void {
    held.set(digest, (held.get(digest) ?? 0) + 1);
    let isHeld = true;
    const letGo = (): void => {
      if (!isHeld) return;
      isHeld = false;
      cancelTimer();
      const left = (held.get(digest) ?? 1) - 1;
      if (left === 0) held.delete(digest);
      else held.set(digest, left);
    };
    const cancelTimer = afterWall(heldMs, () => {
      letGo();
      collectSoon();
    });
    return letGo;
  }

  function place(file: string, digest: string): () => void {
    const letGo = hold(digest);
    renameSync(file, pathOf(digest));
    return letGo;
  }

  function giveUp(upload: BlobUpload): void {
    upload.discard().catch(onError);
  }

  function unreferred(digests: readonly string[], kept: ReadonlySet<string>): string[] {
    return digests.filter((digest) => !kept.has(digest) && !held.has(digest));
  }

  async function collect(): Promise<string[]> {
    if (root === undefined || !existsSync(join(root, 'sha256'))) return [];
    // Something else may have been put in its place since the start.
    if (dir !== null) ownDirectory(dir, ourRegistry);
    const candidates = unreferred(
      readdirSync(join(root, 'sha256')).map((hex) => `sha256:${hex}`),
      referred(),
    );
    if (candidates.length === 0) return [];
    const orphans = unreferred(candidates, await referredAnywhere());
    // Worlds went on meanwhile, and some have closed since; from here to the removal no other code runs.
    const gone = orphans.length === 0 ? [] : unreferred(orphans, referredByWorlds());
    const removed = gone.flatMap((digest) => {
      const file = join(makeRoot(), 'uploads', `${hexOf(digest)}.removed`);
      if (sizeOf(digest) === undefined) return [];
      renameSync(pathOf(digest), file);
      return file;
    });
    // Removing gigabytes takes the file system a while.
    await Promise.all(removed.map((file) => rm(file, { force: true })));
    return gone;
  }

  function collectSoon(): void {
    if (root === undefined || cancelCollect !== undefined) return;
    cancelCollect = afterWall(collectAfterMs, () => {
      cancelCollect = undefined;
      collect().catch(onError);
    });
  }

  // A killed process may also have left blobs that are no longer needed.
  collectSoon();

  return {
    sizeOf,
    pathOf,
    hold,
    begin(id, owner) {
      begun += 1;
      const file = join(makeRoot(), 'uploads', `upload-${begun}`);
      const forget = (): void => {
        if (uploads.get(id) === upload) uploads.delete(id);
      };
      const upload = createUpload({ id, owner, file, place, forget });
      uploads.set(id, upload);
      const [oldest] = uploads.values();
      if (uploads.size > mostUploads && oldest !== undefined) giveUp(oldest);
      return upload;
    },
    find(id, { world, repository }) {
      const upload = uploads.get(id);
      return upload?.owner.world === world && upload.owner.repository === repository ? upload : undefined;
    },
    put(content) {
      const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
      if (sizeOf(digest) !== undefined) return digest;
      const unfinished = join(makeRoot(), 'uploads', hexOf(digest));
      asStorageFailure(unfinished, () => {
        try {
          writePrivately(unfinished, Buffer.from(content));
          renameSync(unfinished, pathOf(digest));
        } catch (error) {
          rmSync(unfinished, { force: true });
          throw error;
        }
      });
      return digest;
    },
    release(worldId) {
      for (const upload of uploads.values()) if (upload.owner.world === worldId) giveUp(upload);
      collectSoon();
    },
    collectSoon,
    collect,
    async close() {
      cancelCollect?.();
      await Promise.all([...uploads.values()].map((upload) => upload.discard().catch(onError)));
      await temporary?.remove();
    },
  };
}

function hexOf(digest: string): string {
  return digest.slice('sha256:'.length);
}
