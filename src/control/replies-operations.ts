// The doors to what models answer next.

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
    summary: 'What models are to answer next, the oldest order first',
    response: listed('replies', ordered),
    act: (controls) => controls.replies.list(),
  }),
  control({
    id: 'control.replies.add',
    method: 'POST',
    path: '/_emulator/replies',
    summary: 'Order the next answer of a model: what it says, how it comes, or how it fails',
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
    summary: 'Call off all answers that were ordered',
    response: z.object({ removed: z.int() }),
    act: (controls) => controls.replies.clear(),
  }),
];
