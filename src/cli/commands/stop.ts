// `cloudemu stop`: ends the emulator that the run file names.

import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, findTarget, type TargetOptions } from '../client.js';
import { fail, printJson, printLine } from '../print.js';
import { isAlive } from '../run-file.js';

const patienceMs = 5_000;

/** Sends SIGTERM and waits until the process is gone. */
export async function stop(options: TargetOptions & { json: boolean }): Promise<void> {
  const { run, url, from } = findTarget(options);
  if (run === undefined) {
    const answers = await createClient({ url, from, run, token: options.token }).health().then(() => true, () => false);
    fail(
      1,
      answers
        ? `An emulator answers at ${url}, but no run file of this directory names it: end it where it was started, or name its --data-dir.`
        : `No emulator runs here (looked at ${url}, found by ${from}).`,
    );
  }
  process.kill(run.pid, 'SIGTERM');
  const deadline = performance.now() + patienceMs;
  while (isAlive(run.pid) && performance.now() < deadline) await sleep(20);
  if (isAlive(run.pid)) fail(1, `Process ${run.pid} did not end within ${patienceMs / 1_000} s.`);
  if (options.json) printJson({ stopped: true, pid: run.pid, url: run.url });
  else printLine(`Stopped the emulator at ${run.url} (pid ${run.pid}).`);
}
