// Effects that are due, applied in the order of time: all at once, or in parts where their world's requests can wait: a jump of
// a year brings hundreds of thousands.

import { nextTurn } from '../core/clock.js';
import type { Db } from '../db/db.js';
import { changedRows, dueEffect, type Effect, nextEffectAt, scheduleEffect } from '../db/effects.js';

// Effects that are committed together: some milliseconds' work. A number, not a time, as each part is a point of the history,
// which must not depend on how quick a machine is. One that changes many rows ends its part.
const mostInPart = 20;
const mostRowsInPart = 500;

/** The functions that apply due effects, by kind. */
export type EffectHandlers<World> = Record<string, (world: World, effect: Effect) => void>;

export interface Settling {
  /** Sets the virtual time at which an effect is due; `undefined` calls it off. */
  schedule(kind: string, subject: string, dueAt: number | undefined): void;
  /** Applies all that is due at `now`, in one transaction. */
  settle(now: number): void;
  /**
   * Applies all that is due at `now` in parts, each of them a transaction: others have their turn in between. Of a process
   * that is killed meanwhile, the next one goes on where it was.
   *
   * @param isOver whether the data were replaced or closed, so that `now` is no time of theirs
   * @returns undefined if nothing is due
   */
  settleInParts(now: number, isOver: () => boolean): Promise<void> | undefined;
  /** Reads anew when the next one is due: the data were replaced. */
  replaced(): void;
  isBusy(): boolean;
}

/**
 * @param apply applies one effect
 * @param around runs each transaction
 */
export function createSettling(db: Db, apply: (effect: Effect) => void, around: (act: () => void) => void): Settling {
  let underWay = 0;
  let nextDue = nextEffectAt(db);
  const isDue = (now: number): boolean => nextDue !== undefined && nextDue <= now;

  function applyDue(now: number, isPart: boolean): void {
    const applySome = (): void => {
      let left = mostInPart;
      const before = isPart ? changedRows(db) : 0;
      for (let effect = dueEffect(db, now); effect !== undefined; effect = dueEffect(db, now)) {
        scheduleEffect(db, effect.kind, effect.subject, undefined);
        apply(effect);
        if (isPart && (--left === 0 || changedRows(db) - before > mostRowsInPart)) break;
      }
    };
    around(() => db.transaction(applySome));
    nextDue = nextEffectAt(db);
  }

  async function inParts(now: number, isOver: () => boolean): Promise<void> {
    underWay++;
    try {
      while (!isOver() && isDue(now)) {
        applyDue(now, true);
        if (isDue(now)) await nextTurn();
      }
    } finally {
      underWay--;
    }
  }

  return {
    schedule(kind, subject, dueAt) {
      scheduleEffect(db, kind, subject, dueAt);
      if (dueAt !== undefined) nextDue = Math.min(nextDue ?? dueAt, dueAt);
    },
    settle(now) {
      if (isDue(now)) applyDue(now, false);
    },
    settleInParts: (now, isOver) => (isDue(now) ? inParts(now, isOver) : undefined),
    replaced() {
      nextDue = nextEffectAt(db);
    },
    isBusy: () => underWay > 0,
  };
}
