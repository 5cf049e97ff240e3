// The places in which the data of closed worlds are kept: memory here, files in `in-files.ts`.

import { bytesIn } from '../db/meta.js';
import type { WorldIndex } from '../db/world-index.js';
import type { MadeWorld } from '../world/made-world.js';
import type { World } from '../world/world.js';

/** The facts of a world that the list has and its database has not. */
export interface AboutWorld extends Pick<MadeWorld, 'id' | 'owner' | 'port' | 'asked'> {
  /** Whether it was never open. */
  isNew: boolean;
}

/** The database that a world opens: a file, or ':memory:' with an image. */
export interface WorldSource {
  file: string;
  image?: Buffer | undefined;
}

/** Keeps the data of worlds, each under a name that no other world ever has. */
export interface WorldStorage {
  /** The file of the list of worlds, or ':memory:'. */
  readonly indexFile: string;
  /** Whether the worlds outlive the process. */
  readonly outlives: boolean;
  /**
   * Keeps a new world.
   *
   * @param list lists it under its name; where it throws, nothing of the world is kept
   * @throws ApiError SERVICE_UNAVAILABLE when it cannot be stored
   */
  write(about: AboutWorld, image: Buffer, list: (name: string) => void): void;
  /**
   * Finds the data of a closed world.
   *
   * @throws ApiError SERVICE_UNAVAILABLE when they are gone, StoreError when they must not be used
   */
  sourceOf(name: string, id: string): WorldSource;
  /** The size of its database, of a world that is open or closed. */
  bytesOf(name: string, open: World | undefined): number;
  /** Notes that a world is open, whose data are its own from now on: what is kept of it is out of date. */
  noteOpening(name: string): void;
  /** Whether it holds what `describe` stores. */
  isDescribed(name: string): boolean;
  /** Stores what the list has of a world, where that is needed to make the list again; undefined: nothing is known. */
  describe(name: string, about: AboutWorld | undefined): void;
  /** Notes that a world was closed; returns the name of this closing, by which an older list is recognised, if it has one. */
  noteClosing(name: string): string | null;
  /** Whether others need not wait long while a world is closed. */
  closesSoon(world: World): boolean;
  /** Closes a world that stays, and notes it. */
  close(name: string, world: World): string | null;
  /**
   * Ends a world; what `unlist` throws leaves it as it was.
   *
   * @returns removes what is left of it, once it is closed
   */
  end(name: string, unlist: () => void): () => void;
  /** Brings the list and what is there together; returns what was found otherwise, for the user. */
  reconcile(index: WorldIndex, list: (about: AboutWorld, name: string) => void): string[];
  /** Worlds that the list does not have and cannot have, with the digests of their images. */
  aside(): { name: string; blobs: string[] }[];
  /** The directory of the snapshots of a world; undefined: they are in memory. */
  snapshotsOf(name: string): string | undefined;
  /** The directories of all snapshots, of the worlds that are named and those aside; undefined: they are in memory. */
  snapshotDirs(names: Iterable<string>): string[] | undefined;
}

// A copy of more takes longer than others should wait for.
const mostBytes = 1_000_000;

/** Keeps worlds in memory, each as the bytes of its database while it is closed. */
export function createMemoryStorage(): WorldStorage {
  const images = new Map<string, Buffer>();
  let count = 0;
  const imageOf = (name: string): Buffer => {
    const image = images.get(name);
    if (image === undefined) throw new Error(`the world ${name} is open, or was never written`);
    return image;
  };
  return {
    indexFile: ':memory:',
    outlives: false,
    write({ id }, image, list) {
      const name = `${id}.${++count}`;
      images.set(name, image);
      try {
        list(name);
      } catch (error) {
        images.delete(name);
        throw error;
      }
    },
    sourceOf: (name) => ({ file: ':memory:', image: imageOf(name) }),
    bytesOf: (name, open) => (open === undefined ? imageOf(name).length : bytesIn(open.db)),
    noteOpening: (name) => void images.delete(name),
    isDescribed: () => true,
    describe() {},
    noteClosing: () => null,
    closesSoon: ({ db }) => bytesIn(db) <= mostBytes,
    close(name, world) {
      world.close((db) =>
        images.set(
          name,
          db.exclusive((connection) => connection.serialize()),
        ),
      );
      return null;
    },
    end(name, unlist) {
      unlist();
      return () => void images.delete(name);
    },
    reconcile: () => [],
    aside: () => [],
    snapshotsOf: () => undefined,
    snapshotDirs: () => undefined,
  };
}
