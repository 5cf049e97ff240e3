// Containers, charges, quotas, limits and keys against a model of them: a short draw of what `npm run test:long` plays.

import { expect, it } from 'vitest';
import { isFull } from '../../support/campaign.js';
import { playHistory } from '../../support/container-campaign.js';
import { testSeed } from '../../support/seed.js';

it('the emulator agrees with the model of containers and credits through random histories', async () => {
  const histories = isFull ? 40 : 3;
  for (let n = 0; n < histories; n++)
    await playHistory(testSeed + n, isFull ? 60 : 30, n % 3 === 2 ? 'closed' : 'never');
  expect.hasAssertions();
});
