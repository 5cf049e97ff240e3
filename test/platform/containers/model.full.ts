// Containers, charges, quotas, limits and keys of a program that is killed now and then, against a model of them.

import { expect, it } from 'vitest';
import { playHistory } from '../../support/container-campaign.js';
import { testSeed } from '../../support/seed.js';

it('the emulator agrees with the model of containers and credits through random histories with kills', async () => {
  for (let n = 0; n < 4; n++) await playHistory(testSeed + n, 60, 'killed');
  expect.hasAssertions();
});
