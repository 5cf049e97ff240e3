// The control operations of voices and cloning jobs.

import * as z from 'zod';
import { cloningFailures } from '../config/voice.js';
import { jobStatuses } from '../modules/voice/jobs.js';
import { type ControlOperation, control, listed } from './operation.js';

const cloneType = z.enum(['instant', 'professional']);

const voice = z.object({
  id: z.string(),
  providerId: z.string(),
  organizationId: z.string(),
  name: z.string(),
  cloneType,
  active: z.boolean(),
  ready: z.boolean(),
  usageCount: z.int(),
  createdAt: z.string(),
});

export const job = z.object({
  id: z.string(),
  voiceId: z.string(),
  voiceName: z.string(),
  organizationId: z.string(),
  jobType: cloneType,
  status: z.enum(jobStatuses),
  progress: z.int(),
  error: z.string().nullable(),
  createdAt: z.string(),
  nextTransitionAt: z.string().nullable(),
  refundedAt: z.string().nullable(),
});

const named = z.object({ id: z.string().describe('The job’s id, or the id of its voice') });

export const voiceOperations: readonly ControlOperation[] = [
  control({
    id: 'control.voices',
    method: 'GET',
    path: '/_emulator/voices',
    summary: 'List all cloned voices of the world',
    response: listed('voices', voice),
    act: (controls) => controls.voices.list(),
  }),
  control({
    id: 'control.jobs.list',
    method: 'GET',
    path: '/_emulator/jobs',
    summary: 'List all cloning jobs of the world',
    response: listed('jobs', job),
    act: (controls) => controls.jobs.list(),
  }),
  control({
    id: 'control.jobs.get',
    method: 'GET',
    path: '/_emulator/jobs/{id}',
    summary: 'Show a cloning job',
    params: named,
    errors: ['NOT_FOUND'],
    response: job,
    act: (controls, { params }) => controls.jobs.get(params.id),
  }),
  control({
    id: 'control.jobs.finish',
    method: 'POST',
    path: '/_emulator/jobs/{id}/finish',
    summary: 'Complete a cloning job now',
    params: named,
    errors: ['NOT_FOUND', 'CONFLICT'],
    response: job,
    act: (controls, { params }) => controls.jobs.finish(params.id),
  }),
  control({
    id: 'control.jobs.fail',
    method: 'POST',
    path: '/_emulator/jobs/{id}/fail',
    summary: 'Fail a cloning job now; its voice is removed and its charge refunded',
    params: named,
    body: z.object({ mode: z.enum(cloningFailures).optional().describe('How it fails; by default audio-quality') }),
    bodyOptional: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
    response: job,
    act: (controls, { params, body }) => controls.jobs.fail(params.id, body),
  }),
];
