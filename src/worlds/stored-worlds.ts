// Worlds in files of their own: each has a directory below the data directory, is opened when it is first asked for, and
// is closed when others need its place.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { createClock, wallNow } from '../core/clock.js';
import { ApiError } from '../core/errors.js';
import { parsedJson } from '../core/json.js';
import { makeDirectory, privateDir, writePrivately } from '../core/private-files.js';
import { StoreError } from '../db/connection.js';
import { requireNoLinks } from '../db/data-dir.js';
import { clockState } from '../db/meta.js';
import { asStorageFailure } from '../db/storage-failure.js';
import { openWorldIndex } from '../db/world-index.js';
import { listKeyHashes } from '../modules/keys/store.js';
import { listBlobs } from '../modules/registry/store.js';
import type { MadeWorld } from '../world/made-world.js';
import { seededIdentity } from '../world/seeded.js';
import { clockChanged, type World } from '../world/world.js';
import type { StoredWorlds } from '../world/worlds.js';
import {
  type AboutWorld,
  endWorld,
  finishDir,
  makeWorldDir,
  noteClosing,
  noteOpening,
  removeUnfinished,
  removeWorldDir,
  saysWhatItHolds,
  storedRequest,
  writeAbout,
} from './directories.js';
import { blobsAt, imageAt, walJournalled } from './images.js';
import { reconcileWorlds } from './reconcile.js';

export interface WorldFiles extends StoredWorlds {
  /**
   * Brings the list and the directories together, to be called before anything else: a list may have lost worlds (a copy
   * without its log, an older one), and directories may have gone.
   *
   * @returns what was found otherwise than the list says, for the user
   */
  reconcile(): string[];
  /**
   * Writes a new world and lists it.
   *
   * @throws ApiError SERVICE_UNAVAILABLE when it cannot be stored: then it is not listed
   */
  add(world: MadeWorld, image: Buffer): void;
  /**
   * Writes a world that another process has exported, and lists it, with the name that its copy had there.
   *
   * @throws ApiError SERVICE_UNAVAILABLE when it cannot be stored or opened: then it is not listed
   */
  take(world: TakenWorld, image: Buffer): void;
  /** A closed world as the bytes of an SQLite file, with everything in it. */
  imageOf(id: string): Buffer;
  /** The name of the copy that a world was taken from, while nobody has opened it here. */
  takenFrom(id: string): string | undefined;
  /** The facts of a world, which need not be open. */
  read(id: string): MadeWorld | undefined;
  countOf(owner: string): number;
  /** The blobs of a closed world. */
  blobsOf(id: string): string[];
  setPort(id: string, port: number): void;
  withPorts(): { id: string; port: number }[];
  /** The directory of the snapshots of a world. */
  snapshotsOf(id: string): string;
  /** The snapshot directories of all worlds that have one. */
  snapshotDirs(): string[];
  ownerOfKey(hash: string): string | undefined;
  /** The blobs that the list notes; null for a world that was open when the process was killed. */
  blobs(): { id: string; blobs: string[] | null }[];
}

/** The facts that another process sends about a world in addition to its data. */
interface TakenWorld extends Pick<MadeWorld, 'id' | 'asked' | 'owner'> {
  copy: string;
}

/**
 * The worlds of a data directory.
 *
 * @param openFile opens the world of a file, for the first time or again
 * @param look opens the world of a file for a moment, without announcing it
 * @param onClose called with a world that has just been closed, and stays
 * @throws StoreError when the list of them cannot be used
 */
