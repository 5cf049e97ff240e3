// The control operations that judge the client by the journal: verdicts and coverage.

import * as z from 'zod';
import { sincePlace } from '../modules/journal/request-filter.js';
import { outcomes } from '../modules/verdicts/verdict.js';
import { type ControlOperation, control } from './operation.js';

const query = z.object({ since: sincePlace.optional() });

const bounds = { complete: z.boolean(), dropped: z.int() };

const evidence = z.object({
  requestId: z.string().nullable(),
  at: z.string().nullable(),
  operation: z.string().nullable(),
  method: z.string().nullable(),
  path: z.string().nullable(),
  message: z.string(),
});

const metError = z.object({ code: z.string(), count: z.int(), forced: z.int() });
const share = z.object({ met: z.int(), all: z.int() });

export const verdictOperations: readonly ControlOperation[] = [
  control({
    id: 'control.verdicts',
    method: 'GET',
    path: '/_emulator/verdicts',
    summary: 'Judge the client by the rules of good behaviour: passed, failed, unclear or not exercised, with evidence',
    query,
    response: z.object({
      verdicts: z.array(
        z.object({
          rule: z.string(),
          title: z.string(),
          verdict: z.enum(outcomes),
          summary: z.string(),
          evidence: z.array(evidence),
          furtherEvidence: z.int(),
        }),
      ),
      pass: z.int(),
      fail: z.int(),
      unclear: z.int(),
      notExercised: z.int(),
      requests: z.int(),
      ...bounds,
    }),
    act: (controls, { query: { since } }) => controls.verdicts({ since }),
  }),
  control({
    id: 'control.coverage',
    method: 'GET',
    path: '/_emulator/coverage',
    summary: 'List the operations and error codes that the client has and has not encountered',
    query,
    response: z.object({
      operations: z.array(
        z.object({
          operation: z.string(),
          routes: z.array(z.string()),
          summary: z.string(),
          requests: z.int(),
          statuses: z.record(z.string(), z.int()),
          errors: z.array(metError),
          neverMet: z.array(z.string()),
        }),
      ),
      errors: z.array(metError.extend({ status: z.int() })),
      totals: z.object({ operations: share, errors: share }),
      unmatched: z.int(),
      ...bounds,
    }),
    act: (controls, { query: { since } }) => controls.coverage({ since }),
  }),
];
