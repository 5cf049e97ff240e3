// The thread for long work on images. It is a bundle of its own (build.mjs).

import { on } from 'node:events';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { differencesOf } from './image-differences.js';
import { imageProblem } from './image-structure.js';

const imageWork = { check: imageProblem, compare: differencesOf };

/** The functions of the thread. */
export type ImageWork = typeof imageWork;

const { name, count } = workerData as { name: keyof ImageWork; count: number };

const port = parentPort as MessagePort;

async function receive(): Promise<unknown[]> {
  const given: unknown[] = [];
  for await (const [one] of on(port, 'message')) {
    // A buffer arrives as plain bytes.
    given.push(one instanceof Uint8Array ? Buffer.from(one.buffer, one.byteOffset, one.byteLength) : one);
    if (given.length === count) break;
  }
  return given;
}

void receive().then((given) => {
  port.postMessage((imageWork[name] as (...args: unknown[]) => unknown)(...given));
  port.close();
});
