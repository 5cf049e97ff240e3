// One run of the test command against an emulator of its own, with faults in its worlds, and what its worlds showed.

import { setTimeout as sleep } from 'node:timers/promises';
import { runEmulator } from '../../app/emulator.js';
import { allWorlds, receiptOfWorld } from '../../app/receipts.js';
import type { Config } from '../../config/schema.js';
import { type SeenWorld, seenWorld } from '../../tools/explore/seen.js';
import type { JournalEntry } from '../../tools/journal/journal-entry.js';
import type { WorldReceipt } from '../../tools/receipt/world-receipt.js';
import type { ScenarioInput } from '../../tools/scenarios/schema.js';
import { openTestWorlds, variablesOf } from '../test-worlds.js';
import { keptRequests, showingCauses } from '../tested-command.js';
import { createWatch, type RunLimit, usualRunLimit } from './run-limit.js';
import { coldRunner, type Runner, type Runners, warmRunners } from './warm.js';

export interface OnceOptions {
  config: Config;
  command: readonly string[];
  /** The document of the scenario, with additions to worlds. */
  scenario: object;
  limit?: RunLimit | undefined;
  /** Each test of a runner that can be told so gets a world of its own. */
  worldPerTest: boolean;
  /** By default the command is started anew. */
  runner?: Runner | undefined;
  /** Ends it. */
  interrupted: AbortSignal;
  /** Receives what a world has answered. */
  onAnswers?: (answers: readonly WorldAnswer[]) => void;
}

/** An answer to a request of the client. */
export type WorldAnswer = Pick<JournalEntry, 'operation' | 'status' | 'responseBody'>;

/** What one run has shown. */
export type Once = NonNullable<Awaited<ReturnType<typeof runOnce>>>;

/** The number of characters of the output that are kept. */
const keptOutput = 2_000_000;
const settlingMs = 30;
/** A world that was in use for that part of the limit has used it up: commands take a while to start. */
const mostOfLimit = 0.5;

/**
 * @returns undefined where it was interrupted: what its worlds show then is no effect of faults
 * @throws NotStarted, ConfigError (scenario)
 */
