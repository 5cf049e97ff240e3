// The worlds beside the default one: each is listed, is opened when it is first asked for, and is closed when others need its
// place. Their data lie in files or in memory.

import * as z from 'zod';
import { wallNow } from '../core/clock.js';
import { ApiError, StoreError } from '../core/errors.js';
import { parsedJson } from '../core/json.js';
import { clockState } from '../db/meta.js';
import { openWorldIndex, type WorldIndex } from '../db/world-index.js';
import { listKeyHashes } from '../platform/keys/store.js';
import { blobsOf } from '../platform/registry/store.js';
import type { MadeWorld } from '../world/made-world.js';
import { seededIdentity } from '../world/seeded.js';
import type { StoredWorlds } from '../world/stored.js';
import { clockChanged } from '../world/topics.js';
import type { World } from '../world/world.js';
import { storedRequest } from './directories.js';
import type { AboutWorld, WorldSource, WorldStorage } from './world-storage.js';

/** The worlds of a list, with their data. */
export interface ListedWorlds extends StoredWorlds {
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
  /** The facts of a world, which need not be open. */
  read(id: string): MadeWorld | undefined;
  /** The size of the database of a world, which need not be open. */
  bytesOf(id: string): number;
  setPort(id: string, port: number): void;
  withPorts(): { id: string; port: number }[];
  /** The directory of the snapshots of a world; undefined: they are in memory. */
  snapshotsOf(id: string): string | undefined;
  /** The snapshot directories of all worlds that have one; undefined: they are in memory. */
  snapshotDirs(): string[] | undefined;
  /** A world that has a key of that hash, whether it is open or not. */
  ownerOfKey(hash: string): string | undefined;
  /** The blobs that the list notes; null for a world that was open when the process was killed. */
  blobs(): { id: string; blobs: string[] | null }[];
}

/**
 * The worlds of a storage.
 *
 * @param openSource opens the world of a database, for the first time or again
 * @param look opens it for a moment, without announcing it
 * @param onClose called with a world that has just been closed, and stays
 * @throws StoreError when the list of worlds that outlive the process cannot be used
 */
