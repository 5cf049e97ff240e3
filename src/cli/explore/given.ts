// The flags of an exploration, and what its runs begin with.

import type { Config } from '../../config/schema.js';
import { parseDuration } from '../../core/duration.js';
import { faultable } from '../../platform/surface.js';
import type { Grade } from '../../tools/explore/consequence.js';
import type { Declared } from '../../tools/explore/points.js';
import type { ScenarioInput } from '../../tools/scenarios/schema.js';
import { overlaid } from '../../world/settings.js';
import { fail } from '../print.js';
import type { StartOptions } from '../start-options.js';
import { freshSettings, usualSeed } from '../tested-command.js';

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

/** A number that a flag has; what is none ends the command. */
export function numberOf(flag: string, given: string | undefined, what: string, most = 1_000_000): number | undefined {
  if (given === undefined) return undefined;
  const number = Number(given);
  if (!Number.isInteger(number) || number < 1 || number > most)
    fail(2, `${flag} must be a number of ${what} from 1 to ${most.toLocaleString('en')}, got "${given}"`);
  return number;
}

/** Milliseconds; what is no duration ends the command. */
export function durationOf(flag: string, duration: string): number {
  const ms = parseDuration(duration);
  if (ms === undefined) fail(2, `${flag} must be a duration such as "5m" or "90s", got "${duration}"`);
  return ms;
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
