// Waiting for a job: there are none yet.

import * as z from 'zod';
import { ApiError } from '../../kernel/errors.js';
import { describe } from '../../kernel/problems.js';
import type { Subject } from './waiting.js';

export const jobCondition = z.object({ job: z.string(), status: z.string() });

/** Holds when the job has the status. */
export type JobCondition = z.input<typeof jobCondition>;

/** The job of a condition, as something to wait for. */
export function jobSubject({ job }: z.output<typeof jobCondition>): Subject {
  throw new ApiError('NOT_FOUND', { message: `There is no job ${describe(job)}` });
}
