// The layers of pushed images: files named by their own SHA-256, shared by all worlds of a process.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterWall } from '../../core/clock.js';
import { makeDirectory, privateDir, writePrivately } from '../../core/private-files.js';
import { asStorageFailure } from '../../db/storage-failure.js';
import { makeTemporary, type TemporaryDirectory } from '../../db/temporary-directory.js';
import type { WorldPart } from '../../world/parts.js';
import type { PartKey, World } from '../../world/world.js';
import { type BlobUpload, createUpload, type UploadOwner } from './blob-upload.js';

interface WorldBlobs extends WorldPart {
  readonly store: BlobStore;
}

/** The host says where the blobs lie, as all worlds share them. */
export const blobsKey: PartKey<WorldBlobs> = {
  name: 'blobs',
  create() {
    throw new Error('the host provides the blobs of a world');
  },
};

/** What a world keeps of the blobs of its emulator: its uploads end when its data are replaced. */
export function worldBlobs(store: BlobStore, { id }: World): WorldBlobs {
  return { store, restarted: () => store.release(id) };
}

/** The blobs that a world uses. */
export function blobStoreOf(world: World): BlobStore {
  return world.part(blobsKey).store;
}

export interface BlobStore {
  /** Whether the blob is there; its size in bytes. */
  sizeOf(digest: string): number | undefined;
  /** The file of a blob that is there. */
  pathOf(digest: string): string;
  /** @throws ApiError SERVICE_UNAVAILABLE when nothing can be stored */
  begin(id: string, owner: UploadOwner): BlobUpload;
  /** An upload that somebody has begun. */
  find(id: string, owner: UploadOwner): BlobUpload | undefined;
  /**
   * Keeps a small blob and returns its digest.
   *
   * @throws ApiError SERVICE_UNAVAILABLE when it cannot be stored
   */
  put(content: Buffer | string): string;
  /** Keeps a blob until the returned function is called: once it is written down that somebody has it. */
  hold(digest: string): () => void;
  /** Gives up the uploads of a world that ended or began anew, and collects soon. */
  release(worldId: string): void;
  /** Removes, a moment later, every blob that no world and no snapshot refers to. */
  collectSoon(): void;
  /** The same now; resolves with the digests that are gone. */
  collect(): Promise<string[]>;
  close(): Promise<void>;
}

export interface BlobStoreOptions {
  /** Where the blobs lie; null: in a temporary directory that goes with the process, however that ends. */
  dir: string | null;
  /** The digests that the worlds in use refer to: few worlds, and asked often. */
  referred: () => ReadonlySet<string>;
  /** Those that anything else refers to: worlds that nobody has opened yet, and snapshots. */
  referredElsewhere: () => Promise<ReadonlySet<string>>;
  onError: (error: unknown) => void;
}

const collectAfterMs = 50;
/** After which nobody will let go of a blob any more: the request that held it has failed. */
const heldMs = 10_000;
/** Clients that break off for good leave their uploads behind; beyond so many the oldest is given up. */
const mostUploads = 1_000;

/** The blobs of an emulator. Nothing is made on disk before the first one arrives. */
export function createBlobStore({ dir, referred, referredElsewhere, onError }: BlobStoreOptions): BlobStore {
  const uploads = new Map<string, BlobUpload>();
  // Blobs that no row names yet, each with how many hold it.
  const held = new Map<string, number>();
  let temporary: TemporaryDirectory | undefined;
  let root = dir !== null && existsSync(dir) ? dir : undefined;
  // What a killed process left unfinished can never be finished.
  if (root !== undefined) rmSync(join(root, 'uploads'), { recursive: true, force: true });
  let cancelCollect: (() => void) | undefined;

  function makeRoot(): string {
    if (root !== undefined && existsSync(join(root, 'uploads')) && existsSync(join(root, 'sha256'))) return root;
    return asStorageFailure(dir === null ? ':memory:' : join(dir, 'sha256'), () => {
      if (dir === null && (root === undefined || !existsSync(root))) temporary = makeTemporary('cloudemu-images-');
      const made = dir ?? temporary?.path ?? '';
      makeDirectory(join(made, 'uploads'), privateDir);
      makeDirectory(join(made, 'sha256'), privateDir);
      root = made;
      return made;
    });
  }
  const pathOf = (digest: string): string => join(root ?? '', 'sha256', hexOf(digest));
  const sizeOf = (digest: string): number | undefined =>
    root === undefined ? undefined : statSync(pathOf(digest), { throwIfNoEntry: false })?.size;

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

  function unreferred(digests: readonly string[]): string[] {
    const kept = referred();
    return digests.filter((digest) => !kept.has(digest) && !held.has(digest));
  }

  async function collect(): Promise<string[]> {
    if (root === undefined || !existsSync(join(root, 'sha256'))) return [];
    const candidates = unreferred(readdirSync(join(root, 'sha256')).map((hex) => `sha256:${hex}`));
    if (candidates.length === 0) return [];
    const kept = await referredElsewhere();
    // Worlds went on meanwhile, and from here to the removal nobody gets a turn.
    const gone = unreferred(candidates.filter((digest) => !kept.has(digest)));
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

  // Nor has anybody collected what it no longer needed.
  collectSoon();

  return {
    sizeOf,
    pathOf,
    hold,
    begin(id, owner) {
      const file = join(makeRoot(), 'uploads', id);
      const upload = createUpload({ id, owner, file, place, forget: () => uploads.delete(id) });
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
