// The worlds of one process, by id.

import { ApiError } from '../kernel/errors.js';
import { nearest } from '../kernel/nearest.js';
import type { World } from './world.js';

export interface Worlds {
  /** @throws ApiError NOT_FOUND naming the nearest world */
  get(id: string): World;
  add(world: World): void;
  all(): World[];
  close(): void;
}

/** An empty collection of worlds. */
export function createWorlds(): Worlds {
  const worlds = new Map<string, World>();
  return {
    get(id) {
      const world = worlds.get(id);
      if (world !== undefined) return world;
      const suggestion = nearest(id, worlds.keys());
      throw new ApiError('NOT_FOUND', {
        message: `There is no world "${id.slice(0, 60)}"${suggestion === undefined ? '' : `; did you mean "${suggestion}"?`}`,
      });
    },
    add: (world) => void worlds.set(world.id, world),
    all: () => [...worlds.values()],
    close() {
      for (const world of worlds.values()) world.close();
      worlds.clear();
    },
  };
}