export async function runOnce(options: OnceOptions) {
  const { config, scenario, command, limit, worldPerTest, interrupted, onAnswers } = options;
  const { runner = coldRunner(command) } = options;
  const worlds = new Map<string, SeenWorld>();
  const receipts: WorldReceipt[] = [];
  let output = '';
  let killed: { at: number; ids: readonly string[] } | undefined;
  const watch = createWatch(limit);
  const listed = () => allWorlds(plane.controlsOf('default'));
  const look = (id: string): void => {
    // If a test is tried again, its first attempt counts.
    if (worlds.has(id)) return;
    const controls = plane.controlsOf(id);
    const world = { id, label: controls.worlds.get(id).label };
    if (limit === undefined) receipts.push(receiptOfWorld(world, controls));
    const { requests, total } = controls.requests.list({ limit: keptRequests });
    onAnswers?.(requests);
    const seen = seenWorld(world, {
      requests,
      streams: controls.streams.list(),
      total,
      // The content of the scenario was not bought by the client: expectations do not count it either.
      ledger: controls.ledger().filter(({ type, requestId }) => type !== 'charge' || requestId !== 'scenario'),
      payments: controls.payments.list(),
      containers: controls.containers.list(),
      holdings: emulator.holdingsOf(id),
      verdicts: controls.verdicts().verdicts,
      expectations: controls.scenarios.expectations().expectations,
      faults: controls.faults.list(),
      operations: controls.coverage().operations,
    });
    worlds.set(id, seen);
  };
  const emulator = await runEmulator({
    config: { ...config, server: { ...config.server, port: runner.port ?? config.server.port } },
    scenario: scenario as ScenarioInput,
    onWorldEnd: look,
    keeping: 'nothing',
    isForItself: true,
    onRequest: watch.request,
  });
  const plane = await emulator.controlPlane();
  const { url, apiKey } = emulator;
  runner.port = Number(new URL(url).port);
  const own: NodeJS.ProcessEnv = { ...process.env, ...showingCauses(command), NO_COLOR: '1', FORCE_COLOR: undefined };
  const given = { baseUrl: config.env.baseUrl, seed: String(config.seed), env: own };
  const tests = worldPerTest ? await openTestWorlds(emulator, plane, given) : undefined;
  const begun = performance.now();
  try {
    if (interrupted.aborted) return undefined;
    const exitCode = await runner.run({
      env: { ...own, ...variablesOf(url, config.env, apiKey), ...tests?.env },
      aside: true,
      graceMs: 1_000,
      onOutput(text) {
        watch.output();
        if (output.length < keptOutput) output += text;
      },
      ...watch.limit,
      onLimit() {
        const isUsed = (id: string): boolean => tests?.ids.includes(id) !== true || tests.current.has(id);
        killed = { at: Date.now(), ids: listed().flatMap(({ id }) => (isUsed(id) ? [id] : [])) };
      },
    });
    if (interrupted.aborted) return undefined;
    const seconds = (performance.now() - begun) / 1_000;
    await sleep(settlingMs);
    for (const { id } of listed()) look(id);
    const since = (killed?.at ?? 0) - watch.usedUpMs() * mostOfLimit;
    const open = new Set(killed?.ids);
    const stuck = new Set(killed?.ids.filter((id) => (worlds.get(id)?.from ?? Infinity) <= since));
    // The default world is there in every run, and some tests send nothing, or make a world themselves.
    const apart = tests?.ids ?? [];
    for (const id of ['default', ...apart]) if (worlds.get(id)?.total === 0) worlds.delete(id);
    const separated = tests?.isMixed === true ? undefined : apart.filter((id) => worlds.has(id)).length;
    return {
      exitCode,
      isTimeout: killed !== undefined,
      /** Wall time at which it was killed. */
      killedAt: killed?.at,
      output,
      seconds,
      /** The longest time in which it did not get on: no request ended, nothing was printed. */
      gapMs: watch.longestGapMs(),
      /** By their ids. */
      worlds,
      /** Worlds that were in use when the command was killed. */
      open,
      /** Those of them that were so for the time of the limit. */
      stuck,
      /** How many tests used a world that they got without a fixture; undefined: some ran at the same time in one process. */
      separated,
      /** Of a run without a limit, which has no faults: what its worlds have seen. */
      receipts,
    };
  } finally {
    tests?.close();
    await emulator.close();
  }
}

// The command without faults, twice: what differs between the two runs is not tried; and twice in a runner that stays.

/**
 * Runs it with a world for each test first. Tests that need what others leave behind fail so: they share one.
 *
 * @param plain runs the command
 * @param jobs how many runs at a time
 * @returns both runs, and whether each test had a world of its own without a fixture; undefined: it was interrupted
 */
export async function runTwice(
  plain: (worldPerTest: boolean) => Promise<Once | undefined>,
  jobs: number,
): Promise<{ runs: readonly [Once, Once]; worldPerTest: boolean } | undefined> {
  for (const worldPerTest of [true, false]) {
    const one = (): Promise<Once | undefined> => plain(worldPerTest);
    const [first, second] = jobs > 1 ? await Promise.all([one(), one()]) : [await one(), await one()];
    if (first === undefined || second === undefined) return undefined;
    const runs = [first, second] as const;
    const isSound = runs.every(({ exitCode, separated = 0 }) => exitCode === 0 && separated > 1);
    if (!worldPerTest || isSound) return { runs, worldPerTest };
    // Where no test used the world that it was given, they have been as they are without.
    if (runs.every(({ separated }) => separated === 0)) return { runs, worldPerTest: false };
  }
  return undefined;
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
