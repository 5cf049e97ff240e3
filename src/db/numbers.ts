// The numbers that ids are made from, and their upper limit.

import { ApiError } from '../core/errors.js';

// Ids of greater ones would come a second time.
const lastNumber = 2 ** 32 - 1;

/**
 * The number after `last`.
 *
 * @throws ApiError SERVICE_UNAVAILABLE when there is none left
 */
export function following(last: number, series: string): number {
  if (last < lastNumber) return last + 1;
  throw new ApiError('SERVICE_UNAVAILABLE', {
    message: `The numbers of ${series} in this world have come to their end (${lastNumber}): use another world, or another --data-dir`,
  });
}
