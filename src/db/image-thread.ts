// Long work on images, in a thread of its own with a time limit: requests do not wait for it.

import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterWall, nextTurn } from '../core/clock.js';
import { StoreError } from '../core/errors.js';
import { isInside, packageRoot, readText } from '../core/files.js';
import type { ImageWork } from './image-worker.js';

/**
 * Does one of the works in a thread, on a copy of what it is given: one image is copied in a turn.
 *
 * @param patience in milliseconds of wall time
 * @throws StoreError when it takes longer
 * @example await inThread('check', [image], 20_000)
 */
export function inThread<Name extends keyof ImageWork>(
  name: Name,
  given: Parameters<ImageWork[Name]>,
  patience: number,
): Promise<ReturnType<ImageWork[Name]>> {
  const file = join(packageRoot, 'dist', 'image-worker.cjs');
  const workerData = { name, count: given.length };
  const worker = isInside(file)
    ? new Worker(readText(file), { eval: true, workerData })
    : new Worker(file, { workerData });
  void handOver(worker, given);
  return new Promise((resolve, reject) => {
    const cancel = afterWall(patience, () => {
      reject(new StoreError(`looking at it took longer than ${patience / 1_000} s`));
      worker.unref();
      void worker.terminate();
    });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', cancel);
  });
}

async function handOver(worker: Worker, given: readonly unknown[]): Promise<void> {
  for (const one of given) {
    await nextTurn();
    // A message copies what it holds twice, but takes over what is handed to it.
    if (one instanceof Uint8Array) {
      const own = new Uint8Array(one);
      worker.postMessage(own, [own.buffer]);
    } else worker.postMessage(one);
  }
}
