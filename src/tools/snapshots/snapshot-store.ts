// Snapshot stores: in memory, or one file for each snapshot, replaced atomically.

import { createHash, webcrypto } from 'node:crypto';
import { closeSync, fsyncSync, lstatSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzipSync } from 'node:zlib';
import { readFoundText, UnsafePath } from '../../core/checkout-files.js';
import { foreignIn } from '../../core/own-directory.js';
import { openAfresh } from '../../core/private-files.js';
import { ourSnapshots } from '../../db/data-dir.js';
import type { WorldImage } from '../../db/image.js';
import { asStorageFailure } from '../../db/storage-failure.js';
import { given } from '../../world/given.js';
import type { ListedSnapshot, PortableSnapshot, SnapshotInfo } from './schema.js';

export interface Snapshot extends SnapshotInfo {
  image: WorldImage;
}

export interface SnapshotStore {
  /** By name, damaged ones too. */
  list(): ListedSnapshot[];
  /** @throws DamagedSnapshot */
  get(name: string): Snapshot | undefined;
  /**
   * Replaces one of the same name, or leaves it whole.
   *
   * @throws ApiError SERVICE_UNAVAILABLE when it cannot be stored
   */
  put(snapshot: Snapshot): void;
  /**
   * Whole or damaged.
   *
   * @throws ApiError SERVICE_UNAVAILABLE when it cannot be removed
   */
  remove(name: string): boolean;
}

/** The store of a world's snapshots. */
export const snapshotStore = given<SnapshotStore>('snapshots');

/** Thrown for a document that is not a complete snapshot, with a sentence for the user. */
export class DamagedSnapshot extends Error {}

/** Snapshots in memory. */
export function createMemorySnapshotStore(): SnapshotStore {
  const snapshots = new Map<string, Snapshot>();
  return {
    list: () => [...snapshots.values()].map((snapshot) => ({ ...infoOf(snapshot), problem: null })).sort(byName),
    get: (name) => snapshots.get(name),
    put(snapshot) {
      snapshots.set(snapshot.name, snapshot);
    },
    remove: (name) => snapshots.delete(name),
  };
}

const ending = '.snapshot.json';
const unfinishedEnding = '.unfinished';
// Others may lie there, in a directory that was there before.
const isUnfinished = (name: string): boolean => name.startsWith('.') && name.endsWith(unfinishedEnding);

/** Snapshots as files of a directory, which is made when it is needed. */
export function createFileSnapshotStore(dir: string): SnapshotStore {
  // Removes unfinished files that a killed process left behind.
  const left = entriesOf(dir).filter(isUnfinished);
  asStorageFailure(dir, () => {
    if (left.length > 0 && foreignIn(dir, ourSnapshots) === undefined)
      for (const name of left) rmSync(join(dir, name), { force: true });
  });
  const pathOf = (name: string): string => join(dir, name + ending);
  // Unpacking an image and looking at it take longer than all the rest of a restore (25 ms of 30).
  let latest: { written: number; snapshot: Snapshot } | undefined;
  const read = (name: string): Snapshot | undefined => {
    const written = statSync(pathOf(name), { throwIfNoEntry: false })?.mtimeMs;
    if (written === undefined) return undefined;
    if (latest !== undefined && latest.written === written && latest.snapshot.name === name) return latest.snapshot;
    const snapshot = { ...unpack(readPortable(pathOf(name))), name };
    latest = { written, snapshot };
    return snapshot;
  };
  return {
    list: () =>
      namesIn(dir)
        .map((name) => listed(name, pathOf(name)))
        .sort(byName),
    get: read,
    put(snapshot) {
      const text = JSON.stringify(pack(snapshot));
      // A process that is killed while it writes leaves the old file whole.
      const unfinished = join(dir, `.${snapshot.name}${unfinishedEnding}`);
      asStorageFailure(dir, () => {
        // The data directory itself is not made again: the world in it would have gone.
        statSync(dirname(dir));
        // Others may keep snapshots of their own in a directory of this name.
        foreignIn(dir, ourSnapshots);
        try {
          writeWhole(unfinished, text);
          renameSync(unfinished, pathOf(snapshot.name));
          latest = { written: statSync(pathOf(snapshot.name)).mtimeMs, snapshot };
        } catch (error) {
          rmSync(unfinished, { force: true });
          throw error;
        }
      });
    },
    remove(name) {
      if (!namesIn(dir).includes(name)) return false;
      asStorageFailure(dir, () => rmSync(pathOf(name), { recursive: true }));
      return true;
    },
  };
}

