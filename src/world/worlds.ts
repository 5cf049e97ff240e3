// The worlds of one process, by id. A world that is not open yet is only the bytes that it opens from.

import { afterWall } from '../core/clock.js';
import { ApiError } from '../core/errors.js';
import { nearest } from '../core/nearest.js';
import type { World } from './world.js';

export interface Worlds {
  /** @throws ApiError NOT_FOUND naming the nearest world */
  get(id: string): World;
  find(id: string): World | undefined;
  /** @throws ApiError SERVICE_UNAVAILABLE when the world that is named, or the emulator with all of them, has ended */
  requireOpen(world?: World): void;
  /** The error of a world that does not exist. */
  unknown(id: string): ApiError;
  ids(): string[];
  /** The open worlds. */
  opened(): World[];
  /**
   * Lists a world that opens when it is first asked for.
   *
   * @param ttl after how much wall time without a request it ends, in milliseconds; without it, never
   * @returns whether it is still listed
   */
  add(id: string, open: () => World, ttl?: number): () => boolean;
  /** Ends a world with everything in it. */
  drop(id: string): void;
  /** Notes that a world is in use, from now until the returned function is called. */
  use(id: string): () => void;
  /** Milliseconds of wall time without a request after which it ends; null: never. */
  ttlOf(id: string): number | null;
  close(): void;
}

interface Entry {
  open: () => World;
  world: World | undefined;
  ttl: number | undefined;
  usedAt: number;
  /** By how many it is in use now. */
  users: number;
}

/**
 * An empty collection of worlds.
 *
 * @param onDrop hears of a world that has just been dropped
 * @param onEnd hears of one that will be, while it can be asked
 */
export function createWorlds(onDrop: (id: string) => void = () => {}, onEnd: (id: string) => void = () => {}): Worlds {
  const entries = new Map<string, Entry>();
  let cancelSweep: (() => void) | undefined;
  let closed = false;

  function find(id: string): World | undefined {
    const entry = entries.get(id);
    if (entry === undefined) return undefined;
    entry.world ??= entry.open();
    return entry.world;
  }

  function requireOpen(world?: World): void {
    const isOpen = world === undefined ? !closed : entries.get(world.id)?.world === world;
    if (isOpen) return;
    const message = closed ? 'The emulator is closed' : `The world "${world?.id}" has ended`;
    throw new ApiError('SERVICE_UNAVAILABLE', { message });
  }

  function unknown(id: string): ApiError {
    const suggestion = nearest(id, entries.keys());
    return new ApiError('NOT_FOUND', {
      message: `There is no world "${id.slice(0, 60)}"${suggestion === undefined ? '' : `; did you mean "${suggestion}"?`}`,
    });
  }

  function drop(id: string): void {
    const entry = entries.get(id);
    if (entry === undefined) return;
    onEnd(id);
    entries.delete(id);
    onDrop(id);
    const { world } = entry;
    if (world === undefined) return;
    world.endStreams();
    // Streams hear of the end a moment later and may look at the world once more.
    afterWall(0, () => world.close());
  }

  function sweep(): void {
    cancelSweep?.();
    cancelSweep = undefined;
    const now = performance.now();
    let next = Infinity;
    for (const [id, { ttl, usedAt: last, users }] of entries) {
      if (ttl === undefined) continue;
      const usedAt = users > 0 ? now : last;
      if (usedAt + ttl <= now) drop(id);
      else next = Math.min(next, usedAt + ttl - now);
    }
    if (next !== Infinity) cancelSweep = afterWall(Math.ceil(next), sweep);
  }

  const opened = (): World[] => [...entries.values()].flatMap(({ world }) => world ?? []);
  return {
    get(id) {
      const world = find(id);
      if (world !== undefined) return world;
      requireOpen();
      throw unknown(id);
    },
    find,
    requireOpen,
    unknown,
    ids: () => [...entries.keys()],
    opened,
    add(id, open, ttl) {
      const entry: Entry = { open, world: undefined, ttl, usedAt: performance.now(), users: 0 };
      entries.set(id, entry);
      if (ttl !== undefined) sweep();
      return () => entries.get(id) === entry;
    },
    drop,
    use(id) {
      const entry = entries.get(id);
      if (entry?.ttl === undefined) return () => {};
      entry.users++;
      return () => {
        entry.users--;
        entry.usedAt = performance.now();
      };
    },
    ttlOf: (id) => entries.get(id)?.ttl ?? null,
    close() {
      cancelSweep?.();
      closed = true;
      for (const world of opened()) world.close();
      entries.clear();
    },
  };
}
