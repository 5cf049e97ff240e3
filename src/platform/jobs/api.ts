// The endpoint that shows a job of the platform, whatever it works on.

import * as z from 'zod';
import { ApiError } from '../../core/errors.js';
import { type Endpoint, endpoint } from '../../http/endpoint.js';
import { ok } from '../../http/response.js';
import { id, isoTime, success } from '../../http/wire.js';
import { read } from '../hosted-agents/access.js';
import { agentJobStatuses } from '../hosted-agents/lifecycle.js';
import { findAgentJob, jobTypes } from '../hosted-agents/store.js';
import { findJob } from '../voice/store.js';
import { presentAgentJob, presentVoiceJob } from './present.js';

// The path accepts any text: an id of the wrong form is simply not found.
const jobParams = z.lazy(() => z.object({ jobId: z.string().meta({ format: 'uuid' }) }));

const status = z.enum(agentJobStatuses);

const jobAnswer = z.lazy(() =>
  z.object({
    success,
    status: status.meta({ description: 'The same as in data' }),
    data: z
      .object({
        id,
        type: z.enum([...jobTypes, 'voice_clone']),
        status,
        result: z.record(z.string(), z.unknown()).nullable(),
        error: z.string().nullable(),
        attempts: z.int(),
        maxAttempts: z.int(),
        estimatedCompletionAt: isoTime,
        scheduledFor: isoTime,
        startedAt: isoTime.nullable(),
        completedAt: isoTime.nullable(),
        createdAt: isoTime,
        updatedAt: isoTime,
      })
      .meta({ id: 'Job' }),
    polling: z.object({ intervalMs: z.int(), shouldContinue: z.boolean() }),
  }),
);

export const platformJobEndpoints: Endpoint[] = [
  endpoint({
    id: 'jobs.get',
    method: 'GET',
    harmless: true,
    path: '/api/v1/jobs/{jobId}',
    polls: { for: 'job', underWay: (body) => body.includes('"shouldContinue":true') },
    summary: 'Get a job: what happens to a hosted agent, or the cloning of a voice',
    permission: read,
    params: jobParams,
    responses: { 200: { description: 'The job, and whether to ask again', schema: jobAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['jobs.get', 'hostedAgents.jobs'],
    handle(call) {
      const { world, caller, params } = call;
      const ofAgent = findAgentJob(world.db, params.jobId, caller.organizationId);
      if (ofAgent !== undefined) return ok(presentAgentJob(ofAgent, call));
      const ofVoice = findJob(world.db, params.jobId);
      if (ofVoice?.organization_id === caller.organizationId) return ok(presentVoiceJob(ofVoice, call));
      throw new ApiError('NOT_FOUND', { message: 'Job not found' });
    },
  }),
];
