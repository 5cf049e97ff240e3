// The upper limit of the numbers that ids are made from.

import { ApiError } from '../core/errors.js';

/** Ids of greater ones would come a second time. */
export const lastNumber = 2 ** 32 - 1;

/** What is said when a series of numbers has come to its end. */
export function noMoreNumbers(series: string): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', {
    message: `The numbers of ${series} in this world have come to their end (${lastNumber}): use another world, or another --data-dir`,
  });
}
