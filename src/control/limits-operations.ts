// The control operations of rate limits.

import * as z from 'zod';
import { exhaustRequest, limitRequest } from '../modules/limits/controls.js';
import { type ControlOperation, control } from './operation.js';

const limit = z.object({ limit: z.int(), windowMs: z.int(), from: z.enum(['default', 'settings', 'control']) });
const named = limit.extend({ name: z.string() });
const limitWindow = z.object({
  caller: z.string(),
  bucket: z.string(),
  used: z.int(),
  limit: z.int(),
  exhausted: z.boolean(),
  resetsAt: z.string(),
});
const limits = z.object({
  enabled: z.boolean(),
  mode: z.enum(['shared', 'plans']),
  keys: limit,
  presets: z.array(named),
  features: z.array(named.extend({ preset: z.string() })),
  operations: z.array(named),
  windows: z.array(limitWindow),
});

export const limitOperations: readonly ControlOperation[] = [
  control({
    id: 'control.limits.list',
    method: 'GET',
    path: '/_emulator/limits',
    summary: 'List the limits in force, and the current windows of callers',
    response: limits,
    act: (controls) => controls.limits.list(),
  }),
  control({
    id: 'control.limits.set',
    method: 'POST',
    path: '/_emulator/limits',
    summary: 'Change the limit of a preset, a feature or an operation',
    body: limitRequest,
    response: limits,
    act: (controls, { body }) => controls.limits.set(body),
  }),
  control({
    id: 'control.limits.exhaust',
    method: 'POST',
    path: '/_emulator/limits/exhaust',
    summary: 'Use up a key’s limit: its requests get a 429 until the window ends, with any Retry-After',
    body: exhaustRequest,
    bodyOptional: true,
    errors: ['NOT_FOUND'],
    response: limitWindow.extend({ retryAfter: z.int() }),
    act: (controls, { body }) => controls.limits.exhaust(body),
  }),
  control({
    id: 'control.limits.release',
    method: 'DELETE',
    path: '/_emulator/limits',
    summary: 'Undo all changes to limits and start new windows',
    response: limits,
    act: (controls) => controls.limits.release(),
  }),
];
