// The HTTP door to the controls: /_emulator/*, declared like the platform's endpoints.

import * as z from 'zod';
import { type Answer, ok } from '../api/answer.js';
import type { Call, Endpoint, EndpointDeclaration } from '../api/endpoint.js';
import { statuses } from '../features/containers/phases.js';
import type { Controls } from './controls.js';
import { organizationRequest } from './credits.js';
import { keyRequest } from './keys.js';

export interface ControlEndpoint extends Omit<Endpoint, 'handle' | 'prepare'> {
  handle: (controls: Controls, call: Call) => Answer | Promise<Answer>;
}

type ControlDeclaration<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = Pick<
  EndpointDeclaration<P, Q, B>,
  'id' | 'method' | 'path' | 'summary' | 'params' | 'query' | 'body' | 'bodyOptional' | 'errors'
> & {
  response: z.ZodType;
  act: (controls: Controls, input: { params: z.output<P>; query: z.output<Q>; body: z.output<B> }) => unknown;
};

function control<
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(declaration: ControlDeclaration<P, Q, B>): ControlEndpoint {
  const { act, response, ...rest } = declaration;
  return {
    ...(rest as Omit<Endpoint, 'handle' | 'auth' | 'responses' | 'prepare'>),
    auth: 'public',
    responses: { 200: { description: declaration.summary, schema: response } },
    async handle(controls, call) {
      const result = await act(controls, call as Parameters<typeof act>[1]);
      return ok(Array.isArray(result) ? listOf(declaration.path, result) : (result as Record<string, unknown>));
    },
  };
}

// Lists stand in an object under the name of their path, so that something may stand beside them one day.
function listOf(path: string, entries: unknown[]): Record<string, unknown> {
  return { [path.slice(path.lastIndexOf('/') + 1)]: entries, total: entries.length };
}

const clockView = z.object({ now: z.string(), speed: z.number(), frozen: z.boolean(), skewMs: z.number() });
const container = z.object({
  id: z.string(),
  name: z.string(),
  project_name: z.string(),
  organizationId: z.string(),
  status: z.enum(statuses),
  since: z.string(),
  error: z.string().nullable(),
  mode: z.string().nullable(),
  progression: z.string(),
  nextTransitionAt: z.string().nullable(),
  statusHistory: z.array(z.object({ status: z.enum(statuses), at: z.string() })),
});
const organization = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  plan: z.string(),
  credits: z.number(),
});
const testKey = z.object({
  id: z.string(),
  name: z.string(),
  apiKey: z.string(),
  organizationId: z.string(),
  userId: z.string(),
  usable: z.boolean(),
});
const listed = <Name extends string>(name: Name, item: z.ZodType) =>
  z.object({ [name]: z.array(item), total: z.int() } as Record<Name, z.ZodArray> & { total: z.ZodInt });
const byId = z.object({ id: z.string() });

