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

/** The effects of one world. */
export class Settling {
  private underWay = 0;
  /** Infinity: none is. */
  private nextDue: number;

  /**
   * @param apply applies one effect
   * @param around runs each transaction
   */
  constructor(
    private readonly db: Db,
    private readonly apply: (effect: Effect) => void,
    private readonly around: (act: () => void) => void,
  ) {
    this.nextDue = nextEffectAt(db) ?? Infinity;
  }

  /** Sets the virtual time at which an effect is due; `undefined` calls it off. */
  schedule(kind: string, subject: string, dueAt: number | undefined): void {
    scheduleEffect(this.db, kind, subject, dueAt);
    if (dueAt !== undefined) this.nextDue = Math.min(this.nextDue, dueAt);
  }

  /** Applies all that is due at `now`, in one transaction. */
  settle(now: number): void {
    if (now >= this.nextDue) this.applyDue(now, false);
  }

  /**
   * Applies all that is due at `now` in parts, each of them a transaction: others have their turn in between. Of a process
   * that is killed meanwhile, the next one goes on where it was.
   *
   * @param isOver whether the data were replaced or closed, so that `now` is no time of theirs
   * @returns undefined if nothing is due
   */
  settleInParts(now: number, isOver: () => boolean): Promise<void> | undefined {
    return now >= this.nextDue ? this.inParts(now, isOver) : undefined;
  }

  private async inParts(now: number, isOver: () => boolean): Promise<void> {
    this.underWay++;
    try {
      while (!isOver() && now >= this.nextDue) {
        this.applyDue(now, true);
        if (now >= this.nextDue) await nextTurn();
      }
    } finally {
      this.underWay--;
    }
  }

  private applyDue(now: number, isPart: boolean): void {
    const { db } = this;
    const applySome = (): void => {
      let left = mostInPart;
      const before = isPart ? changedRows(db) : 0;
      for (let effect = dueEffect(db, now); effect !== undefined; effect = dueEffect(db, now)) {
        scheduleEffect(db, effect.kind, effect.subject, undefined);
        this.apply(effect);
        if (isPart && (--left === 0 || changedRows(db) - before > mostRowsInPart)) break;
      }
    };
    this.around(() => db.transaction(applySome));
    this.nextDue = nextEffectAt(db) ?? Infinity;
  }

  /** Reads anew when the next one is due: the data were replaced. */
  replaced(): void {
    this.nextDue = nextEffectAt(this.db) ?? Infinity;
  }

  isBusy(): boolean {
    return this.underWay > 0;
  }
}
