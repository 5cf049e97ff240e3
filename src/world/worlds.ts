// The worlds of one process, by id: the default one, and those beside it, which are open only while they are in use.

import { afterWall } from '../core/clock.js';
import { ApiError } from '../core/errors.js';
import { nearest } from '../core/nearest.js';
import { elapsed } from '../core/real-time.js';
import type { StoredWorlds } from './stored.js';
import type { World } from './world.js';

export interface Worlds {
  /** @throws ApiError NOT_FOUND naming the nearest world */
  get(id: string): World;
  find(id: string): World | undefined;
  /** @throws ApiError SERVICE_UNAVAILABLE when the world that is named, or the emulator with all of them, has ended */
  requireOpen(world?: World): void;
  /** The error of a world that does not exist. */
  unknown(id: string): ApiError;
  has(id: string): boolean;
  /** The worlds whose ids begin with a text, `default` first, then in order of their ids; none is opened. */
  list(page?: { prefix?: string | undefined; after?: string | undefined; limit?: number | undefined }): string[];
  count(prefix?: string): number;
  /** The world of this id if it is open; its place in the order of use stays. */
  peek(id: string): World | undefined;
  /** The world that has this id now, whenever it is asked for; throws once that one has ended. */
  follow(id: string): () => World;
  /** The open worlds. */
  opened(): World[];
  /** A function that says whether the world that has this id now is still listed. */
  followed(id: string): () => boolean;
  /** Ends those whose time is over, and waits for the next: to be called when one was added. */
  sweep(): void;
  /** Ends a world with everything in it. */
  drop(id: string): void;
  /** Notes that a world is in use, from now until the returned function is called. */
  use(id: string): () => void;
  /** Milliseconds of wall time without a request after which it ends; null: never. */
  ttlOf(id: string): number | null;
  /** Milliseconds of wall time since the last use of an open world; 0 while it is in use, undefined where it is not open. */
  idleMsOf(id: string): number | undefined;
  close(): void;
}

interface Entry {
  world: World;
  ttl: number;
  usedAt: number;
  /** By how many it is in use now. */
  users: number;
}

const idleMs = ({ users, usedAt }: Entry): number => (users > 0 ? 0 : Math.round(elapsed() - usedAt));

// A timer of Node waits no longer: some 24 days.
const longestTimer = 2 ** 31 - 1;

// Each takes about a millisecond.
const mostClosedAtOnce = 20;

interface WorldsOptions {
  /** Opens the default world, when it is first asked for. */
  openDefault: () => World;
  /** The worlds beside it. */
  stored: StoredWorlds;
  /** Hears of a world that has just been dropped. */
  onDrop?: (id: string) => void;
  /** Hears of one that will be, while it can be asked. */
  onEnd?: (id: string) => void;
  /**
   * More worlds than this, the default one aside, are closed again where they are idle: those in use or busy stay open, and
   * those that would take long.
   */
  mostOpen?: number;
  /** Whether an unknown id is answered with the nearest one. */
  suggests?: boolean;
}

