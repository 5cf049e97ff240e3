// The interface by which the collection of worlds reaches those that are not open.

import type { WorldIndex } from '../db/world-index.js';
import type { World } from './world.js';

/** Worlds that are more than the memory holds: opened when they are asked for, closed when others need their place. */
export interface StoredWorlds {
  /** Whether they are there after the process has ended. */
  readonly outlive: boolean;
  /** Their list. */
  readonly index: WorldIndex;
  open(id: string): World;
  /** Whether others need not wait long while a world is closed. */
  closesSoon(world: World): boolean;
  /** Closes a world that stays, and whose last request was that many milliseconds ago. */
  close(world: World, idleMs: number): void;
  /** Takes a world off the list; the returned function removes what is left of it, once it is closed. */
  remove(id: string): () => void;
  /** The closed worlds whose time is over. */
  ended(): string[];
  /** Milliseconds until the next closed world ends; Infinity: none. */
  untilEnd(): number;
  finish(): void;
}
