// The place of an intervention among all that happens in a world at one instant.

import { nextOccurrence } from '../../db/occurrences.js';
import type { World } from '../../world/world.js';
import { journalOf } from './journal.js';

/** The place of something that happens now. */
export interface Place {
  at: number;
  /** Its number among all that happens in its world. */
  turn: number;
  /** The number of the last record of the journal before it. */
  after: number;
}

/** The place of an intervention that is made now. */
export function placeNow(world: World, at: number): Place {
  return { at, turn: nextOccurrence(world.db), after: journalOf(world).last() };
}
