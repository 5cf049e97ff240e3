// `cloudemu wait`: until the emulator is ready, for scripts.

import { setTimeout as sleep } from 'node:timers/promises';
import { formatDuration, parseDuration } from '../../kernel/duration.js';
import { createClient, findTarget, type TargetOptions } from '../client.js';
import { fail, printJson, printLine } from '../print.js';

const pauseMs = 50;

/** Polls health; exit code 0 when ready, 1 when not in time. */
export async function wait(options: TargetOptions & { json: boolean; timeout: string }): Promise<void> {
  const timeout = parseDuration(options.timeout);
  if (timeout === undefined) fail(2, `--timeout must be a duration: "30s", "2m" or milliseconds, got "${options.timeout}"`);
  const startedAt = performance.now();
  for (;;) {
    // Looked up each time: the run file appears when the emulator is there.
    const target = findTarget(options);
    const health = await createClient(target).health().catch(() => undefined);
    const waitedMs = Math.round(performance.now() - startedAt);
    if (health?.status === 'ready') {
      return options.json ? printJson({ ready: true, url: target.url, waitedMs }) : printLine(`Ready at ${target.url}.`);
    }
    if (waitedMs >= timeout) fail(1, `No emulator was ready at ${target.url} (found by ${target.from}) within ${formatDuration(timeout)}.`);
    await sleep(pauseMs);
  }
}
