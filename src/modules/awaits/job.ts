// Waiting for a cloning job to have a status.

import * as z from 'zod';
import type { World } from '../../world/world.js';
import { namedJob, showJob } from '../voice/control.js';
import { endOf, type JobStatus, jobAt, jobStatuses } from '../voice/jobs.js';
import { findJob } from '../voice/store.js';
import type { Look, Subject } from './waiting.js';

const status = z.enum(jobStatuses);

export const jobCondition = z.lazy(() =>
  z.object({
    job: z.string().describe('Job id, or the id of its voice'),
    status: z
      .union([status, z.array(status).min(1).max(jobStatuses.length)])
      .describe('A status, or a list of statuses any of which is enough'),
  }),
);

/** Holds when the job (an id, or that of its voice) has the status, or one of several. */
export type JobCondition = z.input<typeof jobCondition>;

/** The job of a condition, as something to wait for. */
export function jobSubject(world: World, { job: name, status: wanted }: z.output<typeof jobCondition>): Subject {
  const wantedOnes = [wanted].flat();
  world.settle(world.clock.now());
  const { id } = namedJob(world, name);
  let last = showJob(world, id);

  return {
    topics: [`job:${id}`],
    look(): Look {
      const now = world.clock.now();
      world.settle(now);
      const job = findJob(world.db, id);
      if (job === undefined) return { never: `Job ${id} is gone`, state: last };
      const before = last.status;
      last = showJob(world, id);
      // A jump may have led over what is wanted, which has come true nevertheless.
      const passed = jobStatuses.slice(jobStatuses.indexOf(before), jobStatuses.indexOf('completed'));
      const since: JobStatus[] = before === last.status ? [] : passed.slice(1);
      if ([last.status, ...since].some((one) => wantedOnes.includes(one))) return { holds: last };
      const wish = `Job ${id} is ${last.status}, not ${wantedOnes.join(' or ')}`;
      const ahead = forecast(last.status, endOf(job).error);
      const { nextAt } = jobAt(job, now);
      if (!wantedOnes.some((one) => ahead.includes(one)))
        return { never: `${wish}${whyNever(ahead, last.error)}`, state: last };
      return { yet: wish, state: last, nextAt };
    },
  };
}

function forecast(status: JobStatus, error: string | null): JobStatus[] {
  const end: JobStatus = error === null ? 'completed' : 'failed';
  if (status === 'pending') return ['processing', end];
  return status === 'processing' ? [end] : [];
}

function whyNever(ahead: readonly JobStatus[], error: string | null): string {
  if (ahead.length > 0) return `, and its plan leads only to ${ahead.join(', ')}`;
  return `, and its plan leads to nothing else${error === null ? '' : ` (${error})`}`;
}
