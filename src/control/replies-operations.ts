// The control operations of queued replies.

import * as z from 'zod';
import { replyRequest } from '../modules/models/controls.js';
import { type ControlOperation, control, listed } from './operation.js';

const ordered = z.object({
  id: z.string(),
  model: z.string().nullable(),
  times: z.int(),
  reply: z.record(z.string(), z.unknown()),
  createdAt: z.string(),
});

export const replyOperations: readonly ControlOperation[] = [
  control({
    id: 'control.replies.list',
    method: 'GET',
    path: '/_emulator/replies',
    summary: 'List the queued replies of models, oldest first',
    response: listed('replies', ordered),
    act: (controls) => controls.replies.list(),
  }),
  control({
    id: 'control.replies.add',
    method: 'POST',
    path: '/_emulator/replies',
    summary: 'Queue a model’s next reply: its text, its timing, or its error',
    body: replyRequest,
    errors: ['CONFLICT'],
    status: () => 201,
    response: ordered,
    act: (controls, { body }) => controls.replies.add(body as Parameters<typeof controls.replies.add>[0]),
  }),
  control({
    id: 'control.replies.clear',
    method: 'DELETE',
    path: '/_emulator/replies',
    summary: 'Remove all queued replies',
    response: z.object({ removed: z.int() }),
    act: (controls) => controls.replies.clear(),
  }),
];
