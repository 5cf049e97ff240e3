// The timing of deployments: settings of the emulator, and of single deployments in a scenario.

import * as z from 'zod';
import { duration } from '../core/duration-schemas.js';

const stageTimes = z.lazy(() =>
  z.strictObject({
    pending: duration.describe('Time before the build begins'),
    building: duration.describe('Time for building the stack'),
    deploying: duration.describe('Time for starting the instances'),
    running: duration.optional().describe('Unit of the time for which a failure mode lets a container run first'),
    limit: duration.optional().describe('Time after which a stuck deployment fails'),
  }),
);

/** The timings that have a name. */
export const timingNames = ['instant', 'fast', 'realistic'] as const;
export type TimingName = (typeof timingNames)[number];

export const timing = z.union([z.enum(timingNames), stageTimes]);
export const progression = z.enum(['clock', 'reads', 'manual']);
export const readsPerStage = z.int().min(1).max(1_000);

/** The timing of what else takes time and has no setting of its own: that of deployments, if it is a name. */
export function timingLike(deployments: z.output<typeof timing>): TimingName {
  return typeof deployments === 'string' ? deployments : 'fast';
}
