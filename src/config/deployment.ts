// The timing of deployments: settings of the emulator, and of single deployments in a scenario.

import * as z from 'zod';
import { duration } from '../core/duration.js';

const stageTimes = z.lazy(() =>
  z.strictObject({
    pending: duration.describe('Time before the build begins'),
    building: duration.describe('Time for building the stack'),
    deploying: duration.describe('Time for starting the instances'),
    running: duration.optional().describe('Unit of the time for which a failure mode lets a container run first'),
    limit: duration.optional().describe('Time after which a stuck deployment fails'),
  }),
);

export const timing = z.union([z.enum(['instant', 'fast', 'realistic']), stageTimes]);
export const progression = z.enum(['clock', 'reads', 'manual']);
export const readsPerStage = z.int().min(1).max(1_000);
