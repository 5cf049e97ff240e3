// Whether a runner that stays shows what the command itself shows, and whether its tests need each other: without a fault both
// can be seen.

import type { Twice } from './baseline.js';
import type { DirectCommand } from './direct.js';
import { leastLimitMs } from './given.js';
import type { Once, OnceOptions } from './once.js';
import type { SearchOptions } from './search.js';
import { type Runners, warmRunners } from './warm.js';

export interface WarmCommand extends Runners {
  /** A run without faults. */
  plain: Once;
  /** The labels of the tests that worlds belong to; undefined where all tests must run. */
  testsOf(worlds: readonly string[]): readonly string[] | undefined;
}

/** Fewer are tried sooner than it is known whether its tests can. */
const fewestTries = 10;

/** Runs the command without faults, all of its tests or some. */
type Plain = (how: Pick<OnceOptions, 'worldPerTest' | 'runner' | 'tests' | 'limit'>) => Promise<Once | undefined>;

/**
 * The runners of a command whose tests can run again and again in one process; undefined: each run must start anew.
 *
 * @param twice what the command has shown without faults
 * @param tries how many faults are to be tried
 * @param tell receives the reason why runs take longer than others of Vitest
 */
export async function warmCommand(
  { runs: cold, worldPerTest }: Pick<Twice, 'runs' | 'worldPerTest'>,
  direct: DirectCommand,
  plain: Plain,
  tries: number,
  tell: (why: string) => void,
): Promise<WarmCommand | undefined> {
  const runners = worldPerTest || tries < fewestTries ? undefined : warmRunners(direct);
  if (runners === undefined) return undefined;
  const labels = new Map([...cold[0].worlds.values()].map(({ label, test }) => [label, test] as const));
  const testsOf: WarmCommand['testsOf'] = (worlds) => {
    const tests = worlds.map((world) => labels.get(world));
    return tests.every((test) => typeof test === 'string') ? tests : undefined;
  };
  // What they do when they run again may never end.
  const idleMs = Math.max(leastLimitMs, ...cold.map(({ seconds }) => seconds * 3_000));
  const limit = { idleMs, startMs: idleMs, mostMs: 2 * idleMs, mostRequests: Infinity, leastMs: idleMs };
  const how = { worldPerTest, limit };
  const warm = await runners.lend(async (runner) => {
    const first = await plain({ runner, ...how });
    const again = first && isAs(first, cold) ? await plain({ runner, ...how }) : undefined;
    if (again === undefined || !isAs(again, cold)) return undefined;
    const isApart = await canRunApart([...labels.keys()], async (worlds) => {
      const once = await plain({ runner, ...how, tests: testsOf(worlds) });
      return once !== undefined && isAs(once, cold, worlds);
    });
    if (!isApart) tell('Some tests need others, so each run has all of them.');
    return { ...runners, plain: again, testsOf: isApart ? testsOf : () => undefined };
  });
  if (warm !== undefined) return warm;
  tell('The tests do not do the same when they run again in one Vitest, so each run starts it anew.');
  await runners.end();
  return undefined;
}

/** How faults are tried: by a runner that stays, with only their tests; and what is found once more as the command is. */
export function runsOf(
  warm: WarmCommand | undefined,
  run: (
    worlds: Record<string, object>,
    how: Pick<OnceOptions, 'limit' | 'runner' | 'tests'>,
  ) => Promise<Once | undefined>,
): SearchOptions['run'] {
  return (worlds, limit, isAgain) =>
    warm === undefined || isAgain
      ? run(worlds, { limit })
      : warm.lend((runner) => run(worlds, { limit, runner, tests: warm.testsOf(Object.keys(worlds)) }));
}

/**
 * Whether tests pass without others: those of the second half without the first one, and each without the one before it. What
 * needs a test that is still there is not seen; each finding is confirmed with all of them.
 */
async function canRunApart(
  worlds: readonly string[],
  doPass: (some: readonly string[]) => Promise<boolean>,
): Promise<boolean> {
  const parts = [
    worlds.slice(Math.ceil(worlds.length / 2)),
    worlds.filter((_, index) => index % 2 === 1),
    worlds.filter((_, index) => index % 2 === 0),
  ];
  for (const part of parts) if (part.length > 0 && !(await doPass(part))) return false;
  return true;
}

function isAs({ exitCode, worlds }: Once, cold: readonly [Once, Once], ids?: readonly string[]): boolean {
  const asked = ids ?? [...cold[0].worlds.keys()];
  return (
    exitCode === 0 &&
    asked.every((id) => worlds.has(id)) &&
    [...worlds].every(([id, { charged, requests }]) => {
      const like = cold.flatMap((once) => once.worlds.get(id) ?? []);
      const usual = new Set(like.flatMap((world) => world.requests.map(({ operation }) => operation)));
      return like.some((world) => world.charged === charged) && requests.every(({ operation }) => usual.has(operation));
    })
  );
}
