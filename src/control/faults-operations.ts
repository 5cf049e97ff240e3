// The doors to fault rules.

import * as z from 'zod';
import { faultPhases, faultRequest } from '../modules/faults/rule.js';
import { byId, type ControlOperation, control, listed } from './operation.js';

const fault = z.object({
  id: z.string(),
  match: z.record(z.string(), z.unknown()),
  when: z.record(z.string(), z.number()),
  phase: z.enum(faultPhases),
  effect: z.record(z.string(), z.unknown()),
  state: z.enum(['armed', 'spent', 'expired']),
  seen: z.int(),
  hits: z.int(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
});
const written = fault.extend({
  id: z.string().nullable(),
  wouldHaveMatched: z.object({ count: z.int(), of: z.int(), requests: z.array(z.string()) }),
  notes: z.array(z.string()),
});

export const faultOperations: readonly ControlOperation[] = [
  control({
    id: 'control.faults.list',
    method: 'GET',
    path: '/_emulator/faults',
    summary: 'All fault rules with what they have done',
    response: listed('faults', fault),
    act: (controls) => controls.faults.list(),
  }),
  control({
    id: 'control.faults.add',
    method: 'POST',
    path: '/_emulator/faults',
    summary: 'Write a fault rule; with dryRun only check it and tell which of the last requests it would have fitted',
    query: z.object({ dryRun: z.boolean().optional().describe('Only check it') }),
    body: faultRequest,
    errors: ['CONFLICT'],
    status: ({ query }) => (query.dryRun === true ? 200 : 201),
    response: written,
    act: (controls, { query, body }) =>
      query.dryRun === true ? controls.faults.check(body) : controls.faults.add(body),
  }),
  control({
    id: 'control.faults.neverFired',
    method: 'GET',
    path: '/_emulator/faults/never-fired',
    summary: 'The fault rules that have not acted on any request',
    response: listed('never-fired', fault),
    act: (controls) => controls.faults.neverFired(),
  }),
  control({
    id: 'control.faults.get',
    method: 'GET',
    path: '/_emulator/faults/{id}',
    summary: 'One fault rule',
    params: byId,
    errors: ['NOT_FOUND'],
    response: fault,
    act: (controls, { params }) => controls.faults.get(params.id),
  }),
  control({
    id: 'control.faults.remove',
    method: 'DELETE',
    path: '/_emulator/faults/{id}',
    summary: 'Remove a fault rule',
    params: byId,
    errors: ['NOT_FOUND'],
    response: fault,
    act: (controls, { params }) => controls.faults.remove(params.id),
  }),
  control({
    id: 'control.faults.clear',
    method: 'DELETE',
    path: '/_emulator/faults',
    summary: 'Remove all fault rules',
    response: z.object({ removed: z.int() }),
    act: (controls) => controls.faults.clear(),
  }),
];
