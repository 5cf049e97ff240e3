// The control operation that waits.

import * as z from 'zod';
import { type AwaitRequest, awaitRequest } from '../modules/awaits/controls.js';
import { container } from './containers-operations.js';
import { type ControlOperation, control } from './operation.js';
import { job } from './voices-operations.js';

const lastRequest = z.object({
  seq: z.int(),
  requestId: z.string(),
  operation: z.string(),
  status: z.int(),
  at: z.string(),
});
const counted = z.object({ operation: z.string(), count: z.int(), last: lastRequest.nullable() });

export const awaitOperations: readonly ControlOperation[] = [
  control({
    id: 'control.await',
    method: 'POST',
    path: '/_emulator/await',
    summary: 'Wait until a container or a cloning job has a status, or an operation was called a number of times',
    body: awaitRequest,
    errors: ['NOT_FOUND', 'CONFLICT', 'REQUEST_TIMEOUT', 'SERVICE_UNAVAILABLE'],
    response: z.union([container, counted, job]),
    act: (controls, { body, signal }) => controls.await(body as AwaitRequest, { signal }),
  }),
];
