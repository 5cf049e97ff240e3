// `cloudemu stop`: ends the emulator that the run file names, or that is found without one.

import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../client.js';
import { command, emulator, sharedFlag, type ValuesOf } from '../command.js';
import { fail, printJson, printLine } from '../print.js';
import { Refused, Unreachable } from '../refusal.js';
import {
  emulatorAt,
  isAlive,
  type LostEmulator,
  type RunFile,
  readRunFile,
  runningEmulator,
  startedWith,
} from '../run-file.js';
import { sharedRun } from '../shared.js';
import { findTarget, rootOf, type Target, type TargetOptions } from '../target.js';

const patienceMs = 5_000;

const flags = { ...sharedFlag, ...emulator };

export const stopCommand = command({
  words: 'stop',
  describe: 'Stop the running emulator',
  flags,
  examples: [
    ['stop', 'stops the emulator of this directory; exit code 1 if none is running'],
    ['stop --url http://127.0.0.1:4748', 'stops the one that listens there, whoever started it'],
    ['stop --shared', 'stops the one that all directories share; its worlds are there again when it starts'],
  ],
  run: stop,
});

async function stop(options: ValuesOf<typeof flags>): Promise<void> {
  const { pid, url } = await findProcess(options);
  await end(pid);
  if (options.json) printJson({ stopped: true, pid, url });
  else printLine(`Stopped the emulator at ${url} (pid ${pid}).`);
}

async function findProcess(options: TargetOptions): Promise<LostEmulator> {
  if (options.shared === true && sharedRun() === undefined) {
    const lost = await runningEmulator(true, options.token);
    if (lost !== undefined) return lost;
  }
  const dir = options['data-dir'];
  if (dir !== undefined && readRunFile(dir) === undefined) {
    const lost = await startedWith(dir, options.token);
    if (lost !== undefined) return lost;
  }
  const found = await findTarget(options, 'emulator');
  // CLOUDEMU_URL may name a world; what ends is the emulator.
  const target = { ...found, url: rootOf(found.url), local: rootOf(found.local) };
  const { run, isShared, isNamed, local, token } = target;
  const isOther = isShared && options.shared !== true;
  if (run !== undefined && !isOther) {
    await demandIdentity(target, run);
    return run;
  }
  const lost = isNamed ? await emulatorAt(local, token) : await runningEmulator(false, token);
  if (lost !== undefined) return lost;
  // It serves other directories too.
  if (isOther)
    fail(
      1,
      `No emulator of this directory runs. The one at ${local} is shared: \`cloudemu stop --shared\` stops it for all directories.`,
      { code: 'NOT_RUNNING', next: [['status', '--shared']] },
    );
  await createClient(target).health();
  return fail(
    1,
    `An emulator answers at ${target.url}, but no process of yours on this machine listens there: end it where it was started.`,
    { code: 'FOREIGN_EMULATOR', next: [['status', '--url', target.url]] },
  );
}

// Sends SIGTERM and waits until the process is gone.
async function end(pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH') fail(1, `Process ${pid} cannot be ended (${code}): another user's?`);
  }
  const deadline = performance.now() + patienceMs;
  while (isAlive(pid) && performance.now() < deadline) await sleep(20);
  if (isAlive(pid)) fail(1, `Process ${pid} did not end within ${patienceMs / 1_000} s. \`kill -9 ${pid}\` ends it.`);
}

// After a crash the process id may belong to any other program by now, and the port to another emulator, whose key may be
// the same.
async function demandIdentity(target: Target, run: RunFile): Promise<void> {
  try {
    if ((await createClient(target).health()).instance === run.instance) return;
  } catch (error) {
    if (!(error instanceof Unreachable) || error instanceof Refused) throw error;
  }
  fail(
    1,
    `Nothing was ended: process ${run.pid} of the run file does not answer at ${run.local} as that emulator. If it is the emulator, \`kill ${run.pid}\` ends it.`,
    { code: 'FOREIGN_EMULATOR' },
  );
}
