// The control operations of organizations, their credits and their keys.

import * as z from 'zod';
import { keyRequest } from '../modules/keys/controls.js';
import { creditChange, organizationRequest } from '../modules/organizations/controls.js';
import { byId, type ControlOperation, control, listed } from './operation.js';

const organization = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  plan: z.string(),
  credits: z.number(),
  failNth: z.int().nullable(),
});
const testKey = z.object({
  id: z.string(),
  name: z.string(),
  apiKey: z.string(),
  organizationId: z.string(),
  userId: z.string(),
  usable: z.boolean(),
});

export const accountOperations: readonly ControlOperation[] = [
  control({
    id: 'control.organizations.list',
    method: 'GET',
    path: '/_emulator/organizations',
    summary: 'List organizations and their balances',
    response: listed('organizations', organization),
    act: (controls) => controls.organizations.list(),
  }),
  control({
    id: 'control.organizations.create',
    method: 'POST',
    path: '/_emulator/organizations',
    summary: 'Create an organization with an owner, credits and a key',
    body: organizationRequest,
    bodyOptional: true,
    response: organization.extend({ apiKey: z.string(), userId: z.string() }),
    act: (controls, { body }) => controls.organizations.create(body),
  }),
  control({
    id: 'control.organizations.credits',
    method: 'POST',
    path: '/_emulator/organizations/{id}/credits',
    summary: 'Set a balance, add to it, or make a charge fail',
    params: byId,
    body: creditChange,
    errors: ['NOT_FOUND'],
    response: organization,
    act: (controls, { params, body }) => controls.organizations.credits(params.id, body),
  }),
  control({
    id: 'control.ledger',
    method: 'GET',
    path: '/_emulator/ledger',
    summary: 'List all movements of credits, oldest first',
    query: z.object({
      organizationId: z.string().optional().describe('Only movements of this organization'),
      operation: z.string().optional().describe('Only movements by this operation id, or by billing.daily'),
      requestId: z.string().optional().describe('Only movements by this request'),
      subject: z
        .string()
        .optional()
        .describe('Only movements for this deployment id, or for the daily billing of this container id'),
    }),
    response: listed('ledger', z.object({ id: z.string(), amount: z.number(), balanceAfter: z.number() }).loose()),
    act: (controls, { query }) => controls.ledger(query),
  }),
  control({
    id: 'control.keys',
    method: 'GET',
    path: '/_emulator/keys',
    summary: 'List the test keys with their values',
    response: listed('keys', testKey),
    act: (controls) => controls.keys.list(),
  }),
  control({
    id: 'control.keys.create',
    method: 'POST',
    path: '/_emulator/keys',
    summary: 'Create a key, optionally with restricted permissions or an expiry',
    body: keyRequest,
    bodyOptional: true,
    errors: ['NOT_FOUND'],
    response: testKey,
    act: (controls, { body }) => controls.keys.create(body),
  }),
];
