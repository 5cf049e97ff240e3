// Control operations of voices and cloning jobs: list them, and end a job now.

import * as z from 'zod';
import { type CloningFailure, cloningFailures } from '../../config/voice.js';
import { listed, operation } from '../../control/operation.js';
import { ApiError } from '../../core/errors.js';
import { nearest } from '../../core/nearest.js';
import { describe } from '../../core/problems.js';
import { iso, isoOrNull } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { isReady, premadeVoices } from './access.js';
import { endJob, jobAt, jobFailed, jobStatuses, reasonOf } from './jobs.js';
import { findJob, findJobOfVoice, type Job, listAllVoices, listJobs } from './store.js';

const cloneType = z.enum(['instant', 'professional']);

export const voice = z.lazy(() =>
  z.object({
    id: z.string(),
    providerId: z.string().describe('Its id at the voice provider'),
    organizationId: z.string(),
    name: z.string(),
    cloneType,
    active: z.boolean().describe('Whether it can speak'),
    ready: z.boolean().describe('Whether its job has completed'),
    usageCount: z.int(),
    createdAt: z.string(),
  }),
);

export type ControlledVoice = z.output<typeof voice>;

export const providerVoice = z.lazy(() =>
  z.object({
    id: z.string().describe('Its id at the voice provider, the same in every world'),
    name: z.string(),
    description: z.string(),
  }),
);

/** A voice that the provider has, and every organization can use. */
export type ProviderVoice = z.output<typeof providerVoice>;

export const job = z.lazy(() =>
  z.object({
    id: z.string(),
    voiceId: z.string(),
    voiceName: z.string(),
    organizationId: z.string(),
    jobType: cloneType,
    status: z.enum(jobStatuses),
    progress: z.int().describe('0 to 100'),
    error: z.string().nullable(),
    createdAt: z.string(),
    nextTransitionAt: z.string().nullable(),
    refundedAt: z.string().nullable().describe('When its charge was refunded'),
  }),
);

export type ControlledJob = z.output<typeof job>;

const named = z.lazy(() => z.object({ id: z.string().describe('The job’s id, or the id of its voice') }));

export const voiceOperations = {
  /** Lists all cloned voices of the world, newest first, including unfinished ones. */
  list: operation({
    id: 'control.voices',
    route: 'GET /voices',
    summary: 'List all cloned voices of the world',
    output: listed('voices', voice),
    command: {
      line: 'voice list',
      bare: true,
      columns: 'id name ready active? cloneType? usageCount? createdAt?',
      examples: [['voice list', 'cloned voices, and whether each is ready']],
    },
    run: ({ world }): ControlledVoice[] => {
      const now = world.clock.now();
      world.settle(now);
      return listAllVoices(world.db).map((voice) => ({
        id: voice.id,
        providerId: voice.provider_id,
        organizationId: voice.organization_id,
        name: voice.name,
        cloneType: voice.clone_type,
        active: isReady(voice, now) && voice.is_active,
        ready: isReady(voice, now),
        usageCount: voice.usage_count,
        createdAt: iso(voice.created_at),
      }));
    },
  }),
  /** Lists the provider’s own voices, with which every organization can speak. */
  premade: operation({
    id: 'control.voices.premade',
    route: 'GET /voices/premade',
    summary: 'List the provider’s own voices, with which every organization can speak',
    output: listed('premade', providerVoice),
    command: {
      line: 'voice premade',
      columns: 'id name description',
      examples: [['voice premade', 'ids for text to speech that need no cloning']],
    },
    run: (): ProviderVoice[] =>
      premadeVoices.map(({ provider_id: id, name, description }) => ({ id, name, description })),
  }),
};

