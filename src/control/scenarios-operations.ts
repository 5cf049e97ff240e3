// The control operations of scenarios.

import * as z from 'zod';
import { scenarioProblems } from '../modules/scenarios/check.js';
import { saveRequest } from '../modules/scenarios/controls.js';
import { scenarioSchema } from '../modules/scenarios/schema.js';
import { clockView } from './clock-operations.js';
import { type ControlOperation, control, listed } from './operation.js';

const source = z.enum(['shipped', 'own', 'memory']);
const byName = z.object({ name: z.string() });
const document = z.object({
  name: z.string(),
  source,
  file: z.string().nullable(),
  document: z.record(z.string(), z.unknown()),
});
const applied = clockView.extend({
  name: z.string().nullable(),
  title: z.string().nullable(),
  merged: z.boolean(),
  apiKey: z.string(),
  organizationId: z.string(),
  userId: z.string(),
});
const merge = z.boolean().optional().describe('Add the scenario to the existing data instead of replacing it');

export const scenarioOperations: readonly ControlOperation[] = [
  control({
    id: 'control.scenarios.list',
    method: 'GET',
    path: '/_emulator/scenarios',
    summary: 'List all scenarios, built-in ones and your own',
    response: listed(
      'scenarios',
      z.object({
        name: z.string(),
        title: z.string().nullable(),
        description: z.string().nullable(),
        source,
        file: z.string().nullable(),
        problems: z.array(z.string()),
      }),
    ),
    act: (controls) => controls.scenarios.list(),
  }),
  control({
    id: 'control.scenarios.get',
    method: 'GET',
    path: '/_emulator/scenarios/{name}',
    summary: 'Show the document of a scenario',
    params: byName,
    errors: ['NOT_FOUND', 'CONFLICT'],
    response: document,
    act: (controls, { params }) => controls.scenarios.get(params.name),
  }),
  control({
    id: 'control.scenarios.apply',
    method: 'POST',
    path: '/_emulator/scenarios/{name}',
    summary: 'Reset the world to a scenario',
    params: byName,
    body: z.object({ merge }),
    bodyOptional: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
    response: applied,
    act: (controls, { params, body }) => controls.scenarios.apply(params.name, body),
  }),
  control({
    id: 'control.scenarios.applyDocument',
    method: 'POST',
    path: '/_emulator/scenarios',
    summary: 'Reset the world to the scenario in the body',
    body: scenarioSchema.extend({ merge }),
    alsoWrong: (world, body) => scenarioProblems(world, body),
    response: applied,
    act: (controls, { body: { merge: isMerged, ...scenario } }) =>
      controls.scenarios.apply(scenario, { merge: isMerged }),
  }),
  control({
    id: 'control.scenarios.save',
    method: 'POST',
    path: '/_emulator/scenarios/{name}/save',
    summary: 'Save the current state as a scenario of your own',
    params: byName,
    body: saveRequest,
    bodyOptional: true,
    errors: ['CONFLICT'],
    response: document,
    act: (controls, { params, body }) => controls.scenarios.save({ ...params, ...body }),
  }),
  control({
    id: 'control.expectations',
    method: 'GET',
    path: '/_emulator/expectations',
    summary: 'Check whether clients met the scenario’s expectations, verdicts included',
    response: z.object({
      scenario: z.string().nullable(),
      ok: z.boolean(),
      passed: z.int(),
      failed: z.int(),
      expectations: z.array(
        z.object({
          what: z.string(),
          ok: z.boolean(),
          expected: z.string(),
          actual: z.string(),
          evidence: z.array(z.string()),
        }),
      ),
      requests: z.int(),
      complete: z.boolean(),
    }),
    act: (controls) => controls.scenarios.expectations(),
  }),
];
