// The place of what happens in a world among all that has happened there: many things may happen at one instant.

import { nextOccurrence } from '../db/occurrences.js';
import { given } from './given.js';
import type { World } from './world.js';

/** The place of something that happens now. */
export interface Place {
  at: number;
  /** Its number among all that happens in its world. */
  turn: number;
  /** The number of the last record of the journal before it. */
  after: number;
}

/** The number of the last record of a world's journal. */
export const lastRecord = given<() => number>('last record');

/** The place of an intervention that is made now. */
export function placeNow(world: World, at: number): Place {
  return { at, turn: nextOccurrence(world.db), after: lastRecord.of(world)() };
}
