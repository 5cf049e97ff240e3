// The control operations of fault rules.

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
    summary: 'List the fault rules and how often each has fired',
    response: listed('faults', fault),
    act: (controls) => controls.faults.list(),
  }),
  control({
    id: 'control.faults.add',
    method: 'POST',
    path: '/_emulator/faults',
    summary: 'Add a fault rule; with dryRun, only check it and report which of the last requests it would have matched',
    query: z.object({ dryRun: z.boolean().optional().describe('Check the rule without adding it') }),
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
    summary: 'List the fault rules that have never fired',
    response: listed('never-fired', fault),
    act: (controls) => controls.faults.neverFired(),
  }),
  control({
    id: 'control.faults.get',
    method: 'GET',
    path: '/_emulator/faults/{id}',
    summary: 'Show a fault rule',
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
