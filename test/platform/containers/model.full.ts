// Containers, charges, quotas, limits and keys against a model of them, through random histories; in some of them the program
// is closed or killed now and then.

import { expect, it } from 'vitest';
import { playHistory } from '../../support/container-campaign.js';
import { testSeed } from '../../support/seed.js';
import { perShard } from '../../support/shard.js';

it.each([
  ['never', 27, 60],
  ['closed', 13, 60],
  ['killed', 4, 60],
] as const)(
  'the emulator agrees with the model of containers and credits through random histories (ends: %s)',
  async (ends, histories, steps) => {
    for (let n = 0; n < perShard(histories); n++) await playHistory(testSeed + n, steps, ends);
    expect.hasAssertions();
  },
);
