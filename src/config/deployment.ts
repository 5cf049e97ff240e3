// How deployments go: settings of the emulator, and of single deployments in a scenario.

import * as z from 'zod';
import { duration } from './duration.js';

const stageTimes = z.lazy(() =>
  z.strictObject({
    pending: duration.describe('Before the build begins'),
    building: duration.describe('Building the stack'),
    deploying: duration.describe('Starting the instances'),
    running: duration.optional().describe('The unit in which a failure mode counts how long a container runs first'),
    limit: duration.optional().describe('After how long a stuck deployment is given up'),
  }),
);

export const timing = z.union([z.enum(['instant', 'fast', 'realistic']), stageTimes]);
export const progression = z.enum(['clock', 'reads', 'manual']);
export const readsPerStage = z.int().min(1).max(1_000);