/** A collection of worlds: none is open. */
export function createWorlds({
  openDefault,
  stored,
  onDrop = () => {},
  onEnd = () => {},
  mostOpen = Infinity,
  suggests = true,
}: WorldsOptions): Worlds {
  let first: World | undefined;
  // The open ones beside it; the first of them is the one that was asked for longest ago.
  const entries = new Map<string, Entry>();
  let cancelSweep: (() => void) | undefined;
  let cancelTrim: (() => void) | undefined;
  let closed = false;

  function find(id: string): World | undefined {
    if (closed) return undefined;
    if (id === 'default') {
      first ??= openDefault();
      return first;
    }
    const known = entries.get(id);
    const entry = known ?? openEntry(id);
    if (entry === undefined) return undefined;
    entries.delete(id);
    entries.set(id, entry);
    entry.usedAt = elapsed();
    if (known === undefined) trimSoon();
    return entry.world;
  }
  function openEntry(id: string): Entry | undefined {
    const ttl = stored.ttlOf(id);
    return ttl === undefined ? undefined : { world: stored.open(id), ttl, usedAt: 0, users: 0 };
  }
  // After the request that has opened one too many: closing takes as long as opening.
  function trimSoon(): void {
    if (entries.size <= mostOpen) return;
    cancelTrim ??= afterWall(0, () => {
      cancelTrim = undefined;
      // Others get their turn meanwhile.
      const surplus = Math.min(entries.size - mostOpen, mostClosedAtOnce);
      let left = surplus;
      for (const [id, entry] of entries) {
        const { world, users } = entry;
        if (left <= 0) break;
        if (users > 0 || world.isBusy() || !stored.closesSoon(world)) continue;
        entries.delete(id);
        left--;
        stored.close(world, idleMs(entry));
      }
      if (left < surplus) trimSoon();
    });
  }
  const has = (id: string): boolean => !closed && (id === 'default' || entries.has(id) || stored.has(id));
  const peek = (id: string): World | undefined => (id === 'default' ? first : entries.get(id)?.world);
  const generationOf = (id: string): unknown =>
    closed ? undefined : id === 'default' ? openDefault : stored.generation(id);
  function followed(id: string): () => boolean {
    const generation = generationOf(id);
    return () => generation !== undefined && generationOf(id) === generation;
  }

  function requireOpen(world?: World): void {
    if (world === undefined ? closed : peek(world.id) !== world) throw ended(world?.id);
  }
  const ended = (id: string | undefined): ApiError =>
    new ApiError('SERVICE_UNAVAILABLE', { message: closed ? 'The emulator is closed' : `The world "${id}" has ended` });

  function unknown(id: string): ApiError {
    const suggestion = suggests ? nearest(id, list({ limit: 1_000 })) : undefined;
    return new ApiError('NOT_FOUND', {
      message: `There is no world "${id.slice(0, 60)}"${suggestion === undefined ? '' : `; did you mean "${suggestion}"?`}`,
    });
  }

  function drop(id: string): void {
    if (id === 'default' || !has(id)) return;
    onEnd(id);
    const entry = entries.get(id);
    entries.delete(id);
    const remove = stored.remove(id);
    onDrop(id);
    const world = entry?.world;
    world?.endStreams();
    // Streams hear of the end a moment later and may look at the world once more.
    const finish = (): void => {
      world?.close();
      remove();
    };
    if (world === undefined) finish();
    else afterWall(0, finish);
  }

  function sweep(): void {
    cancelSweep?.();
    const now = elapsed();
    let next = Infinity;
    for (const [id, { ttl, usedAt: last, users }] of entries) {
      const usedAt = users > 0 ? now : last;
      if (usedAt + ttl <= now) drop(id);
      else next = Math.min(next, usedAt + ttl - now);
    }
    for (const id of stored.ended()) if (!entries.has(id)) drop(id);
    next = Math.min(next, stored.untilEnd());
    if (next !== Infinity) cancelSweep = afterWall(Math.min(Math.ceil(next), longestTimer), sweep);
  }

  const list: Worlds['list'] = ({ prefix = '', after: last = '', limit = Infinity } = {}) => {
    if (closed) return [];
    const after = last === 'default' ? '' : last;
    const isFirst = last === '' && 'default'.startsWith(prefix);
    const others = stored.list({ prefix, after, limit: Number.isFinite(limit) ? limit : -1 });
    return [...(isFirst ? ['default'] : []), ...others].slice(0, limit);
  };

  function get(id: string): World {
    const world = find(id);
    if (world !== undefined) return world;
    requireOpen();
    throw unknown(id);
  }
  return {
    get,
    find,
    requireOpen,
    unknown,
    has,
    list,
    count: (prefix = '') => (closed ? 0 : ('default'.startsWith(prefix) ? 1 : 0) + stored.count(prefix)),
    peek,
    follow(id) {
      const isThere = followed(id);
      return () => {
        if (closed || !isThere()) throw ended(id);
        return get(id);
      };
    },
    opened: () => [first ?? [], [...entries.values()].map(({ world }) => world)].flat(),
    followed,
    sweep,
    drop,
    use(id) {
      const entry = entries.get(id);
      if (entry === undefined) return () => {};
      entry.users++;
      return () => {
        entry.users--;
        entry.usedAt = elapsed();
        trimSoon();
      };
    },
    ttlOf: (id) => (closed || id === 'default' ? null : (entries.get(id)?.ttl ?? stored.ttlOf(id) ?? null)),
    idleMsOf(id) {
      const entry = entries.get(id);
      return entry && idleMs(entry);
    },
    close() {
      cancelSweep?.();
      cancelTrim?.();
      closed = true;
      first?.close();
      for (const entry of entries.values()) {
        if (stored.outlive) stored.close(entry.world, idleMs(entry));
        else entry.world.close();
      }
      first = undefined;
      entries.clear();
      stored.finish();
    },
  };
}
