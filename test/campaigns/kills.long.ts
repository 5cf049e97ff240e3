// Kills as in kills.full.ts, for as long as it takes to end the processes a thousand times: npm run test:long

import { it } from 'vitest';
import { testSeed } from '../support/seed.js';
import { endsTogether, killUnderWriters, seedsFor } from './support/kill-campaign.js';

const patienceMs = 1_800_000;

it.each(seedsFor(1_000))(
  `the emulator keeps what it answered over ${endsTogether} kills and stops (TEST_SEED=${testSeed}, from %i)`,
  killUnderWriters,
  patienceMs,
);
