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
    describe: 'Verdicts that fail the run: unclear and not-exercised count in addition to fail',
  },
  junit: { type: 'string', describe: 'Write a JUnit XML report to this file' },
  world: {
    type: 'string',
    describe: 'Judge only this world',
    byDefault: 'every world of the run',
  },
  grace: {
    type: 'string',
    default: '10s',
    describe: 'Time that the command has to exit after the first signal; then it is killed',
  },
  profile,
  seed,
  clock,
  frozen,
  timing,
  strict,
};
