// `cloudemu status`: what runs, and where.

import { formatDuration } from '../../core/duration.js';
import { createClient, findTarget, type TargetOptions } from '../client.js';
import { namedValues } from '../layout.js';
import { printJson, printLines } from '../print.js';

/** Shows the running emulator; exit code 1 when none answers. */
export async function status(options: TargetOptions & { json: boolean }): Promise<void> {
  const target = findTarget(options);
  const health = await createClient(target).health();
  const { run, url, local } = target;
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
  if (run !== undefined) rows.push(['Process', String(run.pid)], ['Data', run.dataDir ?? 'in memory']);
  printLines([`cloudemu is ${health.status}.`, ...namedValues(rows)]);
}
