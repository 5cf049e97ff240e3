// The doors through which the emulator tells about itself.

import * as z from 'zod';
import { clockView } from './clock-operations.js';
import { type ControlOperation, control, listed } from './operation.js';

export const infoOperations: readonly ControlOperation[] = [
  control({
    id: 'control.health',
    method: 'GET',
    path: '/_emulator/health',
    summary: 'Whether the emulator is ready',
    response: z.object({
      status: z.literal('ready'),
      version: z.string(),
      uptimeMs: z.number(),
      worlds: z.int(),
      clock: clockView.omit({ skewMs: true }),
    }),
    act: (controls) => controls.health(),
  }),
  control({
    id: 'control.assumptions',
    method: 'GET',
    path: '/_emulator/assumptions',
    summary: 'The guesses that answers rest on, and the setting that changes each',
    response: listed(
      'assumptions',
      z.object({ id: z.string(), level: z.string(), text: z.string(), setting: z.string().optional() }),
    ),
    act: (controls) => controls.assumptions(),
  }),
  control({
    id: 'control.config',
    method: 'GET',
    path: '/_emulator/config',
    summary: 'The settings in force',
    response: z.record(z.string(), z.unknown()),
    act: (controls) => controls.config(),
  }),
];
