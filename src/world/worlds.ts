// The worlds of one process, by id. A world that is not open yet is only the bytes that it opens from, or its file.

import { afterWall } from '../core/clock.js';
import { ApiError } from '../core/errors.js';
import { nearest } from '../core/nearest.js';
import { elapsed } from '../core/real-time.js';
import { createHeldWorlds } from './held-worlds.js';
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
  /**
   * Lists a world that opens when it is first asked for.
   *
   * @param ttl after how much wall time without a request it ends, in milliseconds; without it, never
   */
  add(id: string, open: () => World, ttl?: number): void;
  /** A function that says whether the world that has this id now is still listed. */
  followed(id: string): () => boolean;
  /** Ends those whose time is over, and waits for the next: to be called when a stored world was added. */
  sweep(): void;
  /** Ends a world with everything in it. */
  drop(id: string): void;
  /** Closes a stored world; until it is released or ends, nobody finds it, and `unknown` says that it is moved. */
  hold(id: string): Promise<void>;
  release(id: string): void;
  /** Whether worlds are moved to other processes: those that are not here are to be asked for again. */
  draining: boolean;
  /** Notes that a world is in use, from now until the returned function is called. */
  use(id: string): () => void;
  /** Milliseconds of wall time without a request after which it ends; null: never. */
  ttlOf(id: string): number | null;
  close(): void;
}

/** Worlds that are more than the memory holds: opened when they are asked for, closed when others need their place. */
export interface StoredWorlds {
  has(id: string): boolean;
  /** Another one for each world that has the id. */
  generation(id: string): string | undefined;
  ttlOf(id: string): number | undefined;
  open(id: string): World;
  /** Closes a world that stays. */
  close(world: World): void;
  /** Takes a world off the list; the returned function removes what is left of it, once it is closed. */
  remove(id: string): () => void;
  list(page: { prefix?: string | undefined; after?: string | undefined; limit: number }): string[];
  count(prefix?: string): number;
  /** The closed worlds whose time is over. */
  ended(): string[];
  /** Milliseconds until the next closed world ends; Infinity: none. */
  untilEnd(): number;
  finish(): void;
}

interface Entry {
  open: (() => World) | undefined;
  world: World | undefined;
  ttl: number | undefined;
  usedAt: number;
  /** By how many it is in use now. */
  users: number;
  stored: boolean;
}

/** Whoever is refused because of a move shall ask again a second later. */
export const askAgain = { retryAfter: 1, headers: { 'Retry-After': '1' } };

// A timer of Node waits no longer: some 24 days.
const longestTimer = 2 ** 31 - 1;

interface WorldsOptions {
  /** Hears of a world that has just been dropped. */
  onDrop?: (id: string) => void;
  /** Hears of one that will be, while it can be asked. */
  onEnd?: (id: string) => void;
  stored?: StoredWorlds | undefined;
  /** How many stored worlds are open at most, beside those in use. */
  mostOpen?: number;
  /** Whether an unknown id is answered with the nearest one. */
  suggests?: boolean;
}

