// Worlds in files: each has a directory of its own below the data directory.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../core/errors.js';
import { ownDirectory } from '../core/own-directory.js';
import { writePrivately } from '../core/private-files.js';
import { connect } from '../db/connection.js';
import { ourWorlds, requireNoLinks } from '../db/data-dir.js';
import { asStorageFailure } from '../db/storage-failure.js';
import { withoutWal, withWal } from '../db/wal-header.js';
import { listBlobsOfWorldImage } from '../platform/registry/store.js';
import {
  endWorld,
  finishDir,
  makeWorldDir,
  noteClosing,
  noteOpening,
  removeUnfinished,
  removeWorldDir,
  saysWhatItHolds,
  writeAbout,
} from './directories.js';
import { reconcileWorlds } from './reconcile.js';
import type { WorldStorage } from './world-storage.js';

/** Keeps worlds in the directories of a directory. */
export function createFileStorage(dir: string): WorldStorage {
  ownDirectory(dir, ourWorlds);
  requireNoLinks(dir);
  // Directories that are not listed and stay as they are: whoever puts them right needs their layers.
  let aside: readonly string[] = [];
  const pathOf = (name: string): string => join(dir, name);
  const fileOf = (name: string): string => join(dir, name, 'world.db');
  const snapshotsOf = (name: string): string => join(dir, name, 'snapshots');
  return {
    indexFile: join(dir, 'index.db'),
    outlives: true,
    write(about, image, list) {
      asStorageFailure(dir, () => {
        const { name, path } = makeWorldDir(dir, about);
        try {
          writePrivately(join(path, 'world.db'), withWal(image));
          list(name);
        } catch (error) {
          removeUnfinished(dir, name);
          throw error;
        }
        finishDir(dir, name);
      });
    },
    sourceOf(name, id) {
      // SQLite would begin a new one without a word.
      if (!existsSync(fileOf(name)))
        throw new ApiError('SERVICE_UNAVAILABLE', {
          message: `The world "${id}" cannot be opened: ${fileOf(name)} is gone. Put a copy of it back, or end that world`,
        });
      requireNoLinks(pathOf(name));
      return { file: fileOf(name) };
    },
    bytesOf: (name) => sizeOf(fileOf(name)) + sizeOf(`${fileOf(name)}-wal`),
    noteOpening: (name) => noteOpening(pathOf(name)),
    isDescribed: (name) => saysWhatItHolds(pathOf(name)),
    describe(name, about) {
      if (about !== undefined) writeAbout(pathOf(name), about);
    },
    noteClosing: (name) => noteClosing(pathOf(name)),
    closesSoon: () => true,
    close(name, world) {
      world.close();
      return noteClosing(pathOf(name));
    },
    end(name, unlist) {
      endWorld(pathOf(name), unlist);
      return () => removeWorldDir(pathOf(name));
    },
    reconcile(index, list) {
      const found = reconcileWorlds(dir, index, list);
      aside = found.aside;
      return found.told;
    },
    aside: () => aside.map((name) => ({ name, blobs: blobsAt(fileOf(name)) })),
    snapshotsOf,
    snapshotDirs: (names) => [...names, ...aside].map(snapshotsOf).filter((path) => existsSync(path)),
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function imageAt(file: string): Buffer {
  const db = connect(file);
  try {
    return withoutWal(db.serialize());
  } finally {
    db.close();
  }
}

function blobsAt(file: string): string[] {
  return existsSync(file) ? listBlobsOfWorldImage(imageAt(file)) : [];
}
