// Where the snapshots of a world lie: in memory, or one file each, replaced whole or not at all.

import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { privateDir, privateFile } from '../kernel/private-files.js';

export interface SnapshotInfo {
  name: string;
  /** Wall time, ISO 8601. */
  takenAt: string;
  /** Virtual time, ISO 8601. */
  now: string;
}

export interface Snapshot extends SnapshotInfo {
  image: Buffer;
}

/** A snapshot as one document that any cloudemu can read. */
export interface PortableSnapshot extends SnapshotInfo {
  format: 'cloudemu-snapshot';
  version: 1;
  /** Of the image, uncompressed. */
  sha256: string;
  /** An SQLite file, compressed with gzip, in base64. */
  image: string;
}

export interface Shelf {
  /** By name. */
  list(): SnapshotInfo[];
  get(name: string): Snapshot | undefined;
  /** Replaces one of the same name. */
  put(snapshot: Snapshot): void;
  remove(name: string): boolean;
}

/** Thrown for a document that is no whole snapshot, with a sentence for the user. */
export class DamagedSnapshot extends Error {}

/** Snapshots in memory. */
export function createMemoryShelf(): Shelf {
  const snapshots = new Map<string, Snapshot>();
  return {
    list: () => [...snapshots.values()].map(infoOf).sort(byName),
    get: (name) => snapshots.get(name),
    put: (snapshot) => void snapshots.set(snapshot.name, snapshot),
    remove: (name) => snapshots.delete(name),
  };
}

const ending = '.snapshot.json';
const unfinishedEnding = '.unfinished';

/** Snapshots as files of a directory, which is made when it is needed. */
export function createFileShelf(dir: string): Shelf {
  // What a killed process left behind.
  for (const name of entriesOf(dir)) if (name.endsWith(unfinishedEnding)) rmSync(join(dir, name), { force: true });
  const pathOf = (name: string): string => join(dir, name + ending);
  // Unpacking takes longer than all the rest of a restore, and tests restore one snapshot again and again.
  let latest: { written: number; snapshot: Snapshot } | undefined;
  const read = (name: string): Snapshot | undefined => {
    const written = statSync(pathOf(name), { throwIfNoEntry: false })?.mtimeMs;
    if (written === undefined) return undefined;
    if (latest !== undefined && latest.written === written && latest.snapshot.name === name) return latest.snapshot;
    const snapshot = unpack(readPortable(pathOf(name)));
    latest = { written, snapshot };
    return snapshot;
  };
  return {
    list() {
      return namesIn(dir)
        .map((name) => infoOf(readPortable(pathOf(name))))
        .sort(byName);
    },
    get: read,
    put(snapshot) {
      mkdirSync(dir, { recursive: true, mode: privateDir });
      // A process that is killed while it writes leaves the old file whole.
      const unfinished = join(dir, `.${snapshot.name}${unfinishedEnding}`);
      const file = openSync(unfinished, 'w', privateFile);
      try {
        writeSync(file, JSON.stringify(pack(snapshot)));
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(unfinished, pathOf(snapshot.name));
    },
    remove(name) {
      if (!namesIn(dir).includes(name)) return false;
      rmSync(pathOf(name));
      return true;
    },
  };
}

/** The portable document of a snapshot. */
export function pack({ image, ...info }: Snapshot): PortableSnapshot {
  return {
    format: 'cloudemu-snapshot',
    version: 1,
    ...info,
    sha256: checksum(image),
    image: gzipSync(image, { level: 1 }).toString('base64'),
  };
}

const maxImageBytes = 512 * 1_024 * 1_024;

/**
 * The snapshot of a portable document.
 *
 * @throws DamagedSnapshot when its content is not what its checksum says
 */
export function unpack({ name, takenAt, now, sha256, image: packed }: PortableSnapshot): Snapshot {
  let image: Buffer;
  try {
    image = gunzipSync(Buffer.from(packed, 'base64'), { maxOutputLength: maxImageBytes });
  } catch {
    throw new DamagedSnapshot('its image cannot be decompressed: the file is damaged or cut off');
  }
  if (checksum(image) !== sha256) throw new DamagedSnapshot('its checksum does not match: the file was changed');
  return { name, takenAt, now, image };
}

function readPortable(path: string): PortableSnapshot {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as PortableSnapshot;
  } catch {
    throw new DamagedSnapshot(`${path} is no snapshot`);
  }
}

function namesIn(dir: string): string[] {
  return entriesOf(dir)
    .filter((entry) => entry.endsWith(ending) && !entry.startsWith('.'))
    .map((entry) => basename(entry, ending));
}

function entriesOf(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function infoOf({ name, takenAt, now }: SnapshotInfo): SnapshotInfo {
  return { name, takenAt, now };
}

function byName(a: SnapshotInfo, b: SnapshotInfo): number {
  return a.name < b.name ? -1 : 1;
}

function checksum(image: Buffer): string {
  return createHash('sha256').update(image).digest('hex');
}
