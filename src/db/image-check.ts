// Checks imported images.

import { StoreError } from './connection.js';
import { inThread } from './image-thread.js';
import { isSound } from './snapshot.js';

/** One of half a gigabyte takes a quarter of it. */
const patienceMs = 20_000;

const checked = new WeakSet<Buffer>();

/**
 * The problem of an image, for people; undefined: it holds a world that can be put back. Each image is checked once.
 *
 * @param patience in milliseconds of wall time
 */
export async function checkImage(image: Buffer, patience = patienceMs): Promise<string | undefined> {
  if (isSound(image) || checked.has(image)) return undefined;
  try {
    const problem = await inThread('check', [image], patience);
    if (problem === undefined) checked.add(image);
    return problem;
  } catch (error) {
    if (error instanceof StoreError) return error.message;
    throw error;
  }
}
