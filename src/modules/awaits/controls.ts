// Waiting under control: until a container, a number of requests or a job is as wanted, in one call instead of a poll.

import * as z from 'zod';
import { parseDuration } from '../../core/duration.js';
import { invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { checkInput } from '../../http/validate.js';
import type { World } from '../../world/world.js';
import type { ContainerControls, ControlledContainer } from '../containers/controls.js';
import type { ControlledJob, JobControls } from '../voice/controls.js';
import { type ContainerCondition, containerCondition, containerSubject } from './container.js';
import { type JobCondition, jobCondition, jobSubject } from './job.js';
import { type OperationCondition, type OperationCount, operationCondition, operationSubject } from './operation.js';
import { type Subject, waitFor } from './waiting.js';

/** How long to wait, and whether to move time meanwhile. */
export interface AwaitOptions {
  /** Wall time: "30s" (the default), at most "10m", or milliseconds. */
  timeout?: string | number | undefined;
  /** Jump to each instant at which time changes what is waited for, also while the clock is frozen. */
  advance?: boolean | undefined;
}

export type AwaitRequest = AwaitOptions & (ContainerCondition | OperationCondition | JobCondition);

/** What an await answers: the container or the job as it is then, or the count of requests. */
export type AwaitAnswer<Request> = Request extends ContainerCondition
  ? ControlledContainer
  : Request extends OperationCondition
    ? OperationCount
    : Request extends JobCondition
      ? ControlledJob
      : never;

const word = z.union([z.string(), z.int()]);

/** The fields of all kinds, as the door takes them; each kind then has a say of its own. */
export const awaitRequest = z.object({
  container: z.string().optional().describe('Container id or project_name'),
  operation: z.string().optional().describe('Operation id, or a pattern of ids: containers.*'),
  job: z.string().optional().describe('Job id, or the id of its voice'),
  status: z
    .union([word, z.array(word)])
    .optional()
    .describe('A status, or a list of statuses any of which is enough'),
  count: z.int().optional().describe('Number of requests to wait for'),
  since: word.optional().describe('Point in the journal from which requests count; by default the last reset'),
  timeout: word.optional().describe('Longest wait in wall time: "30s", at most "10m", or milliseconds'),
  advance: z.boolean().optional().describe('Advance the clock from one scheduled change to the next while waiting'),
});

const options = { timeout: z.union([z.string(), z.number()]).optional(), advance: z.boolean().optional() };

export type AwaitControls = ReturnType<typeof createAwaitControl>;

/** The waiting of a world whose operations have these ids. */
export function createAwaitControl(
  world: World,
  { containers, jobs }: { containers: ContainerControls; jobs: JobControls },
  operationIds: readonly string[],
) {
  // One entry a kind of what can be waited for, named by the field that says which one.
  const kinds = {
    container: kind(containerCondition, (wanted) => containerSubject(world, containers, wanted)),
    operation: kind(operationCondition, (wanted) => operationSubject(world, operationIds, wanted)),
    job: kind(jobCondition, (wanted) => jobSubject(world, jobs, wanted)),
  };

  return {
    /**
     * Resolves when a condition holds: a container or a cloning job has a status, an operation was called so often.
     * Nothing is polled.
     *
     * @param call.signal gives up waiting; then the promise is rejected with its reason
     * @example await controls.await({ container: 'my-app', status: 'running', advance: true })
     * @example await controls.await({ operation: 'containers.create', count: 2, status: '2xx', timeout: '5s' })
     * @throws ApiError VALIDATION_ERROR or NOT_FOUND; CONFLICT at once when it cannot come true by what lies ahead;
     * REQUEST_TIMEOUT; SERVICE_UNAVAILABLE when the world ends. What was seen last is in `options.details`.
     */
    async await<const Request extends AwaitRequest>(
      request: Request,
      call: { signal?: AbortSignal | undefined } = {},
    ): Promise<AwaitAnswer<Request>> {
      const { subject, timeout, advance } = kinds[kindOf(request)](request);
      const waiting = { timeout: patience(timeout), advance, signal: call.signal };
      return (await waitFor(world, subject(), waiting)) as AwaitAnswer<Request>;
    },
  };

  function kindOf(request: AwaitRequest): keyof typeof kinds {
    const names = Object.keys(kinds) as (keyof typeof kinds)[];
    const given = names.filter((name) => (request as { [Kind in keyof typeof kinds]?: unknown })?.[name] !== undefined);
    const [first, second] = given;
    if (second !== undefined) throw invalid({ path: second, message: `cannot be combined with \`${first}\`` });
    if (first !== undefined) return first;
    throw invalid({ path: 'container', message: 'or `operation` or `job` must be given, and only one of them' });
  }
}

interface Wanted {
  subject: () => Subject;
  timeout: string | number | undefined;
  advance: boolean;
}

function kind<Shape extends z.ZodRawShape>(
  condition: z.ZodObject<Shape>,
  subjectOf: (wanted: z.output<z.ZodObject<Shape>>) => Subject,
): (request: unknown) => Wanted {
  const schema = condition.extend(options);
  return (request) => {
    const checked = checkInput(schema, request, { strict: true, warn: () => {} });
    const { timeout, advance = false } = checked as AwaitOptions;
    return { subject: () => subjectOf(checked as z.output<z.ZodObject<Shape>>), timeout, advance };
  };
}

const usualMs = 30_000;
const longestMs = 600_000;

function patience(timeout: string | number | undefined): number {
  const ms = timeout === undefined ? usualMs : parseDuration(timeout);
  if (ms !== undefined && ms <= longestMs) return ms;
  throw invalid({
    path: 'timeout',
    message: 'must be a duration of at most 10 minutes: "90s", "10m" or milliseconds',
    received: describe(timeout),
  });
}
