// The layers of pushed images: files named by their own SHA-256, shared by all worlds of a process.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterWall } from '../kernel/clock.js';
import { privateDir, privateFile } from '../kernel/private-files.js';

/** What was sent does not have the digest that its sender names. */
export class DigestMismatch extends Error {}

/** Another request is writing to the same upload. */
export class UploadBusy extends Error {}

/** A blob that is still arriving. What came before a connection broke is kept, so that a client can go on. */
export interface BlobUpload {
  readonly id: string;
  /** Whom it belongs to; nobody else may go on with it. */
  readonly owner: string;
  /** The bytes that have arrived. */
  readonly size: number;
  /**
   * Appends what a request sends.
   *
   * @throws UploadBusy; whatever reading or writing throws, after which the whole chunks that came are kept
   */
  append(chunks: AsyncIterable<Buffer>): Promise<void>;
  /**
   * Makes it a blob.
   *
   * @throws DigestMismatch, which ends the upload
   */
  finish(digest: string): Promise<void>;
  /** Ends it and removes what has come. */
  discard(): Promise<void>;
}

export interface BlobStore {
  /** Whether the blob is there; its size in bytes. */
  sizeOf(digest: string): number | undefined;
  /** The file of a blob that is there. */
  pathOf(digest: string): string;
  begin(id: string, owner: string): Promise<BlobUpload>;
  find(id: string): BlobUpload | undefined;
  /** Keeps a small blob and returns its digest. */
  put(content: Buffer | string): string;
  /** Removes, a moment later, every blob that no world and no snapshot refers to. */
  collectSoon(): void;
  /** The same now; resolves with the digests that are gone. */
  collect(): Promise<string[]>;
  close(): Promise<void>;
}

export interface BlobStoreOptions {
  /** Where the blobs lie; null: in a temporary directory that goes with the process, however that ends. */
  dir: string | null;
  /** The digests that worlds and snapshots refer to. */
  references: () => Promise<ReadonlySet<string>>;
  /** Whether a world refers to a digest right now: asked once more before a blob is removed. */
  isReferred: (digest: string) => boolean;
  onError: (error: unknown) => void;
}

const collectAfterMs = 50;

/** The blobs of an emulator. Nothing is made on disk before the first one arrives. */
export function createBlobStore({ dir, references, isReferred, onError }: BlobStoreOptions): BlobStore {
  const uploads = new Map<string, BlobUpload>();
  // Blobs that have arrived and that no row names yet.
  const arriving = new Map<string, number>();
  let root = dir !== null && existsSync(dir) ? dir : undefined;
  // What a killed process left unfinished can never be finished.
  if (root !== undefined) rmSync(join(root, 'uploads'), { recursive: true, force: true });
  let cancelCollect: (() => void) | undefined;

  function makeRoot(): string {
    if (root !== undefined && existsSync(join(root, 'uploads'))) return root;
    root = dir ?? root ?? makeTemporary();
    mkdirSync(join(root, 'uploads'), { recursive: true, mode: privateDir });
    mkdirSync(join(root, 'sha256'), { recursive: true, mode: privateDir });
    return root;
  }
  const pathOf = (digest: string): string => join(root ?? '', 'sha256', hexOf(digest));
  const sizeOf = (digest: string): number | undefined =>
    root === undefined ? undefined : statSync(pathOf(digest), { throwIfNoEntry: false })?.size;

  async function collect(): Promise<string[]> {
    if (root === undefined || !existsSync(join(root, 'sha256'))) return [];
    const kept = await references();
    const gone: string[] = [];
    for (const hex of readdirSync(join(root, 'sha256'))) {
      const digest = `sha256:${hex}`;
      if (kept.has(digest) || arriving.has(digest) || isReferred(digest)) continue;
      rmSync(pathOf(digest), { force: true });
      gone.push(digest);
    }
    return gone;
  }

  return {
    sizeOf,
    pathOf,
    async begin(id, owner) {
      const file = join(makeRoot(), 'uploads', id);
      const handle = await open(file, 'wx+', privateFile);
      const upload = createUpload({ id, owner, file, handle }, () => uploads.delete(id), place);
      uploads.set(id, upload);
      return upload;
    },
    find: (id) => uploads.get(id),
    put(content) {
      const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
      if (sizeOf(digest) !== undefined) return digest;
      const unfinished = join(makeRoot(), 'uploads', hexOf(digest));
      writeFileSync(unfinished, content, { mode: privateFile });
      renameSync(unfinished, pathOf(digest));
      return digest;
    },
    collectSoon() {
      if (root === undefined || cancelCollect !== undefined) return;
      cancelCollect = afterWall(collectAfterMs, () => {
        cancelCollect = undefined;
        collect().catch(onError);
      });
    },
    collect,
    async close() {
      cancelCollect?.();
      await Promise.all([...uploads.values()].map((upload) => upload.discard().catch(onError)));
      if (dir === null && root !== undefined) await rm(root, { recursive: true, force: true });
    },
  };

  // The blob stays while the caller has not yet written down that it is there.
  function place(file: string, digest: string): void {
    renameSync(file, pathOf(digest));
    arriving.set(digest, (arriving.get(digest) ?? 0) + 1);
    afterWall(10_000, () => {
      const left = (arriving.get(digest) ?? 1) - 1;
      if (left === 0) arriving.delete(digest);
      else arriving.set(digest, left);
    });
  }
}

