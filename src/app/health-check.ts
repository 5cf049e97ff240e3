// Answers GET /_emulator/health without the rest of the control plane. It is often the first request of all, for which a
// script waits: all other operations would be 27 of the 155 ms of CPU, and 7 of the 71 MB, that a start takes until then.

import { type ControlHandlerOptions, createControlHandler } from '../control/http.js';
import { operationsIn } from '../control/operation.js';
import type { ControlHandler } from '../http/hooks.js';
import { healthOperations } from '../tools/worlds/health.js';

const operations = operationsIn(healthOperations);

/** Handles requests that read the health, and no others. */
export function createHealthCheck(options: Pick<ControlHandlerOptions, 'config' | 'onError'>): ControlHandler {
  return createControlHandler({ ...options, operations });
}
