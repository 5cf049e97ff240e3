// Effects that are due, applied in the order of time: all at once, or in slices where their world's requests can wait.

import { real } from '../core/real-time.js';
import { createTurns, type Sliced } from '../core/slices.js';
import type { Db } from '../db/db.js';
import { dueEffect, type Effect, nextEffectAt, scheduleEffect } from '../db/effects.js';

// The time of the effects that are committed together: the part that a queue takes of a turn of the event loop.
const sliceMs = 5;

/** The functions that apply due effects, by kind. */
export type EffectHandlers<World> = Record<string, (world: World, effect: Effect) => void>;

export interface Settling {
  /** Sets the virtual time at which an effect is due; `undefined` calls it off. */
  schedule(kind: string, subject: string, dueAt: number | undefined): void;
  /** Applies all that is due at `now`, in one transaction. */
  settle(now: number): void;
  /**
   * Applies all that is due at `now` in slices, each of them a transaction: others have their turn in between. Of a process
   * that is killed meanwhile, the next one goes on where it was.
   *
   * @param isOver whether the data were replaced or closed, so that `now` is no time of theirs
   * @returns undefined if nothing is due
   */
  settleInTurns(now: number, isOver: () => boolean): Promise<void> | undefined;
  /** The same where the caller takes the turns, and replaces no data meanwhile. */
  settleInSlices(now: number): Sliced<void>;
  /** Reads anew when the next one is due: the data were replaced. */
  replaced(): void;
  isBusy(): boolean;
}

/**
 * @param apply applies one effect
 * @param around runs each transaction
 */
export function createSettling(db: Db, apply: (effect: Effect) => void, around: (act: () => void) => void): Settling {
  const turns = createTurns();
  let nextDue = nextEffectAt(db);
  const isDue = (now: number): boolean => nextDue !== undefined && nextDue <= now;

  function applyDue(now: number, until: number): void {
    const applySome = (): void => {
      for (let effect = dueEffect(db, now); effect !== undefined; effect = dueEffect(db, now)) {
        scheduleEffect(db, effect.kind, effect.subject, undefined);
        apply(effect);
        if (real.elapsed() >= until) break;
      }
    };
    around(() => db.transaction(applySome));
    nextDue = nextEffectAt(db);
  }

  function* inSlices(now: number, isOver: () => boolean): Sliced<void> {
    while (!isOver() && isDue(now)) {
      applyDue(now, real.elapsed() + sliceMs);
      yield;
    }
  }

  return {
    schedule(kind, subject, dueAt) {
      scheduleEffect(db, kind, subject, dueAt);
      if (dueAt !== undefined) nextDue = Math.min(nextDue ?? dueAt, dueAt);
    },
    settle(now) {
      if (isDue(now)) applyDue(now, Infinity);
    },
    settleInTurns: (now, isOver) => (isDue(now) ? turns.inTurns(inSlices(now, isOver)) : undefined),
    settleInSlices: (now) => inSlices(now, () => false),
    replaced() {
      nextDue = nextEffectAt(db);
    },
    isBusy: turns.isBusy,
  };
}
