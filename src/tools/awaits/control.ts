// The control operation that waits until a container, a number of requests or a job is as wanted, without polling.

import * as z from 'zod';
import { type ControlContext, type Operation, operation } from '../../control/operation.js';
import { parseDuration } from '../../core/duration.js';
import { anyDuration } from '../../core/duration-schemas.js';
import { invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { checkInput } from '../../http/validate.js';
import { type ControlledContainer, container } from '../../platform/containers/control.js';
import { type ControlledHostedAgent, hostedAgent } from '../../platform/hosted-agents/control.js';
import { type ControlledJob, job } from '../../platform/jobs/named.js';
import { type Subject, waitFor } from '../../world/waiting.js';
import type { World } from '../../world/world.js';
import {
  type OperationCondition,
  type OperationCount,
  operationCondition,
  operationCount,
  operationSubject,
} from './operation.js';
import {
  type ContainerCondition,
  containerCondition,
  containerSubject,
  type HostedAgentCondition,
  hostedAgentCondition,
  hostedAgentSubject,
  type JobCondition,
  jobCondition,
  jobSubject,
} from './status.js';

/** How long to wait, and whether to move time meanwhile. */
interface AwaitOptions {
  /** Wall time: "30s" (the default), at most "10m", or milliseconds. */
  timeout?: string | number | undefined;
  /** Whether to advance the clock to each time at which the status can change, even if the clock is frozen. */
  advance?: boolean | undefined;
}

export type AwaitRequest = AwaitOptions &
  (ContainerCondition | OperationCondition | JobCondition | HostedAgentCondition);

/** The answer of an await: the container, the agent or the job as it is then, or the count of requests. */
export type AwaitAnswer<Request> = Request extends ContainerCondition
  ? ControlledContainer
  : Request extends OperationCondition
    ? OperationCount
    : Request extends JobCondition
      ? ControlledJob
      : Request extends HostedAgentCondition
        ? ControlledHostedAgent
        : never;

const word = z.lazy(() => z.union([z.string(), z.int()]));

// The fields of all kinds. `run` then checks those of the one kind that is meant.
const awaitRequest = z.lazy(() =>
  z.object({
    container: z.string().optional().describe('Container id or project_name'),
    operation: z.string().optional().describe('Operation id, or a pattern of ids: containers.*'),
    job: z.string().optional().describe('Job id, or the id of its voice or hosted agent'),
    agent: z.string().optional().describe('Id or name of a hosted agent'),
    status: z
      .union([word, z.array(word)])
      .optional()
      .describe('A status, or a list of statuses any of which is enough'),
    count: z.int().optional().describe('Number of requests to wait for'),
    since: word.optional().describe('Point in the journal from which requests count; by default the last reset'),
    timeout: anyDuration()
      .optional()
      .describe('Longest wait in wall time: "30s", at most "10m", or milliseconds; by default 30s'),
    advance: z.boolean().optional().describe('Advance the clock from one scheduled change to the next while waiting'),
  }),
) as z.ZodType as z.ZodType<AwaitRequest>;

/** Waits, and answers what the request waited for. */
export type AwaitMethod = <const Request extends AwaitRequest>(
  request: Request,
  call?: { signal?: AbortSignal | undefined },
) => Promise<AwaitAnswer<Request>>;

export const awaitOperations = {
  /**
   * Resolves when a condition holds: a container, a hosted agent or a job has a status, or an operation was called a number of
   * times. Nothing is polled.
   *
   * @param call.signal ends the wait; the promise is then rejected with the signal's reason
   * @example await controls.await({ container: 'my-app', status: 'running', advance: true })
   * @example await controls.await({ operation: 'containers.create', count: 2, status: '2xx', timeout: '5s' })
   * @throws ApiError VALIDATION_ERROR or NOT_FOUND; CONFLICT at once when the condition cannot come true by what lies
   * ahead; REQUEST_TIMEOUT; SERVICE_UNAVAILABLE when the world ends. `options.details` holds what was seen last.
   */
  await: operation({
    id: 'control.await',
    route: 'POST /await',
    summary:
      'Wait until a container, a hosted agent or a job has a status, or an operation has been called a number of times',
    body: awaitRequest,
    extras: ['signal'],
    output: z.lazy(() => z.union([container, operationCount, job, hostedAgent])),
    errors: ['NOT_FOUND', 'CONFLICT', 'REQUEST_TIMEOUT', 'SERVICE_UNAVAILABLE'],
    command: [
      {
        line: 'await container <container>',
        valueIs: 'status',
        prints: 'container',
        describe: 'Wait until a container has a status',
        only: ['container', 'status', 'timeout', 'advance'],
        requires: ['status'],
        showsRefusal: true,
        examples: [
          ['await container my-app --status running --advance', 'advances the clock until then'],
          [
            'await container my-app --status running,failed --timeout 2m',
            'exit code 1 if neither status is reached in time',
          ],
        ],
      },
      {
        line: 'await operation <operation>',
        valueIs: 'count',
        prints: 'request-count',
        describe: 'Wait until an operation has been called a number of times',
        only: ['operation', 'count', 'status', 'since', 'timeout', 'advance'],
        presets: { count: '1' },
        showsRefusal: true,
        examples: [
          ['await operation containers.create --count 2 --status 2xx', 'counts requests since the last reset'],
        ],
      },
      {
        line: 'await job <job>',
        valueIs: 'status',
        describe: 'Wait until a job has a status',
        only: ['job', 'status', 'timeout', 'advance'],
        requires: ['status'],
        showsRefusal: true,
        examples: [['await job 51e58c0e-27c4-… --status completed --advance', 'advances the clock until then']],
      },
      {
        line: 'await agent <agent>',
        valueIs: 'status',
        describe: 'Wait until a hosted agent has a status',
        only: ['agent', 'status', 'timeout', 'advance'],
        requires: ['status'],
        showsRefusal: true,
        examples: [['await agent Support --status running --advance', 'advances the clock until then']],
      },
    ],
    runs: 'async',
    run: async <const Request extends AwaitRequest>(
      { world }: ControlContext,
      request: Request,
      call: { signal?: AbortSignal | undefined } = {},
    ): Promise<AwaitAnswer<Request>> => {
      const { subject, timeout, advance } = kinds[kindOf(request)](request);
      const waiting = { timeout: longestWait(timeout), advance, signal: call.signal };
      return (await waitFor(world, subject(world), waiting)) as AwaitAnswer<Request>;
    },
  }) as unknown as Operation<AwaitMethod>,
};

const options = { timeout: z.union([z.string(), z.number()]).optional(), advance: z.boolean().optional() };

// The kinds of subjects: each is named by the field of the request that selects it.
const kinds = {
  container: kind(containerCondition, containerSubject),
  operation: kind(operationCondition, operationSubject),
  job: kind(jobCondition, jobSubject),
  agent: kind(hostedAgentCondition, hostedAgentSubject),
};

function kindOf(request: AwaitRequest): keyof typeof kinds {
  const names = Object.keys(kinds) as (keyof typeof kinds)[];
  const given = names.filter((name) => (request as { [Kind in keyof typeof kinds]?: unknown })[name] !== undefined);
  const [first, second] = given;
  if (second !== undefined) throw invalid({ path: second, message: `cannot be combined with \`${first}\`` });
  if (first !== undefined) return first;
  throw invalid({
    path: 'container',
    message: 'or `operation` or `job` or `agent` must be given, and only one of them',
  });
}

interface Wanted {
  subject: (world: World) => Subject;
  timeout: string | number | undefined;
  advance: boolean;
}

function kind<Shape extends z.ZodRawShape>(
  condition: z.ZodLazy<z.ZodObject<Shape>>,
  subjectOf: (world: World, wanted: z.output<z.ZodObject<Shape>>) => Subject,
): (request: unknown) => Wanted {
  const schema = z.lazy(() => condition.unwrap().extend(options));
  return (request) => {
    const checked = checkInput(schema, request, { strict: true, warn: () => {} });
    const { timeout, advance = false } = checked as AwaitOptions;
    return { subject: (world) => subjectOf(world, checked as z.output<z.ZodObject<Shape>>), timeout, advance };
  };
}

const usualMs = 30_000;
const longestMs = 600_000;

function longestWait(timeout: string | number | undefined): number {
  const ms = timeout === undefined ? usualMs : parseDuration(timeout);
  if (ms !== undefined && ms <= longestMs) return ms;
  throw invalid({
    path: 'timeout',
    message: 'must be a duration of at most 10 minutes: "90s", "10m" or milliseconds',
    received: describe(timeout),
  });
}