/** The portable document of a snapshot. */
export function pack({ image: { bytes }, ...info }: Snapshot): PortableSnapshot {
  const image = gzipSync(bytes, { level: 1 }).toString('base64');
  return { format: 'cloudemu-snapshot', version: 1, ...info, sha256: sha256(bytes), image };
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/**
 * The snapshot of a portable document.
 *
 * @throws DamagedSnapshot when its content is not what its checksum says
 */
export function unpack(document: PortableSnapshot): Snapshot {
  let bytes: Buffer | undefined;
  try {
    bytes = gunzipSync(Buffer.from(document.image, 'base64'), limited);
  } catch {
    // `checked` throws then; the reason that gunzip gives is of no use to people.
  }
  return checked(document, bytes, bytes && sha256(bytes));
}

/** The same while others are served: threads decompress and hash it, as 300 MB take a second. */
export async function unpackAside(document: PortableSnapshot): Promise<Snapshot> {
  const bytes = await promisify(gunzip)(Buffer.from(document.image, 'base64'), limited).catch(() => undefined);
  const hash = bytes && Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
  return checked(document, bytes, hash);
}

const limited = { maxOutputLength: 512 * 1_024 * 1_024 };

function checked(
  { name, takenAt, now, sha256 }: PortableSnapshot,
  bytes: Buffer | undefined,
  hash: string | undefined,
): Snapshot {
  if (bytes === undefined)
    throw new DamagedSnapshot('its image cannot be decompressed: the file is damaged or cut off');
  if (hash !== sha256) throw new DamagedSnapshot('its checksum does not match: the file was changed');
  return { name, takenAt, now, image: { bytes, isChecked: false } };
}

function writeWhole(path: string, text: string): void {
  const file = openAfresh(path);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const mostBytes = 256 * 1_024 * 1_024;

function readPortable(path: string): PortableSnapshot {
  try {
    const portable = JSON.parse(readFoundText(path, mostBytes)) as PortableSnapshot;
    const { takenAt, now, image } = portable;
    if ([takenAt, now, image].every((text) => typeof text === 'string')) return portable;
  } catch (error) {
    if (error instanceof UnsafePath) throw new DamagedSnapshot(error.message);
    // Nor are files that do not hold JSON.
  }
  throw new DamagedSnapshot(`${path} is not a snapshot: the file is damaged or cut off`);
}

// Under the name of its file, by which it is asked for.
function listed(name: string, path: string): ListedSnapshot {
  try {
    const { takenAt, now } = readPortable(path);
    return { name, takenAt, now, problem: null };
  } catch (error) {
    return { name, takenAt: null, now: null, problem: (error as Error).message };
  }
}

function namesIn(dir: string): string[] {
  return entriesOf(dir)
    .filter((entry) => entry.endsWith(ending) && !entry.startsWith('.'))
    .map((entry) => basename(entry, ending));
}

function entriesOf(dir: string): string[] {
  try {
    // Behind a link it is another one's.
    return lstatSync(dir).isDirectory() ? readdirSync(dir) : [];
  } catch {
    return [];
  }
}

function infoOf({ name, takenAt, now }: SnapshotInfo): SnapshotInfo {
  return { name, takenAt, now };
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}