/** Every door of the control plane, by its path inside a world. */
export const controlEndpoints: readonly ControlEndpoint[] = [
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
    id: 'control.clock.get',
    method: 'GET',
    path: '/_emulator/clock',
    summary: 'Where time stands',
    response: clockView,
    act: (controls) => controls.clock.get(),
  }),
  control({
    id: 'control.clock.advance',
    method: 'POST',
    path: '/_emulator/clock/advance',
    summary: 'Move time forward, by a duration or to an instant',
    body: z.object({ by: z.union([z.string(), z.number()]).optional(), to: z.string().optional() }),
    response: clockView,
    act: (controls, { body }) => controls.clock.advance(body),
  }),
  control({
    id: 'control.clock.freeze',
    method: 'POST',
    path: '/_emulator/clock/freeze',
    summary: 'Let time stand still',
    response: clockView,
    act: (controls) => controls.clock.freeze(),
  }),
  control({
    id: 'control.clock.resume',
    method: 'POST',
    path: '/_emulator/clock/resume',
    summary: 'Let time run, at any speed',
    body: z.object({ speed: z.number().gt(0).max(1_000_000).optional() }),
    bodyOptional: true,
    response: clockView,
    act: (controls, { body }) => controls.clock.resume(body),
  }),
  control({
    id: 'control.clock.skew',
    method: 'POST',
    path: '/_emulator/clock/skew',
    summary: 'Set what is taken for a client’s own clock; null for the wall clock',
    body: z.object({ to: z.iso.datetime({ offset: true }).nullable() }),
    response: clockView,
    act: (controls, { body }) => controls.clock.skew(body),
  }),
  control({
    id: 'control.containers.list',
    method: 'GET',
    path: '/_emulator/containers',
    summary: 'All containers of the world',
    response: listed('containers', container),
    act: (controls) => controls.containers.list(),
  }),
  control({
    id: 'control.containers.get',
    method: 'GET',
    path: '/_emulator/containers/{id}',
    summary: 'One container',
    params: byId,
    errors: ['NOT_FOUND'],
    response: container,
    act: (controls, { params }) => controls.containers.get(params.id),
  }),
  control({
    id: 'control.containers.fail',
    method: 'POST',
    path: '/_emulator/containers/{id}/fail',
    summary: 'Make a container fail now, in a failure mode',
    params: byId,
    body: z.object({ mode: z.string().optional() }),
    bodyOptional: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
    response: container,
    act: (controls, { params, body }) => controls.containers.fail(params.id, body),
  }),
  ...(['crash', 'stop', 'recover'] as const).map((kind) =>
    control({
      id: `control.containers.${kind}`,
      method: 'POST',
      path: `/_emulator/containers/{id}/${kind}`,
      summary: {
        crash: 'End a container’s process now',
        stop: 'Stop a container',
        recover: 'Let a failed or stopped container run again',
      }[kind],
      params: byId,
      errors: ['NOT_FOUND', 'CONFLICT'],
      response: container,
      act: (controls, { params }) => controls.containers[kind](params.id),
    }),
  ),
  control({
    id: 'control.containers.skip',
    method: 'POST',
    path: '/_emulator/containers/{id}/skip',
    summary: 'Jump to the next stage, or to a status',
    params: byId,
    body: z.object({ status: z.enum(statuses).optional() }),
    bodyOptional: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
    response: container,
    act: (controls, { params, body }) => controls.containers.skip(params.id, body),
  }),
  control({
    id: 'control.failures',
    method: 'GET',
    path: '/_emulator/failures',
    summary: 'The catalogue of failure modes and how to trigger each',
    response: listed('failures', z.object({ mode: z.string(), title: z.string() }).loose()),
    act: (controls) => controls.failures(),
  }),
  control({
    id: 'control.organizations.list',
    method: 'GET',
    path: '/_emulator/organizations',
    summary: 'Organizations with their balances',
    response: listed('organizations', organization),
    act: (controls) => controls.organizations.list(),
  }),
  control({
    id: 'control.organizations.create',
    method: 'POST',
    path: '/_emulator/organizations',
    summary: 'Make an organization with an owner, credits and a key',
    body: organizationRequest,
    bodyOptional: true,
    response: organization.extend({ apiKey: z.string(), userId: z.string() }),
    act: (controls, { body }) => controls.organizations.create(body),
  }),
  control({
    id: 'control.organizations.credits',
    method: 'POST',
    path: '/_emulator/organizations/{id}/credits',
    summary: 'Set a balance, or add to it',
    params: byId,
    body: z.union([z.object({ set: z.number().min(0) }), z.object({ add: z.number() })]),
    errors: ['NOT_FOUND'],
    response: organization,
    act: (controls, { params, body }) => controls.organizations.credits(params.id, body),
  }),
  control({
    id: 'control.ledger',
    method: 'GET',
    path: '/_emulator/ledger',
    summary: 'Every movement of credits, oldest first',
    query: z.object({ organizationId: z.string().optional() }),
    response: listed('ledger', z.object({ id: z.string(), amount: z.number(), balanceAfter: z.number() }).loose()),
    act: (controls, { query }) => controls.ledger(query),
  }),
  control({
    id: 'control.keys',
    method: 'GET',
    path: '/_emulator/keys',
    summary: 'Test keys with their values',
    response: listed('keys', testKey),
    act: (controls) => controls.keys.list(),
  }),
  control({
    id: 'control.keys.create',
    method: 'POST',
    path: '/_emulator/keys',
    summary: 'Mint a key of an organization, restricted or short-lived if asked for',
    body: keyRequest,
    bodyOptional: true,
    errors: ['NOT_FOUND'],
    response: testKey,
    act: (controls, { body }) => controls.keys.create(body),
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