interface UploadFile {
  id: string;
  owner: string;
  file: string;
  handle: FileHandle;
}

function createUpload(
  { id, owner, file, handle }: UploadFile,
  forget: () => void,
  place: (file: string, digest: string) => void,
): BlobUpload {
  const hash = createHash('sha256');
  let size = 0;
  let busy = false;
  const end = async (): Promise<void> => {
    forget();
    await handle.close();
  };
  return {
    id,
    owner,
    get size() {
      return size;
    },
    async append(chunks) {
      if (busy) throw new UploadBusy();
      busy = true;
      try {
        for await (const chunk of chunks) {
          // At its place, not at the end: what a failed write left there is written over.
          for (let written = 0; written < chunk.length; ) {
            const { bytesWritten } = await handle.write(chunk, written, chunk.length - written, size + written);
            written += bytesWritten;
          }
          hash.update(chunk);
          size += chunk.length;
        }
      } finally {
        busy = false;
      }
    },
    async finish(digest) {
      if (busy) throw new UploadBusy();
      busy = true;
      const actual = `sha256:${hash.digest('hex')}`;
      try {
        await handle.truncate(size);
      } finally {
        await end();
      }
      if (actual !== digest) {
        await rm(file, { force: true });
        throw new DigestMismatch(actual);
      }
      place(file, digest);
    },
    async discard() {
      await end();
      await rm(file, { force: true });
    },
  };
}

const temporaryPrefix = 'cloudemu-images-';

// A killed process cannot clean up: a shell that waits for the end of its input does. Where there is no shell, the next
// process does.
function makeTemporary(): string {
  for (const name of readdirSync(tmpdir()))
    if (name.startsWith(temporaryPrefix)) removeIfOrphaned(join(tmpdir(), name));
  const path = mkdtempSync(join(tmpdir(), `${temporaryPrefix}${process.pid}-`));
  const cleaner = spawn('sh', ['-c', 'cat > /dev/null; rm -rf "$0"', path], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  cleaner.on('error', () => {});
  cleaner.unref();
  (cleaner.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  return path;
}

function removeIfOrphaned(path: string): void {
  const pid = Number(/-(\d+)-[^-]+$/.exec(path)?.[1]);
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') rmSync(path, { recursive: true, force: true });
  }
}

function hexOf(digest: string): string {
  return digest.slice('sha256:'.length);
}
