// The flags of `cloudemu run`: its own, and those of `start` that mean something for an emulator of the moment.

import { flags } from '../config/flags.js';
import type { Flag } from './command.js';
import { failOnChoices } from './fail-on.js';

const { profile, seed, clock, frozen, timing, strict } = flags;

export const runFlags: Record<string, Flag> = {
  'fail-on': {
    type: 'string',
    default: 'fail',
    choices: failOnChoices,
    describe: 'unclear, not-exercised: rules of good behaviour with that result fail, too',
  },
  junit: { type: 'string', describe: 'Write a report as JUnit XML there' },
  world: {
    type: 'string',
    describe: 'Judge only this world',
    byDefault: 'every world of the run, each for itself',
  },
  grace: {
    type: 'string',
    default: '10s',
    describe: 'How long the command has to end after the first signal; then it is killed',
  },
  profile,
  seed,
  clock,
  frozen,
  timing,
  strict,
};
