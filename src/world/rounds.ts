// Rounds of looking at what moves by itself in a world: one after the other, each when it is due.

import type { World } from './world.js';

interface RoundsOptions {
  /** The virtual instant at which something is due next; Infinity: nothing is. */
  nextAt(): number;
  /** Looks at all that is due. After each await it asks whether the round is over. */
  look(isOver: () => boolean): Promise<void>;
  /** Called when the world's data cannot be read: no round comes any more. */
  giveUp(error: unknown): void;
}

/** Rounds in a world; none has begun. */
export interface Rounds {
  /** Begins a round, unless one is under way. */
  begin(): void;
  /** Begins one when something is due; the round that is under way arms the next one at its end. */
  arm(): void;
  /** Other data are there: the round that is under way is over. */
  restart(): void;
  close(): void;
}

/**
 * Rounds that the clock of a world wakes; an advance waits for those that it wakes.
 *
 * @example
 * const rounds = createRounds(world, { nextAt: () => next, look: async () => tell(), giveUp: warn });
 * rounds.arm();
 */
export function createRounds(world: World, { nextAt, look, giveUp }: RoundsOptions): Rounds {
  const { clock } = world;
  let round: Promise<void> | undefined;
  let cancelSleep: (() => void) | undefined;
  // Another object each time that all data were replaced.
  let beginning = { epoch: world.epoch };
  let isClosed = false;

  /** Resolves when all that is due has been looked at, or the round is over. */
  function catchUp(): Promise<void> {
    if (round !== undefined) return round;
    const begun = lookAround();
    round = begun;
    cancelSleep?.();
    cancelSleep = clock.sleepUntil(clock.now() + 1, () => begun.catch(giveUp));
    return begun;
  }
  async function lookAround(): Promise<void> {
    const from = beginning;
    const isOver = (): boolean => isClosed || world.isClosed || beginning !== from || world.epoch !== from.epoch;
    try {
      await look(isOver);
    } catch (error) {
      if (!isOver()) throw error;
    } finally {
      if (beginning === from) round = undefined;
    }
    if (!isOver()) arm();
  }
  function arm(): void {
    if (round !== undefined) return;
    cancelSleep?.();
    cancelSleep = undefined;
    const next = nextAt();
    // Time may have moved since; then no timer would fire any more.
    if (next <= clock.now()) catchUp().catch(giveUp);
    else if (next !== Infinity) cancelSleep = clock.sleepUntil(next, () => catchUp().catch(giveUp));
  }

  return {
    begin: () => void catchUp().catch(giveUp),
    arm,
    restart() {
      beginning = { epoch: world.epoch };
      round = undefined;
    },
    close() {
      isClosed = true;
      cancelSleep?.();
    },
  };
}
