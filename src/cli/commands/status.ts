// `cloudemu status`: what runs, and where.

import { formatDuration } from '../../core/duration.js';
import type { WorldInfo } from '../../tools/worlds/request.js';
import { nameOfCheckout } from '../checkout.js';
import { createClient } from '../client.js';
import { type Command, sharedFlag, target, targetOptions } from '../command.js';
import { namedValues } from '../layout.js';
import { printJson, tell } from '../print.js';
import { sharedRun } from '../shared.js';
import { findTarget, type TargetOptions } from '../target.js';

export const statusCommand: Command = {
  words: 'status',
  operation: 'control.health',
  describe: 'Show whether an emulator is running, and where',
  flags: { ...sharedFlag, ...target },
  examples: [
    ['status --json', 'for a script; exit code 1 if none is running'],
    ['status --shared', 'of the emulator that all directories share'],
  ],
  run: (values) => status(targetOptions(values)),
};

async function status(options: TargetOptions & { json: boolean }): Promise<void> {
  const found = await findTarget(options, options.shared === true ? 'emulator' : 'either');
  const health = await createClient(found).health();
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

function worldText(world: WorldInfo | undefined): string {
  if (world === undefined) return 'none of this directory yet: `cloudemu env` makes it';
  return `${world.id}, of ${nameOfCheckout(world)}`;
}