export function openStoredWorlds(
  dir: string,
  openFile: (id: string, file: string, isFirst: boolean) => World,
  look: (id: string, file: string) => World,
  onClose: (id: string) => void,
): WorldFiles {
  makeDirectory(dir, privateDir);
  requireNoLinks(dir);
  const indexFile = join(dir, 'index.db');
  const index = openWorldIndex(indexFile, wallNow());
  // Directories that are not listed and stay as they are: whoever puts them right needs their layers.
  let aside: readonly string[] = [];
  const dirOf = (id: string): string => join(dir, index.get(id)?.dir ?? 'none');
  const factsOf = ({ asked, identity, clock }: Pick<MadeWorld, 'asked' | 'identity' | 'clock'>): string =>
    JSON.stringify({ asked, identity, clock: clock.state() });

  // Writes the file of a new world; `list` has it listed.
  function write(about: AboutWorld, image: Buffer, list: (name: string, file: string) => void): void {
    asStorageFailure(dir, () => {
      const { name, path } = makeWorldDir(dir, about);
      try {
        const file = join(path, 'world.db');
        writePrivately(file, walJournalled(image));
        list(name, file);
      } catch (error) {
        removeUnfinished(dir, name);
        throw error;
      }
      finishDir(dir, name);
    });
  }

  // Lists a world whose file is there.
  function listFile({ id, asked, owner, port, isNew, copy }: AboutWorld, name: string, file: string): void {
    const world = opened(id, () => {
      requireNoLinks(dirname(file));
      return look(id, file);
    });
    const { db, clock } = world;
    const facts = { asked, identity: seededIdentity(world), clock: clock.state(), ...(copy !== undefined && { copy }) };
    const blobs = JSON.stringify(listBlobs(db));
    const hashes = listKeyHashes(db);
    world.close();
    const closing = isNew ? null : noteClosing(dirname(file));
    index.add(
      { id, dir: name, facts: JSON.stringify(facts), owner, ttl: asked.ttl, port, blobs, closing },
      wallNow(),
      hashes,
      isNew,
    );
  }

  function describeIn(path: string, id: string, isNew: boolean): void {
    const row = index.get(id);
    const known = row && read(row.facts, storedFacts);
    if (row === undefined || known === undefined) return;
    writeAbout(path, { id, owner: row.owner, port: row.port, isNew, asked: known.asked });
  }

  // Damaged ones stay: nobody knows what was asked.
  function factsNow(world: World): string {
    const { facts = '' } = index.get(world.id) ?? {};
    const known = read(facts, storedFacts);
    return known ? factsOf({ asked: known.asked, identity: seededIdentity(world), clock: world.clock }) : facts;
  }
  function listed<Value>(id: string, column: 'facts' | 'blobs', text: string, shape: z.ZodType<Value>): Value {
    const value = read(text, shape);
    if (value !== undefined) return value;
    throw new ApiError('SERVICE_UNAVAILABLE', {
      message: `The list of worlds ${indexFile} is damaged: ${column} of the world "${id}" is not as it was written. End that world, or put a copy of the file back`,
    });
  }
  // Once somebody has opened it, it is no longer what was taken.
  function takenFrom(id: string): string | undefined {
    const row = index.get(id);
    return row === undefined || row.blobs === null ? undefined : read(row.facts, storedFacts)?.copy;
  }
  // So that the list is right without opening a world, also where the process is killed while it is open.
  function noteFacts(world: World): void {
    if (world.isClosed) return;
    try {
      index.describe(world.id, factsNow(world));
    } catch {
      // Closing the world may store them later, where nothing can be stored now.
    }
  }

  return {
    reconcile() {
      const found = reconcileWorlds(dir, index, (about, name) => listFile(about, name, join(dir, name, 'world.db')));
      aside = found.aside;
      return found.told;
    },
    add({ id, owner, hashes, blobs, ...world }, image) {
      write({ id, owner, asked: world.asked, port: world.port, isNew: true }, image, (name) => {
        const { ttl, port } = world;
        const facts = factsOf(world);
        const row = { id, dir: name, facts, owner, ttl, port, blobs: JSON.stringify(blobs), closing: null };
        index.add(row, wallNow(), hashes);
      });
    },
    take(taken, image) {
      const about = { ...taken, port: null, isNew: false };
      write(about, image, (name, file) => listFile(about, name, file));
    },
    imageOf: (id) => imageAt(dirOf(id)),
    takenFrom,
    read(id) {
      const row = index.get(id);
      if (row === undefined) return undefined;
      const { asked, identity, clock } = listed(id, 'facts', row.facts, storedFacts);
      const { owner, ttl, port } = row;
      return { id, asked, identity, clock: createClock({ state: clock }), owner, ttl, port, hashes: [], blobs: [] };
    },
    has: (id) => index.get(id) !== undefined,
    generation: (id) => index.get(id)?.dir,
    ttlOf: (id) => index.get(id)?.ttl,
    open(id) {
      const [path, isNew, wasTaken] = [dirOf(id), index.isNew(id), takenFrom(id) !== undefined];
      // SQLite would begin a new one without a word.
      if (!existsSync(join(path, 'world.db')))
        throw new ApiError('SERVICE_UNAVAILABLE', {
          message: `The world "${id}" cannot be opened: ${join(path, 'world.db')} is gone. Put a copy of it back, or end that world`,
        });
      const world = opened(id, () => {
        requireNoLinks(path);
        return openFile(id, join(path, 'world.db'), isNew);
      });
      noteOpening(path);
      index.opened(id);
      if (isNew || wasTaken || !saysWhatItHolds(path)) describeIn(path, id, false);
      world.bus.on(clockChanged, () => noteFacts(world));
      return world;
    },
    close(world) {
      const { id, db } = world;
      const facts = factsNow(world);
      const closed = { id, facts, blobs: JSON.stringify(listBlobs(db)), keyHashes: listKeyHashes(db) };
      world.close();
      index.closed({ ...closed, closing: noteClosing(dirOf(id)), now: wallNow() });
      onClose(id);
    },
    remove(id) {
      const gone = dirOf(id);
      endWorld(gone, () => index.remove(id));
      return () => removeWorldDir(gone);
    },
    list: index.list,
    count: index.count,
    countOf: index.countOf,
    blobsOf: (id) => listed(id, 'blobs', index.get(id)?.blobs ?? '[]', storedBlobs),
    ended: () => index.ended(wallNow()),
    untilEnd() {
      const next = index.nextEnd();
      return next === undefined ? Infinity : Math.max(0, next - wallNow());
    },
    setPort(id, port) {
      index.setPort(id, port);
      describeIn(dirOf(id), id, index.isNew(id));
    },
    withPorts: index.withPorts,
    ownerOfKey: index.ownerOfKey,
    blobs: () => [
      ...index
        .blobs()
        .map(({ id, blobs }) => ({ id, blobs: blobs === null ? null : listed(id, 'blobs', blobs, storedBlobs) })),
      ...aside.map((name) => ({ id: name, blobs: blobsAt(join(dir, name)) })),
    ],
    snapshotsOf: (id) => join(dirOf(id), 'snapshots'),
    snapshotDirs: () =>
      [...index.dirs().keys(), ...aside].map((name) => join(dir, name, 'snapshots')).filter((path) => existsSync(path)),
    finish: index.close,
  };
}

const storedBlobs = z.lazy(() => z.array(z.string()));
const storedFacts = z.lazy(() =>
  z.object({
    asked: storedRequest,
    identity: z.object({ apiKey: z.string(), organizationId: z.string(), userId: z.string() }),
    clock: clockState,
    copy: z.string().optional(),
  }),
);

// Returns the value as it was written, with its fields in their order.
function read<Value>(text: string, shape: z.ZodType<Value>): Value | undefined {
  const value = parsedJson(text);
  return shape.safeParse(value, { jitless: true }).success ? (value as Value) : undefined;
}

function opened(id: string, open: () => World): World {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new ApiError('SERVICE_UNAVAILABLE', { message: `The world "${id}" cannot be opened: ${error.message}` });
  }
}
