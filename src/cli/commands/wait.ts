// `cloudemu wait`: until the emulator is ready, for scripts.

import { setTimeout as sleep } from 'node:timers/promises';
import { formatDuration, parseDuration } from '../../core/duration.js';
import { createClient } from '../client.js';
import { type Command, emulator, sharedFlag, targetOptions } from '../command.js';
import { fail, printJson, printLine } from '../print.js';
import { Unreachable } from '../refusal.js';
import { findTarget, type Target, type TargetOptions } from '../target.js';

export const waitCommand: Command = {
  words: 'wait',
  valueIs: 'timeout',
  describe: 'Wait until the emulator is ready',
  flags: {
    timeout: { type: 'string', default: '30s', describe: 'Longest time to wait: "30s" or "2m"', isDuration: true },
    ...sharedFlag,
    ...emulator,
  },
  examples: [['wait --timeout 10s', 'exit code 0 when ready, 1 after the timeout']],
  run: (values) => wait({ ...targetOptions(values), timeout: String(values.timeout) }),
};

const pauseMs = 50;
const answerMs = 5_000;
// Even the shortest patience lets a refusal come.
const leastMs = 500;

async function wait(options: TargetOptions & { json: boolean; timeout: string }): Promise<void> {
  const timeout = parseDuration(options.timeout);
  if (timeout === undefined) fail(2, `--timeout must be a duration such as "30s" or "2m", got "${options.timeout}"`);
  const startedAt = performance.now();
  for (;;) {
    const outcome = await look(
      options,
      Math.max(leastMs, Math.min(answerMs, timeout - (performance.now() - startedAt))),
    );
    const waitedMs = Math.round(performance.now() - startedAt);
    if (!(outcome instanceof Unreachable)) {
      return options.json
        ? printJson({ ready: true, url: outcome.url, waitedMs })
        : printLine(`Ready at ${outcome.url}.`);
    }
    if (waitedMs >= timeout) fail(1, `Not ready within ${formatDuration(timeout)}: ${outcome.message}`, outcome.facts);
    await sleep(Math.min(pauseMs, timeout - waitedMs));
  }
}

// The target is looked up each time: the run file appears when the emulator is there.
async function look(options: TargetOptions, timeoutMs: number): Promise<Target | Unreachable> {
  try {
    const target = await findTarget(options, options.shared === true ? 'emulator' : 'either');
    await createClient(target, Math.ceil(timeoutMs)).health();
    return target;
  } catch (error) {
    if (error instanceof Unreachable) return error;
    throw error;
  }
}
