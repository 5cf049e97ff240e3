// The data of a world as they were at a place of its history.

import { wallNow } from '../../core/clock.js';
import { ApiError } from '../../core/errors.js';
import type { History } from '../../db/history.js';
import { gatherUndo, undone } from '../../db/history-undo.js';
import { imageOf } from '../../db/image.js';
import type { World } from '../../world/world.js';
import { findPoint, historyOf, type Place, placeOf, type Side } from './places.js';

/**
 * A world as it was at a place, as the bytes of a new one; the world itself goes on.
 *
 * @param frozen whether its clock stands still; undefined: as it did then
 * @throws ApiError CONFLICT where it cannot be made exactly
 */
export function worldAt(world: World, history: History, { seq, at }: Place, frozen?: boolean): Buffer {
  // What is counted has to be in its rows, as the history says only how rows were.
  world.flush();
  const copy = imageOf(world.db).bytes;
  const undo = gatherUndo(history, seq);
  if (undo.isBroken)
    throw new ApiError('CONFLICT', {
      message:
        'The world cannot be made as it was: later something could not be stored, and what changed then is not known',
    });

  try {
    return undone(undo.image ?? copy, undo, { at, wall: wallNow(), frozen });
  } catch (error) {
    throw new ApiError('CONFLICT', {
      message: `The world cannot be made as it was: its history does not fit its data (${(error as Error).message})`,
    });
  }
}

/**
 * A world as it was before or after a point.
 *
 * @param name the number of the point, or the id of a request
 * @param frozen whether its clock stands still; undefined: as it did then
 * @throws ApiError NOT_FOUND, or CONFLICT where it cannot be made exactly
 */
export function worldAtPoint(world: World, name: string | number, side: Side, frozen?: boolean): Buffer {
  const history = historyOf(world);
  return worldAt(world, history, placeOf(history, findPoint(history, name), side), frozen);
}
