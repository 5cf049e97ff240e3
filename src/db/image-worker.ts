// The thread for long work on images. It is a bundle of its own (build.mjs).

import { parentPort, workerData } from 'node:worker_threads';
import { differencesOf } from './image-differences.js';
import { imageProblem } from './image-structure.js';

const imageWork = { check: imageProblem, compare: differencesOf };

/** The functions of the thread. */
export type ImageWork = typeof imageWork;

const { name, given } = workerData as { name: keyof ImageWork; given: unknown[] };
// A buffer arrives as plain bytes.
const args = given.map((one) =>
  one instanceof Uint8Array ? Buffer.from(one.buffer, one.byteOffset, one.byteLength) : one,
);
parentPort?.postMessage((imageWork[name] as (...args: unknown[]) => unknown)(...args));
