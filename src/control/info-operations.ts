// The control operations that describe the emulator.

import * as z from 'zod';
import { clockView } from './clock-operations.js';
import { type ControlOperation, control, listed } from './operation.js';

export const infoOperations: readonly ControlOperation[] = [
  control({
    id: 'control.health',
    method: 'GET',
    path: '/_emulator/health',
    summary: 'Show whether the emulator is ready',
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
    summary: 'List the assumptions behind responses, and the setting that changes each',
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
    summary: 'Show the settings in force',
    response: z.record(z.string(), z.unknown()),
    act: (controls) => controls.config(),
  }),
];
