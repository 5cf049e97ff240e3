// The doors to rate limits.

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
    summary: 'The limits in force, and the windows that callers are in',
    response: limits,
    act: (controls) => controls.limits.list(),
  }),
  control({
    id: 'control.limits.set',
    method: 'POST',
    path: '/_emulator/limits',
    summary: 'Give a preset, a feature or an operation another size',
    body: limitRequest,
    response: limits,
    act: (controls, { body }) => controls.limits.set(body),
  }),
  control({
    id: 'control.limits.exhaust',
    method: 'POST',
    path: '/_emulator/limits/exhaust',
    summary: 'Fill a key’s window: a real 429 until it ends, with any Retry-After',
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
    summary: 'Take back what was set and exhausted; every caller begins anew',
    response: limits,
    act: (controls) => controls.limits.release(),
  }),
];
