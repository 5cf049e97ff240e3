// Checks images that this process has not made.

import { StoreError } from '../core/errors.js';
import type { WorldImage } from './image.js';
import { inThread } from './image-thread.js';

/** One of half a gigabyte takes a quarter of it. */
const patienceMs = 20_000;

/**
 * The problem of an image, for people; undefined: it holds a world that can be put back. Each image is checked once.
 *
 * @param patience in milliseconds of wall time
 */
export async function checkImage(image: WorldImage, patience = patienceMs): Promise<string | undefined> {
  if (image.isChecked) return undefined;
  try {
    const problem = await inThread('check', [image.bytes], patience);
    image.isChecked = problem === undefined;
    return problem;
  } catch (error) {
    if (error instanceof StoreError) return error.message;
    throw error;
  }
}
