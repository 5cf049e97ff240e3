// The flags of `cloudemu explore`.

import { flags } from '../../config/flags.js';
import type { Flag } from '../command.js';

const { profile, seed, clock, frozen, timing, strict } = flags;

export const failOnGrades = ['A', 'B', 'C', 'D', 'never'] as const;

export const exploreFlags: Record<string, Flag> = {
  scenario: { type: 'string', describe: 'Name or file of the scenario that worlds begin with' },
  budget: { type: 'string', default: '5m', describe: 'Time after which no further fault is tried' },
  depth: {
    type: 'string',
    default: '1',
    choices: ['1', '2'],
    describe: 'Number of faults per run; 2 also tries a second fault in the requests that follow the first',
  },
  full: { type: 'boolean', describe: 'Try every request, also those that are like others' },
  all: { type: 'boolean', describe: 'Also show tests that fail with the platform’s own error' },
  'fail-on': {
    type: 'string',
    default: 'C',
    choices: failOnGrades,
    describe: 'Grade of findings that sets exit code 1; worse grades do, too',
  },
  junit: { type: 'string', describe: 'Write a JUnit XML report to this file' },
  html: { type: 'string', describe: 'Write an HTML report to this file' },
  jobs: { type: 'string', describe: 'Number of runs at a time', byDefault: 'the number of cores' },
  profile,
  seed,
  clock,
  frozen,
  timing,
  strict,
};
