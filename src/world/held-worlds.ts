// The worlds that are held still to be moved: each is closed once, whoever holds it, and is found again once it is closed.

import { afterWall } from '../core/clock.js';

export interface HeldWorlds {
  has(id: string): boolean;
  /**
   * Holds a world; of those that hold it together, the first one closes it. Resolves when it is closed.
   *
   * @param close gets whether it is still held: it may end while it is closed
   */
  hold(id: string, close: (isHeld: () => boolean) => Promise<void>): Promise<void>;
  /** Lets it go as soon as it is closed: two connections to its file would wait for each other. */
  release(id: string): void;
  /** Lets a world go that ends, and calls `finish` once it is closed. */
  drop(id: string, finish: () => void): void;
}

interface Held {
  closed: Promise<void>;
  isClosed: boolean;
  isReleased: boolean;
}

/** No world is held yet. */
export function createHeldWorlds(): HeldWorlds {
  const held = new Map<string, Held>();
  return {
    has: (id) => held.has(id),
    hold(id, close) {
      const already = held.get(id);
      if (already !== undefined) {
        already.isReleased = false;
        return already.closed;
      }
      const closing: Held = { closed: Promise.resolve(), isClosed: false, isReleased: false };
      held.set(id, closing);
      closing.closed = close(() => held.get(id) === closing);
      const over = (): void => {
        closing.isClosed = true;
        if (closing.isReleased && held.get(id) === closing) held.delete(id);
      };
      // After all who wait for the end of it: what they read is what nobody changes.
      const later = (): unknown => afterWall(0, over);
      closing.closed.then(later, later);
      return closing.closed;
    },
    release(id) {
      const one = held.get(id);
      if (one === undefined) return;
      if (one.isClosed) held.delete(id);
      else one.isReleased = true;
    },
    drop(id, finish) {
      const one = held.get(id);
      held.delete(id);
      if (one === undefined || one.isClosed) finish();
      else one.closed.then(finish, finish);
    },
  };
}
