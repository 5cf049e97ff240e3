// Worlds on disk, uploads, snapshots, moves and pushes under eight writers, while the processes are killed and stopped, and
// the list of worlds loses its log or is an older one: what was answered is there, and nothing is half. `crash.full.ts` has 60
// kills more, of one world that is looked at more closely.

import { it } from 'vitest';
import { testSeed } from '../support/seed.js';
import { isInShard } from '../support/shard.js';
import { endsTogether, killUnderWriters, seedsFor } from './support/kill-campaign.js';

it.each(seedsFor(160).filter((_, place) => isInShard(place)))(
  `the emulator keeps what it answered over ${endsTogether} kills and stops (TEST_SEED=${testSeed}, from %i)`,
  killUnderWriters,
);
