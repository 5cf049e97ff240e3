// The worlds of one process, by id.

import { afterWall } from '../kernel/clock.js';
import { ApiError } from '../kernel/errors.js';
import { nearest } from '../kernel/nearest.js';
import type { World } from './world.js';

export interface Worlds {
  /** @throws ApiError NOT_FOUND naming the nearest world */
  get(id: string): World;
  find(id: string): World | undefined;
  /** @param ttl after how much wall time without a request the world ends, in milliseconds; without it, never */
  add(world: World, ttl?: number): void;
  /** Ends a world with everything in it. */
  drop(id: string): void;
  /** Milliseconds of wall time without a request after which it ends; null: never. */
  ttlOf(id: string): number | null;
  /** Notes that a world is in use. */
  touch(world: World): void;
  all(): World[];
  close(): void;
}

interface Entry {
  world: World;
  ttl: number | undefined;
  usedAt: number;
}

/** An empty collection of worlds. */
export function createWorlds(onDrop: (id: string) => void = () => {}): Worlds {
  const entries = new Map<string, Entry>();
  let cancelSweep: (() => void) | undefined;

  function drop(id: string): void {
    const entry = entries.get(id);
    if (entry === undefined) return;
    entries.delete(id);
    onDrop(id);
    entry.world.endStreams();
    // Streams hear of the end a moment later and may look at the world once more.
    afterWall(0, () => entry.world.close());
  }

  // One timer, for the world that is unused longest in relation to what it is granted.
  function sweep(): void {
    cancelSweep?.();
    cancelSweep = undefined;
    const now = performance.now();
    let next = Infinity;
    for (const [id, { ttl, usedAt }] of entries) {
      if (ttl === undefined) continue;
      if (usedAt + ttl <= now) drop(id);
      else next = Math.min(next, usedAt + ttl - now);
    }
    if (next !== Infinity) cancelSweep = afterWall(Math.ceil(next), sweep);
  }

  return {
    get(id) {
      const entry = entries.get(id);
      if (entry !== undefined) return entry.world;
      const suggestion = nearest(id, entries.keys());
      throw new ApiError('NOT_FOUND', {
        message: `There is no world "${id.slice(0, 60)}"${suggestion === undefined ? '' : `; did you mean "${suggestion}"?`}`,
      });
    },
    find: (id) => entries.get(id)?.world,
    add(world, ttl) {
      entries.set(world.id, { world, ttl, usedAt: performance.now() });
      if (ttl !== undefined) sweep();
    },
    drop,
    ttlOf: (id) => entries.get(id)?.ttl ?? null,
    touch(world) {
      const entry = entries.get(world.id);
      if (entry !== undefined) entry.usedAt = performance.now();
    },
    all: () => [...entries.values()].map(({ world }) => world),
    close() {
      cancelSweep?.();
      for (const { world } of entries.values()) world.close();
      entries.clear();
    },
  };
}