export function openStoredWorlds(
  storage: WorldStorage,
  openSource: (id: string, source: WorldSource, isNew: boolean) => World,
  look: (id: string, source: WorldSource) => World,
  onClose: (id: string) => void,
): ListedWorlds {
  const { indexFile } = storage;
  let index: WorldIndex | undefined;
  // Most processes in memory have the default world alone, and start a millisecond sooner without a list.
  function list(): WorldIndex {
    index ??= openWorldIndex(indexFile, wallNow());
    return index;
  }
  if (storage.outlives) list();
  const nameOf = (id: string): string => list().get(id)?.dir ?? 'none';
  const factsOf = ({ asked, identity, clock }: Pick<MadeWorld, 'asked' | 'identity' | 'clock'>): string =>
    JSON.stringify({ asked, identity, clock });
  const opened = new Map<string, World>();
  // Open worlds whose keys may be others than the list has.
  const withOtherKeys = new Map<string, World>();

  // Lists a world that is kept, and of which no more is known than its database has.
  function listKept({ id, asked, owner, port, isNew }: AboutWorld, name: string): void {
    const world = usable(id, () => look(id, storage.sourceOf(name, id)));
    const { db, clock } = world;
    const facts = { asked, identity: seededIdentity(world), clock: clock.state() };
    const [blobs, hashes] = [JSON.stringify(blobsOf(world)), listKeyHashes(db)];
    world.close();
    const closing = isNew ? null : storage.noteClosing(name);
    const row = { id, dir: name, facts: JSON.stringify(facts), owner, ttl: asked.ttl, port, blobs, closing };
    list().add(row, wallNow(), hashes, isNew);
  }

  function about(id: string, isNew: boolean): AboutWorld | undefined {
    const row = list().get(id);
    const known = row && read(row.facts, storedFacts);
    return known && { id, owner: row.owner, port: row.port, isNew, asked: known.asked };
  }

  // Damaged ones stay: nobody knows what was asked.
  function factsNow(world: World): string {
    const { facts = '' } = list().get(world.id) ?? {};
    const known = read(facts, storedFacts);
    return known ? factsOf({ asked: known.asked, identity: seededIdentity(world), clock: world.clock.state() }) : facts;
  }
  function listed<Value>(id: string, column: 'facts' | 'blobs', text: string, shape: z.ZodType<Value>): Value {
    const value = read(text, shape);
    if (value !== undefined) return value;
    throw new ApiError('SERVICE_UNAVAILABLE', {
      message: `The list of worlds ${indexFile} is damaged: ${column} of the world "${id}" is not as it was written. End that world, or put a copy of the file back`,
    });
  }
  // So that the list is right without opening a world, also where the process is killed while it is open.
  function noteFacts(world: World): void {
    if (world.isClosed) return;
    try {
      list().describe(world.id, factsNow(world));
    } catch {
      // Closing the world may store them later, where nothing can be stored now.
    }
  }
  function noteKeys(): void {
    try {
      for (const [id, { db }] of withOtherKeys) list().noteKeys(id, listKeyHashes(db));
      withOtherKeys.clear();
    } catch {
      // The list cannot be written now: until it can, a refused new key is not said to be one of another world.
    }
  }
  function forget(id: string): void {
    opened.delete(id);
    withOtherKeys.delete(id);
  }

  return {
    outlive: storage.outlives,
    get index() {
      return list();
    },
    reconcile: () => (storage.outlives ? storage.reconcile(list(), listKept) : []),
    add({ id, owner, hashes, blobs, ...world }, image) {
      storage.write({ id, owner, asked: world.asked, port: world.port, isNew: true }, image, (name) => {
        const { ttl, port } = world;
        const facts = factsOf(world);
        const row = { id, dir: name, facts, owner, ttl, port, blobs: JSON.stringify(blobs), closing: null };
        list().add(row, wallNow(), hashes);
      });
    },
    read(id) {
      const row = list().get(id);
      if (row === undefined) return undefined;
      const { asked, identity, clock } = listed(id, 'facts', row.facts, storedFacts);
      const { owner, ttl, port } = row;
      return { id, asked, identity, clock, owner, ttl, port, hashes: [], blobs: [] };
    },
    bytesOf: (id) => storage.bytesOf(nameOf(id), opened.get(id)),
    open(id) {
      const [name, isNew] = [nameOf(id), list().isNew(id)];
      const world = usable(id, () => openSource(id, storage.sourceOf(name, id), isNew));
      // Where it cannot be opened, what is kept of it is still the world.
      storage.noteOpening(name);
      list().noteOpening(id);
      if (isNew || !storage.isDescribed(name)) storage.describe(name, about(id, false));
      opened.set(id, world);
      world.bus.on(clockChanged, () => noteFacts(world));
      // A world that ends writes once more after it was taken off the list.
      world.db.onWrite('api_keys', () => {
        if (opened.get(id) === world) withOtherKeys.set(id, world);
      });
      return world;
    },
    closesSoon: storage.closesSoon,
    close(world, idleMs) {
      const { id, db } = world;
      const facts = factsNow(world);
      const closed = { id, facts, blobs: JSON.stringify(blobsOf(world)), keyHashes: listKeyHashes(db) };
      const closing = storage.close(nameOf(id), world);
      forget(id);
      list().closed({ ...closed, closing, now: wallNow() - idleMs });
      onClose(id);
    },
    remove(id) {
      const finish = storage.end(nameOf(id), () => list().remove(id));
      forget(id);
      return finish;
    },
    ended: () => index?.ended(wallNow()) ?? [],
    untilEnd() {
      const next = index?.nextEnd();
      return next === undefined ? Infinity : Math.max(0, next - wallNow());
    },
    setPort(id, port) {
      list().setPort(id, port);
      storage.describe(nameOf(id), about(id, list().isNew(id)));
    },
    withPorts: () => index?.withPorts() ?? [],
    ownerOfKey(hash) {
      noteKeys();
      return list().ownerOfKey(hash);
    },
    blobs: () => [
      ...list()
        .blobs()
        .map(({ id, blobs }) => ({ id, blobs: blobs === null ? null : listed(id, 'blobs', blobs, storedBlobs) })),
      ...storage.aside().map(({ name, blobs }) => ({ id: name, blobs })),
    ],
    snapshotsOf: (id) => storage.snapshotsOf(nameOf(id)),
    snapshotDirs: () => storage.snapshotDirs([...list().dirs().keys()]),
    finish: () => index?.close(),
  };
}

const storedBlobs = z.lazy(() => z.array(z.string()));
const storedFacts = z.lazy(() =>
  z.object({
    asked: storedRequest,
    identity: z.object({ apiKey: z.string(), organizationId: z.string(), userId: z.string() }),
    clock: clockState,
  }),
);

// Returns the value as it was written, with its fields in their order.
function read<Value>(text: string, shape: z.ZodType<Value>): Value | undefined {
  const value = parsedJson(text);
  return shape.safeParse(value, { jitless: true }).success ? (value as Value) : undefined;
}

function usable(id: string, open: () => World): World {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new ApiError('SERVICE_UNAVAILABLE', { message: `The world "${id}" cannot be opened: ${error.message}` });
  }
}