export const jobOperations = {
  /** Lists all cloning jobs of the world, newest first, including those that have ended. */
  list: operation({
    id: 'control.jobs.list',
    route: 'GET /jobs',
    summary: 'List all cloning jobs of the world',
    output: listed('jobs', job),
    command: {
      line: 'job list',
      bare: true,
      columns: 'id voiceName status progress error? nextTransitionAt?',
      examples: [['job list', 'all cloning jobs, including those that have ended']],
    },
    run: ({ world }): ControlledJob[] => {
      const now = world.clock.now();
      world.settle(now);
      return listJobs(world.db).map((one) => presentJob(one, now));
    },
  }),
  /**
   * Returns a job.
   *
   * @param id its id or its voice's id
   * @throws ApiError NOT_FOUND
   */
  get: operation({
    id: 'control.jobs.get',
    route: 'GET /jobs/{id}',
    summary: 'Show a cloning job',
    params: named,
    output: job,
    errors: ['NOT_FOUND'],
    command: {
      line: 'job show <id>',
      examples: [['job show 51e58c0e-27c4-…', 'by its id, or the id of its voice']],
    },
    run: ({ world }, id: string): ControlledJob => showJob(world, id),
  }),
  /**
   * Completes a job now.
   *
   * @throws ApiError NOT_FOUND; CONFLICT when it has ended
   */
  finish: operation({
    id: 'control.jobs.finish',
    route: 'POST /jobs/{id}/finish',
    summary: 'Complete a cloning job now',
    params: named,
    output: job,
    errors: ['NOT_FOUND', 'CONFLICT'],
    command: {
      line: 'job finish <id>',
      examples: [['job finish 51e58c0e-27c4-…', 'completes the job: its voice is ready']],
    },
    run: ({ world }, id: string): ControlledJob => endNow(world, id, 'finish', null),
  }),
  /**
   * Fails a job now; its voice is removed and its charge refunded.
   *
   * @param options.mode audio-quality (the default), too-short or provider-error
   * @example controls.jobs.fail(job.id, { mode: 'too-short' })
   * @throws ApiError NOT_FOUND; CONFLICT when it has ended
   */
  fail: operation({
    id: 'control.jobs.fail',
    route: 'POST /jobs/{id}/fail',
    summary: 'Fail a cloning job now; its voice is removed and its charge refunded',
    params: named,
    body: z.lazy(() =>
      z.object({ mode: z.enum(cloningFailures).optional().describe('How it fails; by default audio-quality') }),
    ),
    bodyOptional: true,
    output: job,
    errors: ['NOT_FOUND', 'CONFLICT'],
    command: {
      line: 'job fail <id>',
      examples: [['job fail 51e58c0e-27c4-… --mode too-short', 'removes its voice and refunds its charge']],
    },
    run: ({ world }, id: string, options: { mode?: CloningFailure | undefined } = {}): ControlledJob =>
      endNow(world, id, 'fail', reasonOf(options.mode ?? 'audio-quality')),
  }),
};

/**
 * The job of an id, or of a voice's id, as controls show it.
 *
 * @throws ApiError NOT_FOUND
 */
export function showJob(world: World, name: string): ControlledJob {
  const now = world.clock.now();
  world.settle(now);
  return presentJob(namedJob(world, name), now);
}

function endNow(world: World, name: string, verb: string, error: string | null): ControlledJob {
  return world.db.transaction(() => {
    const now = world.clock.now();
    world.settle(now);
    const job = namedJob(world, name);
    const { status } = jobAt(job, now);
    if (status === 'completed' || status === 'failed')
      throw new ApiError('CONFLICT', { message: `Cannot ${verb} this job: it has ${status}` });
    endJob(world, job, now, error);
    if (error !== null) jobFailed(world, job.id, now);
    return presentJob(findJob(world.db, job.id) ?? job, now);
  });
}

/**
 * The job of an id, or of a voice's id.
 *
 * @throws ApiError NOT_FOUND with the nearest id
 */
export function namedJob(world: World, name: string): Job {
  const found = findJob(world.db, name) ?? findJobOfVoice(world.db, name);
  if (found !== undefined) return found;
  const suggestion = nearest(
    name,
    listJobs(world.db).map(({ id }) => id),
  );
  const hint = suggestion === undefined ? '' : `; did you mean "${suggestion}"?`;
  throw new ApiError('NOT_FOUND', { message: `There is no job of id (or of a voice of id) ${describe(name)}${hint}` });
}

function presentJob(job: Job, now: number): ControlledJob {
  const { status, progress, error, nextAt } = jobAt(job, now);
  return {
    id: job.id,
    voiceId: job.voice_id,
    voiceName: job.voice_name,
    organizationId: job.organization_id,
    jobType: job.kind,
    status,
    progress,
    error,
    createdAt: iso(job.created_at),
    nextTransitionAt: isoOrNull(nextAt),
    refundedAt: isoOrNull(job.refunded_at),
  };
}
