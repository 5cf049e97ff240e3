// Control operations of jobs: list them, begin one, and end one now.

import * as z from 'zod';
import { type CloningFailure, cloningFailures } from '../../config/voice.js';
import { listed, operation } from '../../control/operation.js';
import { invalid } from '../../core/errors.js';
import { type AgentJobType, jobTypes } from '../hosted-agents/store.js';
import { reasonOf } from '../voice/jobs.js';
import { type AnyJob, beginNow, type ControlledJob, endNow, job, listAnyJobs, presentJob, showJob } from './named.js';

const named = z.lazy(() =>
  z.object({ id: z.string().describe('The job’s id, or the id of its voice or hosted agent') }),
);

export const jobRequest = z.lazy(() =>
  z.object({
    type: z.enum(jobTypes).default('agent_provision').describe('What it does; by default it provisions an agent'),
    agent: z
      .string()
      .max(200)
      .optional()
      .describe('Id or name of the hosted agent; by default a new dedicated one of the seeded organization'),
    failure: z.string().max(100).optional().describe('Failure mode of hosted agents that it follows'),
  }),
);

/** The job to begin; each part may be left out. */
type JobRequest = z.input<typeof jobRequest>;

export const jobOperations = {
  /** Lists all jobs of the world, those that began last first, including those that have ended. */
  list: operation({
    id: 'control.jobs.list',
    route: 'GET /jobs',
    summary: 'List all jobs of the world: of hosted agents, and those that clone voices',
    output: listed('jobs', job),
    command: {
      line: 'job list',
      columns: 'id type? name status progress error? nextTransitionAt?',
      examples: [['job list', 'all jobs, including those that have ended']],
    },
    run: ({ world }): ControlledJob[] => {
      const now = world.clock.now();
      world.settle(now);
      return listAnyJobs(world).map((one) => presentJob(one, now));
    },
  }),
  /**
   * Begins a job of a hosted agent, as a client's request would, but free of the check of credits.
   *
   * @example controls.jobs.create({ type: 'agent_snapshot', agent: 'Support' })
   * @throws ApiError NOT_FOUND; VALIDATION_ERROR for an unknown failure mode; CONFLICT while a job of the agent is in
   *   progress
   */
  create: operation({
    id: 'control.jobs.create',
    route: 'POST /jobs',
    summary: 'Begin a job of a hosted agent, which is made if none is named',
    body: jobRequest,
    bodyOptional: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
    output: job,
    command: {
      line: 'job create',
      examples: [
        ['job create --type agent_provision', 'a new agent that is being provisioned'],
        ['job create --type agent_snapshot --agent Support --failure job-hangs', 'a snapshot that never ends'],
      ],
    },
    run: ({ world }, request: JobRequest = {}): ControlledJob => {
      const type: AgentJobType = request.type ?? 'agent_provision';
      return beginNow(world, { ...request, type });
    },
  }),
  /**
   * Returns a job.
   *
   * @param id its id, or the id of its voice or hosted agent
   * @throws ApiError NOT_FOUND
   */
  get: operation({
    id: 'control.jobs.get',
    route: 'GET /jobs/{id}',
    summary: 'Show a job',
    params: named,
    output: job,
    errors: ['NOT_FOUND'],
    command: {
      line: 'job show <id>',
      examples: [['job show 51e58c0e-27c4-…', 'by its id, or the id of its voice or hosted agent']],
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
    summary: 'Complete a job now',
    params: named,
    output: job,
    errors: ['NOT_FOUND', 'CONFLICT'],
    command: {
      line: 'job finish <id>',
      examples: [['job finish 51e58c0e-27c4-…', 'completes the job: its voice is ready, or its agent runs']],
    },
    run: ({ world }, id: string): ControlledJob => endNow(world, id, 'finish', () => null),
  }),
  /**
   * Fails a job now: a voice is removed and its charge refunded, an agent is left in error.
   *
   * @param options.mode of a cloning job: audio-quality (the default), too-short or provider-error
   * @param options.error of a job of an agent: why
   * @example controls.jobs.fail(job.id, { mode: 'too-short' })
   * @throws ApiError NOT_FOUND; VALIDATION_ERROR for what belongs to other jobs; CONFLICT when it has ended
   */
  fail: operation({
    id: 'control.jobs.fail',
    route: 'POST /jobs/{id}/fail',
    summary: 'Fail a job now; of a cloning job the voice is removed and its charge refunded',
    params: named,
    body: z.lazy(() =>
      z.object({
        mode: z.enum(cloningFailures).optional().describe('How a cloning job fails; by default audio-quality'),
        error: z.string().min(1).max(500).optional().describe('Why a job of a hosted agent fails'),
      }),
    ),
    bodyOptional: true,
    output: job,
    errors: ['NOT_FOUND', 'CONFLICT'],
    command: {
      line: 'job fail <id>',
      examples: [
        ['job fail 51e58c0e-27c4-… --mode too-short', 'removes its voice and refunds its charge'],
        ['job fail 7d1f0c5e-92a1-… --error "No capacity"', 'leaves its hosted agent in error'],
      ],
    },
    run: (
      { world },
      id: string,
      options: { mode?: CloningFailure | undefined; error?: string | undefined } = {},
    ): ControlledJob => endNow(world, id, 'fail', (failing) => reasonFor(failing, options)),
  }),
};

function reasonFor(
  { voice }: AnyJob,
  { mode, error }: { mode?: CloningFailure | undefined; error?: string | undefined },
): string {
  if (voice !== undefined) {
    if (error === undefined) return reasonOf(mode ?? 'audio-quality');
    throw invalid({ path: 'error', message: 'belongs to jobs of hosted agents; a cloning job fails by its mode' });
  }
  if (mode === undefined) return error ?? 'Failed by a control operation';
  throw invalid({ path: 'mode', message: 'belongs to cloning jobs; say why a job of an agent fails in error' });
}