/** A collection of worlds: of the stored ones, none is open. */
export function createWorlds({
  onDrop = () => {},
  onEnd = () => {},
  stored,
  mostOpen = Infinity,
  suggests = true,
}: WorldsOptions = {}): Worlds {
  const entries = new Map<string, Entry>();
  let openStored = 0;
  let cancelSweep: (() => void) | undefined;
  let cancelTrim: (() => void) | undefined;
  const held = createHeldWorlds();
  // Those that are held, in the moment before they are closed, with whether they are held still.
  const closing = new Map<World, () => boolean>();
  let closed = false;

  function find(id: string): World | undefined {
    const entry = held.has(id) ? undefined : (entries.get(id) ?? storedEntry(id));
    if (entry === undefined) return undefined;
    if (entry.stored) {
      // The first of them is the one that was asked for longest ago.
      entries.delete(id);
      entries.set(id, entry);
      entry.usedAt = elapsed();
    }
    if (entry.world === undefined) {
      entry.world = entry.open?.();
      if (entry.stored) openStored++;
      // What others were opened from can go: 94 of 660 KB.
      else entry.open = undefined;
      trimSoon();
    }
    return entry.world;
  }
  function storedEntry(id: string): Entry | undefined {
    const ttl = closed ? undefined : stored?.ttlOf(id);
    if (stored === undefined || ttl === undefined) return undefined;
    return { open: () => stored.open(id), world: undefined, ttl, usedAt: 0, users: 0, stored: true };
  }
  // After the request that has opened one too many: closing takes as long as opening.
  function trimSoon(): void {
    if (openStored <= mostOpen) return;
    cancelTrim ??= afterWall(0, () => {
      cancelTrim = undefined;
      // Half of them, so that many that are opened at once do not outrun it; others get their turn meanwhile.
      const surplus = Math.ceil((openStored - mostOpen) / 2);
      let left = surplus;
      for (const [id, { world, users, stored: isStored }] of entries) {
        if (left === 0) break;
        if (!isStored || world === undefined || users > 0 || world.isBusy()) continue;
        entries.delete(id);
        openStored--;
        left--;
        stored?.close(world);
      }
      if (left < surplus) trimSoon();
    });
  }
  const has = (id: string): boolean => entries.has(id) || stored?.has(id) === true;
  const generationOf = (id: string): unknown => stored?.generation(id) ?? entries.get(id);
  function followed(id: string): () => boolean {
    const generation = generationOf(id);
    return () => generation !== undefined && generationOf(id) === generation;
  }

  function requireOpen(world?: World): void {
    if (world === undefined ? closed : entries.get(world.id)?.world !== world) throw ended(world?.id);
  }
  const ended = (id: string | undefined): ApiError =>
    new ApiError('SERVICE_UNAVAILABLE', { message: closed ? 'The emulator is closed' : `The world "${id}" has ended` });

  function unknown(id: string): ApiError {
    if (held.has(id) || worlds.draining) {
      const message = held.has(id)
        ? `The world "${id}" is being moved: ask again`
        : `There is no world "${id.slice(0, 60)}" here; it may have been moved, as this emulator drains: ask again`;
      return new ApiError('SERVICE_UNAVAILABLE', { message, ...askAgain });
    }
    const suggestion = suggests ? nearest(id, list({ limit: 1_000 })) : undefined;
    return new ApiError('NOT_FOUND', {
      message: `There is no world "${id.slice(0, 60)}"${suggestion === undefined ? '' : `; did you mean "${suggestion}"?`}`,
    });
  }

  function drop(id: string): void {
    if (!has(id)) return;
    onEnd(id);
    const entry = entries.get(id);
    entries.delete(id);
    const removeFiles = entry === undefined || entry.stored ? stored?.remove(id) : undefined;
    onDrop(id);
    const world = entry?.world;
    if (entry?.stored === true && world !== undefined) openStored--;
    world?.endStreams();
    // Streams hear of the end a moment later and may look at the world once more.
    const finish = (): void => {
      world?.close();
      removeFiles?.();
    };
    held.drop(id, world === undefined ? finish : () => afterWall(0, finish));
  }

  async function closeHeld(id: string, isHeld: () => boolean): Promise<void> {
    const world = entries.get(id)?.world;
    if (world === undefined) return;
    entries.delete(id);
    openStored--;
    closing.set(world, isHeld);
    world.endStreams();
    // As above. The end of all worlds may come meanwhile.
    await new Promise<void>((resolve) => afterWall(0, resolve));
    if (closing.delete(world)) closeOrKeep(world, isHeld());
  }
  function closeOrKeep(world: World, isKept: boolean): void {
    if (isKept) stored?.close(world);
    else world.close();
  }

  function sweep(): void {
    cancelSweep?.();
    const now = elapsed();
    let next = Infinity;
    for (const [id, { ttl, usedAt: last, users }] of entries) {
      if (ttl === undefined) continue;
      const usedAt = users > 0 ? now : last;
      if (usedAt + ttl <= now) drop(id);
      else next = Math.min(next, usedAt + ttl - now);
    }
    for (const id of stored?.ended() ?? []) if (!entries.has(id)) drop(id);
    next = Math.min(next, stored?.untilEnd() ?? Infinity);
    if (next !== Infinity) cancelSweep = afterWall(Math.min(Math.ceil(next), longestTimer), sweep);
  }

  const list: Worlds['list'] = ({ prefix = '', after: last = '', limit = Infinity } = {}) => {
    const after = last === 'default' ? '' : last;
    const isMeant = (id: string): boolean => id.startsWith(prefix) && id > after && id !== 'default';
    const open = [...entries].flatMap(([id, entry]) => (!entry.stored && isMeant(id) ? [id] : []));
    const files = stored?.list({ prefix, after, limit: Number.isFinite(limit) ? limit : -1 }) ?? [];
    const isFirst = last === '' && 'default'.startsWith(prefix) && entries.has('default');
    return [...(isFirst ? ['default'] : []), ...[...open, ...files].sort()].slice(0, limit);
  };

  function get(id: string): World {
    const world = find(id);
    if (world !== undefined) return world;
    requireOpen();
    throw unknown(id);
  }
  const worlds: Worlds = {
    get,
    find,
    requireOpen,
    unknown,
    has,
    list,
    count: (prefix = '') =>
      [...entries].filter(([id, entry]) => !entry.stored && id.startsWith(prefix)).length +
      (stored?.count(prefix) ?? 0),
    peek: (id) => entries.get(id)?.world,
    follow(id) {
      const isThere = followed(id);
      return () => {
        if (closed || !isThere()) throw ended(id);
        return get(id);
      };
    },
    opened: () => [...entries.values()].flatMap(({ world }) => world ?? []),
    add(id, open, ttl) {
      entries.set(id, { open, world: undefined, ttl, usedAt: elapsed(), users: 0, stored: false });
      if (ttl !== undefined) sweep();
    },
    followed,
    sweep,
    drop,
    hold: (id) => held.hold(id, (isHeld) => closeHeld(id, isHeld)),
    release: held.release,
    draining: false,
    use(id) {
      const entry = entries.get(id);
      if (entry?.ttl === undefined) return () => {};
      entry.users++;
      return () => {
        entry.users--;
        entry.usedAt = elapsed();
        if (entry.stored) trimSoon();
      };
    },
    ttlOf: (id) => entries.get(id)?.ttl ?? stored?.ttlOf(id) ?? null,
    close() {
      cancelSweep?.();
      cancelTrim?.();
      closed = true;
      for (const { world, stored: isStored } of entries.values()) if (world !== undefined) closeOrKeep(world, isStored);
      for (const [world, isHeld] of closing) if (closing.delete(world)) closeOrKeep(world, isHeld());
      entries.clear();
      stored?.finish();
    },
  };
  return worlds;
}
