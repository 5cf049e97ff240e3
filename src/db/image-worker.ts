// The thread that checks an image, so that no request waits for it. It is a bundle of its own (build.mjs).

import { parentPort, workerData } from 'node:worker_threads';
import { imageProblem } from './image-structure.js';

parentPort?.postMessage(imageProblem(workerData as Uint8Array));
