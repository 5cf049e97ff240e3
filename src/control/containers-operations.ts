// The control operations of containers and their failure modes.

import * as z from 'zod';
import { statuses } from '../modules/containers/phases.js';
import { imageConfig } from './images-operations.js';
import { type ControlOperation, control, listed } from './operation.js';

export const container = z.object({
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
  image: z.object({
    uri: z.string(),
    digest: z.string().nullable().describe('null: the image is in another registry and is not checked'),
    platform: z.string().nullable(),
    size: z.int().nullable().describe('In bytes'),
    config: imageConfig.nullable(),
  }),
});

const named = z.object({ id: z.string().describe('The container’s id or project_name') });

export const containerOperations: readonly ControlOperation[] = [
  control({
    id: 'control.containers.list',
    method: 'GET',
    path: '/_emulator/containers',
    summary: 'List all containers of the world',
    response: listed('containers', container),
    act: (controls) => controls.containers.list(),
  }),
  control({
    id: 'control.containers.get',
    method: 'GET',
    path: '/_emulator/containers/{id}',
    summary: 'Show a container',
    params: named,
    errors: ['NOT_FOUND'],
    response: container,
    act: (controls, { params }) => controls.containers.get(params.id),
  }),
  control({
    id: 'control.containers.fail',
    method: 'POST',
    path: '/_emulator/containers/{id}/fail',
    summary: 'Make a container fail now, in a failure mode',
    params: named,
    body: z.object({
      mode: z.string().optional().describe('Failure mode; by default one that suits the container’s status'),
    }),
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
        crash: 'Crash a container now',
        stop: 'Stop a container',
        recover: 'Run a failed or stopped container again',
      }[kind],
      params: named,
      errors: ['NOT_FOUND', 'CONFLICT'],
      response: container,
      act: (controls, { params }) => controls.containers[kind](params.id),
    }),
  ),
  control({
    id: 'control.containers.skip',
    method: 'POST',
    path: '/_emulator/containers/{id}/skip',
    summary: 'Move a container to the next stage, or to a status',
    params: named,
    body: z.object({ status: z.enum(statuses).optional().describe('Target status; by default the next one') }),
    bodyOptional: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
    response: container,
    act: (controls, { params, body }) => controls.containers.skip(params.id, body),
  }),
  control({
    id: 'control.failures',
    method: 'GET',
    path: '/_emulator/failures',
    summary: 'List the failure modes and how to trigger each',
    response: listed('failures', z.object({ mode: z.string(), title: z.string() }).loose()),
    act: (controls) => controls.failures(),
  }),
];
