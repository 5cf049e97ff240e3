// The control operations of the clock.

import * as z from 'zod';
import { type ControlOperation, control } from './operation.js';

export const clockView = z.object({ now: z.string(), speed: z.number(), frozen: z.boolean(), skewMs: z.number() });

export const clockOperations: readonly ControlOperation[] = [
  control({
    id: 'control.clock.get',
    method: 'GET',
    path: '/_emulator/clock',
    summary: 'Show the virtual time',
    response: clockView,
    act: (controls) => controls.clock.get(),
  }),
  control({
    id: 'control.clock.advance',
    method: 'POST',
    path: '/_emulator/clock/advance',
    summary: 'Advance time by a duration, or to a point in time',
    body: z.object({
      by: z.union([z.string(), z.number()]).optional().describe('A duration such as 10m, at most a year'),
      to: z.string().optional().describe('An ISO 8601 time with its zone'),
    }),
    response: clockView,
    act: (controls, { body }) => controls.clock.advance(body),
  }),
  control({
    id: 'control.clock.freeze',
    method: 'POST',
    path: '/_emulator/clock/freeze',
    summary: 'Freeze the clock',
    response: clockView,
    act: (controls) => controls.clock.freeze(),
  }),
  control({
    id: 'control.clock.resume',
    method: 'POST',
    path: '/_emulator/clock/resume',
    summary: 'Run the clock, at any speed',
    body: z.object({
      speed: z.number().gt(0).max(1_000_000).optional().describe('Speed relative to the wall clock'),
    }),
    bodyOptional: true,
    response: clockView,
    act: (controls, { body }) => controls.clock.resume(body),
  }),
  control({
    id: 'control.clock.skew',
    method: 'POST',
    path: '/_emulator/clock/skew',
    summary: 'Set the time that clients’ own clocks are assumed to show; null: the wall clock',
    body: z.object({
      to: z.iso.datetime({ offset: true }).nullable().describe('An ISO 8601 time with its zone; null: the wall clock'),
    }),
    response: clockView,
    act: (controls, { body }) => controls.clock.skew(body),
  }),
];
