// The control operations of worlds.

import * as z from 'zod';
import { worldProblems, worldRequest } from '../modules/worlds/controls.js';
import { byId, type ControlOperation, control, listed } from './operation.js';

const worldInfo = z.object({
  id: z.string(),
  baseUrl: z.string(),
  apiKey: z.string(),
  organizationId: z.string(),
  userId: z.string(),
  now: z.string(),
  frozen: z.boolean(),
  port: z.int().nullable(),
  ttlMs: z.number().nullable(),
});

export const worldOperations: readonly ControlOperation[] = [
  control({
    id: 'control.worlds.list',
    method: 'GET',
    path: '/_emulator/worlds',
    summary: 'List all worlds of the emulator',
    response: listed('worlds', worldInfo),
    act: (controls, { origin }) => controls.worlds.list(origin),
  }),
  control({
    id: 'control.worlds.create',
    method: 'POST',
    path: '/_emulator/worlds',
    summary: 'Create a world with its own data, clock, seed, faults, limits and journal',
    body: worldRequest,
    bodyOptional: true,
    alsoWrong: (world, body) => worldProblems(world, body),
    errors: ['NOT_FOUND', 'CONFLICT'],
    response: worldInfo,
    act: (controls, { body, origin }) => controls.worlds.create(body, origin),
  }),
  control({
    id: 'control.worlds.drop',
    method: 'DELETE',
    path: '/_emulator/worlds/{id}',
    summary: 'Delete a world and everything in it',
    params: byId,
    errors: ['NOT_FOUND', 'CONFLICT'],
    response: z.object({ dropped: z.string() }),
    act: (controls, { params }) => controls.worlds.drop(params.id),
  }),
];
