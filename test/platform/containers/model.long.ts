// Containers, charges, quotas, limits, keys, restarts and kills against a model of them, through thousands of random steps.
//
// MODEL_STEPS=20000 MODEL_SEED=7 npm run test:long: so many steps, from that seed on.

import { expect, it } from 'vitest';
import { playHistory } from '../../support/container-campaign.js';
import { testSeed } from '../../support/seed.js';

const steps = Number(process.env.MODEL_STEPS ?? 20_000);
const stepsOfHistory = 100;
const endings = ['killed', 'closed', 'never'] as const;
const firstSeed = Number(process.env.MODEL_SEED ?? testSeed);

it('the emulator agrees with the model of containers and credits through long random histories', {
  timeout: 3_600_000,
}, async () => {
  for (let n = 0; n * stepsOfHistory < steps; n++)
    await playHistory(firstSeed + n, stepsOfHistory, endings[n % endings.length] ?? 'never');
  expect.hasAssertions();
});
