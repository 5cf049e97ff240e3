// Checks imported images, in a thread of its own with a time limit.

import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterWall } from '../core/clock.js';
import { isInside, packageRoot, readText } from '../core/files.js';
import { isSound } from './snapshot.js';

/** One of half a gigabyte takes a quarter of it. */
const patienceMs = 20_000;

const checked = new WeakSet<Buffer>();

/**
 * What is wrong with an image, for people; undefined: it holds a world that can be put back. Each is looked at once.
 *
 * @param patience in milliseconds of wall time
 */
export async function checkImage(image: Buffer, patience = patienceMs): Promise<string | undefined> {
  if (isSound(image) || checked.has(image)) return undefined;
  const problem = await askWorker(image, patience);
  if (problem === undefined) checked.add(image);
  return problem;
}

function askWorker(image: Buffer, patience: number): Promise<string | undefined> {
  const file = join(packageRoot, 'dist', 'image-worker.cjs');
  const worker = isInside(file)
    ? new Worker(readText(file), { eval: true, workerData: image })
    : new Worker(file, { workerData: image });
  return new Promise((resolve, reject) => {
    const cancel = afterWall(patience, () => {
      resolve(`looking at it took longer than ${patience / 1_000} s`);
      worker.unref();
      void worker.terminate();
    });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', cancel);
  });
}
