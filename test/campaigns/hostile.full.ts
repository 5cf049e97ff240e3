// Hostile requests at every operation: some thousands for each group of them, within minutes.
//
//   CLOUDEMU_TEST_FULL=1 npx vitest run --config test/vitest.config.ts test/campaigns/hostile.full.ts
//
// TEST_SEED replays a run; a failure prints it, with the request that hurts.

import { perShard } from '../support/shard.js';
import { campaign } from './support/hostile-campaign.js';

const perGroup = perShard(3_000);

campaign((group) => Math.ceil(perGroup / group.length));
