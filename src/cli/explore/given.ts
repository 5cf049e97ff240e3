// The flags of an exploration, and what its runs begin with.

import { flags } from '../../config/flags.js';
import type { Config } from '../../config/schema.js';
import { faultable } from '../../platform/surface.js';
import type { Grade } from '../../tools/explore/consequence.js';
import type { Declared } from '../../tools/explore/points.js';
import type { ScenarioInput } from '../../tools/scenarios/schema.js';
import { overlaid } from '../../world/settings.js';
import { json, type Rest, settingsFile, type ValuesOf } from '../command.js';
import type { StartOptions } from '../start-options.js';
import { freshSettings, receiptFlag, usualSeed, worldFlags } from '../tested-command.js';

const failOnGrades = ['A', 'B', 'C', 'D', 'never'] as const;

/** The flags of an exploration. */
export const exploreFlags = {
  scenario: { type: 'string', describe: 'Name or file of the scenario that worlds begin with' },
  budget: { type: 'string', default: '5m', describe: 'Time for all runs, also those that confirm', isDuration: true },
  depth: {
    type: 'string',
    default: '1',
    choices: ['1', '2'],
    describe: 'Number of faults per run: 1, or 2, which also tries a second one in the requests that follow the first',
  },
  full: { type: 'boolean', describe: 'Try every request, also those that are like others' },
  sample: { type: 'string', describe: 'Number of faults to try, drawn by --seed', byDefault: 'all' },
  agent: { type: 'boolean', describe: 'The command is an agent: try what leaves it in doubt, several times each' },
  repeat: { type: 'string', describe: 'With --agent: number of runs for each fault', byDefault: '3' },
  runs: { type: 'string', describe: 'With --agent: number of runs after which no further one begins' },
  compare: { type: 'string', describe: 'With --agent: a report by --json, to say what became better or worse' },
  all: { type: 'boolean', describe: 'Also show tests that fail with the platform’s own error' },
  'fail-on': {
    type: 'string',
    default: 'C',
    choices: failOnGrades,
    describe: 'Grade of findings that sets exit code 1; worse grades do, too',
  },
  junit: { type: 'string', describe: 'Write a JUnit XML report to this file' },
  html: { type: 'string', describe: 'Write an HTML report to this file' },
  ...receiptFlag,
  jobs: { type: 'string', describe: 'Number of runs at a time', byDefault: 'one for each core' },
  ...worldFlags,
  seed: { ...flags.seed, byDefault: usualSeed },
  ...settingsFile,
  ...json,
} as const;

export type ExploreOptions = ValuesOf<typeof exploreFlags> & Rest;

/** The least time that a run gets. */
export const leastLimitMs = 5_000;

/** The most runs at a time that `--jobs` may ask for. */
export const mostJobs = 64;

/** What the platform declares of an operation under the settings of the runs, which begin with a scenario. */
export function declaredUnder(config: Config, { settings }: Pick<ScenarioInput, 'settings'>): Declared {
  const surface = faultable(overlaid(config, settings ?? {}));
  return (operation) => {
    const endpoints = surface.filter(({ id }) => id === operation);
    return {
      writes: endpoints.some(({ method }) => method !== 'GET'),
      isPaid: endpoints.some(({ price, fee }) => price !== undefined || fee !== undefined),
      changes: endpoints.some(({ method, path }) => method === 'PATCH' || (method !== 'GET' && path.includes('{'))),
    };
  };
}

/** A scenario with more faults in its worlds. */
export function withWorlds(document: ScenarioInput, worlds: Record<string, object>): object {
  const former = (document.worlds ?? {}) as Record<string, { faults?: object[]; containers?: object[] }>;
  const all = { ...former };
  for (const [label, { faults = [], containers = [] }] of Object.entries(worlds) as [string, (typeof all)[string]][]) {
    const own = all[label] ?? {};
    all[label] = {
      ...own,
      faults: [...(own.faults ?? []), ...faults],
      containers: [...containers, ...(own.containers ?? [])],
    };
  }
  return { ...document, worlds: all };
}

/** The settings of each run: the same seed and the same beginning for all. */
export function settingsOf(options: StartOptions): Config {
  const config = freshSettings(options);
  return {
    ...config,
    seed: config.seed ?? usualSeed,
    clock: { ...config.clock, start: config.clock.start ?? new Date().toISOString() },
  };
}

/** Whether a grade sets the exit code. */
export function isAtLeast(grade: Grade, failOn: string): boolean {
  return failOn !== 'never' && grade <= failOn;
}
