// The command without faults, twice: what differs between the two runs is not tried; and twice in a runner that stays.

import type { Once, OnceOptions } from './once.js';
import { usualRunLimit } from './run-limit.js';
import { type Runners, warmRunners } from './warm.js';

export interface Twice {
  runs: readonly [Once, Once];
  /** Whether each test has a world of its own without a fixture. */
  worldPerTest: boolean;
}

/**
 * Runs it with a world for each test first. Tests that need what others leave behind fail so: they share one.
 *
 * @param plain runs the command
 * @param jobs how many runs at a time
 * @returns undefined where it was interrupted
 */
export async function runTwice(
  plain: (worldPerTest: boolean) => Promise<Once | undefined>,
  jobs: number,
): Promise<Twice | undefined> {
  for (const worldPerTest of [true, false]) {
    const one = (): Promise<Once | undefined> => plain(worldPerTest);
    const [first, second] = jobs > 1 ? await Promise.all([one(), one()]) : [await one(), await one()];
    if (first === undefined || second === undefined) return undefined;
    const runs = [first, second] as const;
    if (!worldPerTest || runs.every(isSeparated)) return { runs, worldPerTest };
    // Where no test used the world that it was given, they have been as they are without.
    if (runs.every(({ separated }) => separated === 0)) return { runs, worldPerTest: false };
  }
  return undefined;
}

function isSeparated({ exitCode, separated = 0 }: Once): boolean {
  return exitCode === 0 && separated > 1;
}

/**
 * The runners of a command whose tests can run again and again in one process, and a run of them without a fault, which shows
 * what the command itself shows; undefined: each run must start anew.
 *
 * @param cold what the command has shown without faults
 * @param plain runs it
 * @param tell receives the reason why runs take longer than others of Vitest
 */
export async function warmCommand(
  command: readonly string[],
  cold: readonly [Once, Once],
  plain: (how: Pick<OnceOptions, 'runner' | 'limit'>) => Promise<Once | undefined>,
  tell: (why: string) => void,
): Promise<{ runners: Runners; plain: Once } | undefined> {
  const runners = warmRunners(command);
  if (runners === undefined) return undefined;
  // What its tests do when they run again may never end.
  const limit = usualRunLimit(cold);
  const warm = await runners.lend(async (runner) => {
    const first = await plain({ runner, limit });
    const again = first && isAs(first, cold) ? await plain({ runner, limit }) : undefined;
    return again !== undefined && isAs(again, cold) ? again : undefined;
  });
  if (warm !== undefined) return { runners, plain: warm };
  tell('The tests do not do the same when they run again in one Vitest, so each run starts it anew.');
  await runners.end();
  return undefined;
}

function isAs({ exitCode, worlds }: Once, cold: readonly [Once, Once]): boolean {
  return (
    exitCode === 0 &&
    [...cold[0].worlds.keys()].every((id) => worlds.has(id)) &&
    [...worlds].every(([id, { charged, requests }]) => {
      const like = cold.flatMap((once) => once.worlds.get(id) ?? []);
      const usual = new Set(like.flatMap((world) => world.requests.map(({ operation }) => operation)));
      return like.some((world) => world.charged === charged) && requests.every(({ operation }) => usual.has(operation));
    })
  );
}
