// Waiting for a job to have a status.

import * as z from 'zod';
import type { World } from '../../world/world.js';
import { type AnyJobStatus, allJobStatuses, findAnyJob, idOf, namedJob, outlookOf, showJob } from '../jobs/named.js';
import type { Look, Subject } from './waiting.js';

const status = z.enum(allJobStatuses);

export const jobCondition = z.lazy(() =>
  z.object({
    job: z.string().describe('Job id, or the id of its voice or hosted agent'),
    status: z
      .union([status, z.array(status).min(1).max(allJobStatuses.length)])
      .describe('A status, or a list of statuses any of which is enough'),
  }),
);

/** Holds when the job (an id, or that of its voice or hosted agent) has the status, or one of several. */
export type JobCondition = z.input<typeof jobCondition>;

/** The job of a condition, as something to wait for. */
export function jobSubject(world: World, { job: name, status: wanted }: z.output<typeof jobCondition>): Subject {
  const wantedOnes = [wanted].flat();
  world.settle(world.clock.now());
  const found = namedJob(world, name);
  const id = idOf(found);
  const work: AnyJobStatus = found.voice === undefined ? 'in_progress' : 'processing';
  let last = showJob(world, id);

  return {
    topics: [`job:${id}`],
    look(): Look {
      const now = world.clock.now();
      world.settle(now);
      const job = findAnyJob(world, id);
      if (job === undefined) return { never: `Job ${id} is gone`, state: last };
      const before = last.status;
      last = showJob(world, id);
      // A jump may have led over what is wanted, which has come true nevertheless.
      const since: AnyJobStatus[] = before === 'pending' && last.status !== 'pending' ? [work] : [];
      if ([last.status, ...since].some((one) => wantedOnes.includes(one))) return { holds: last };
      const wish = `Job ${id} is ${last.status}, not ${wantedOnes.join(' or ')}`;
      const { ahead, nextAt } = outlookOf(job, now);
      if (!wantedOnes.some((one) => ahead.includes(one)))
        return { never: `${wish}${whyNever(ahead, last.error)}`, state: last };
      return { yet: wish, state: last, nextAt };
    },
  };
}

function whyNever(ahead: readonly AnyJobStatus[], error: string | null): string {
  if (ahead.length > 0) return `, and its plan leads only to ${ahead.join(', ')}`;
  return `, and its plan leads to nothing else${error === null ? '' : ` (${error})`}`;
}
