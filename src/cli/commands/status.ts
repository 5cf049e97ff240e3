// `cloudemu status`: what runs, and where.

import { formatDuration } from '../../core/duration.js';
import { createClient, findTarget, type TargetOptions } from '../client.js';
import { type Command, target, targetOptions } from '../command.js';
import { namedValues } from '../layout.js';
import { printJson, printLines } from '../print.js';

export const statusCommand: Command = {
  words: 'status',
  operation: 'control.health',
  describe: 'Show whether an emulator is running, and where',
  flags: target,
  examples: [['status --json', 'for a script; exit code 1 if none is running']],
  run: (values) => status(targetOptions(values)),
};

async function status(options: TargetOptions & { json: boolean }): Promise<void> {
  const found = findTarget(options);
  const health = await createClient(found).health();
  const { run, url, local } = found;
  if (options.json) return printJson({ url, pid: run?.pid ?? null, dataDir: run?.dataDir ?? null, ...health });
  const { now, frozen, speed } = health.clock;
  const rows: [string, string][] = [['URL', url]];
  if (local !== url) rows.push(['Here', local]);
  rows.push(
    ['Version', health.version],
    ['Up', formatDuration(health.uptimeMs)],
    ['Clock', `${now}${frozen ? ' (frozen)' : speed === 1 ? '' : ` (speed ${speed})`}`],
    ['Worlds', String(health.worlds)],
  );
  rows.push(['Directory', health.identity?.root ?? 'unknown (an older version)']);
  if (run !== undefined) rows.push(['Process', String(run.pid)], ['Data', run.dataDir ?? 'in memory']);
  printLines([`cloudemu is ${health.status}.`, ...namedValues(rows)]);
}
