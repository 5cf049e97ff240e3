// Whether a container serves, and the moment at which it stops.

import { replaced, type World } from '../../world/world.js';
import { stateOf } from './state.js';
import { findContainer } from './store.js';

/**
 * Calls `stop` once, as soon as a container no longer serves: stopped, deleted, failed, or gone with its world's data.
 *
 * @returns a function that cancels it
 */
export function onceStopped(world: World, containerId: string, stop: () => void): () => void {
  let cancelSleep: (() => void) | undefined;
  let isOver = false;
  // Runs after the transaction that reports a change, not within it.
  const look = (): void => queueMicrotask(check);
  const deaf = [world.bus.on(`container:${containerId}`, look), world.bus.on(replaced, look)];
  function end(): void {
    isOver = true;
    cancelSleep?.();
    for (const stopHearing of deaf) stopHearing();
  }
  function check(): void {
    cancelSleep?.();
    while (!isOver) {
      const now = world.clock.now();
      world.settle(now);
      const record = findContainer(world.db, containerId);
      const state = record === undefined ? undefined : stateOf(world, record, now);
      if (state?.serving === undefined) {
        end();
        stop();
        return;
      }
      if (state.nextAt === null) return;
      // Time may have moved meanwhile; then no timer would fire any more.
      if (state.nextAt > world.clock.now()) {
        cancelSleep = world.clock.sleepUntil(state.nextAt, check);
        return;
      }
    }
  }
  check();
  return end;
}
