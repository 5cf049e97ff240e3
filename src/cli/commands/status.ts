// `cloudemu status`: what runs, and where.

import { formatDuration } from '../../kernel/duration.js';
import { createClient, findTarget, type TargetOptions, Unreachable } from '../client.js';
import { fail, printJson, printLine, table } from '../print.js';

/** Shows the running emulator; exit code 1 when none answers. */
export async function status(options: TargetOptions & { json: boolean }): Promise<void> {
  const target = findTarget(options);
  try {
    const health = await createClient(target).health();
    const { run } = target;
    if (options.json) return printJson({ url: target.url, pid: run?.pid ?? null, dataDir: run?.dataDir ?? null, ...health });
    const rows: [string, string][] = [
      ['URL', target.url],
      ['Version', health.version],
      ['Up', formatDuration(health.uptimeMs)],
      ['Clock', `${health.clock.now}${health.clock.frozen ? ' (frozen)' : health.clock.speed === 1 ? '' : ` (speed ${health.clock.speed})`}`],
      ['Worlds', String(health.worlds)],
    ];
    if (run !== undefined) rows.push(['Process', String(run.pid)], ['Data', run.dataDir ?? 'in memory']);
    printLine(`cloudemu is ${health.status}.\n${table(rows)}`);
  } catch (error) {
    if (error instanceof Unreachable) fail(1, error.message);
    throw error;
  }
}
