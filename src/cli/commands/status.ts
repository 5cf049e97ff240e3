// `cloudemu status`: what runs, and where; with --wait as soon as it is ready, for scripts.

import { setTimeout as sleep } from 'node:timers/promises';
import { formatDuration, parseDuration } from '../../core/duration.js';
import type { WorldInfo } from '../../tools/worlds/request.js';
import { createClient } from '../client.js';
import { command, sharedFlag, target, type ValuesOf } from '../command.js';
import { namedValues } from '../layout.js';
import { nameOfCheckout } from '../owned-worlds.js';
import { fail, failUsage, printJson, tell } from '../print.js';
import { Unreachable } from '../refusal.js';
import { sharedRun } from '../shared.js';
import { findTarget, type TargetOptions } from '../target.js';

const flags = {
  wait: { type: 'boolean', describe: 'Wait until it is ready' },
  timeout: { type: 'string', describe: 'Longest time to wait: "30s" or "2m"', byDefault: '30s', isDuration: true },
  ...sharedFlag,
  ...target,
} as const;

export const statusCommand = command({
  words: 'status',
  operation: 'control.health',
  valueIs: 'timeout',
  describe: 'Show whether an emulator is running, and where',
  flags,
  examples: [
    ['status --json', 'for a script; exit code 1 if none is running'],
    ['status --wait --timeout 10s', 'exit code 0 as soon as it is ready, 1 after the timeout'],
    ['status --shared', 'of the emulator that all directories share'],
  ],
  run: status,
});

async function status(options: ValuesOf<typeof flags>): Promise<void> {
  const { found, health } = options.wait ? await ready(options, options.timeout) : await ask(options);
  const { run, url, local, isShared, found: world } = found;
  const isWhole = options.shared === true;
  if (options.json) {
    const own = isShared && !isWhole ? { world: world?.id ?? null, branch: world?.branch ?? null } : {};
    return printJson({ url, ...own, pid: run?.pid ?? null, dataDir: run?.dataDir ?? null, ...health });
  }
  const { now, frozen, speed } = health.clock;
  const rows: [string, string][] = [['URL', url]];
  if (local !== url) rows.push(['Here', local]);
  rows.push(
    ['Version', health.version],
    ['Up', formatDuration(health.uptimeMs)],
    ['Clock', `${now}${frozen ? ' (frozen)' : speed === 1 ? '' : ` (speed ${speed})`}`],
    ['Worlds', String(health.worlds)],
  );
  if (isShared && !isWhole) rows.push(['World', worldText(world)]);
  const owner = isShared ? 'Shared, in' : 'Directory';
  rows.push([owner, health.identity?.root ?? 'unknown (an older version)']);
  const shared = isShared || found.isNamed ? undefined : sharedRun();
  if (shared !== undefined) rows.push(['Not used', `the shared emulator at ${shared.url}`]);
  if (run !== undefined) rows.push(['Process', String(run.pid)], ['Data', run.dataDir ?? 'in memory']);
  tell(...[`cloudemu is ${health.status}.`, ...namedValues(rows)]);
}

async function ask(options: TargetOptions, timeoutMs?: number) {
  const found = await findTarget(options, options.shared === true ? 'emulator' : 'either');
  return { found, health: await createClient(found, timeoutMs).health() };
}

const pauseMs = 50;
const answerMs = 5_000;
// Even the shortest patience lets a refusal come.
const leastMs = 500;

// The target is looked up each time: the run file appears when the emulator is there.
async function ready(options: TargetOptions, patience = '30s') {
  const timeout = parseDuration(patience);
  if (timeout === undefined)
    failUsage({ field: '--timeout', meant: 'a duration such as "30s" or "2m"', received: patience });
  const startedAt = performance.now();
  for (;;) {
    const waited = performance.now() - startedAt;
    try {
      return await ask(options, Math.ceil(Math.max(leastMs, Math.min(answerMs, timeout - waited))));
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      const left = timeout - (performance.now() - startedAt);
      if (left <= 0) fail(1, `Not ready within ${formatDuration(timeout)}: ${error.message}`, error.facts);
      await sleep(Math.min(pauseMs, left));
    }
  }
}

function worldText(world: WorldInfo | undefined): string {
  if (world === undefined) return 'none of this directory yet: `cloudemu env` makes it';
  return `${world.id}, of ${nameOfCheckout(world)}`;
}
