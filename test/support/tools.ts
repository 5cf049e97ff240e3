// Programs of the machine's own that some tests need: without them those are skipped, by name, but not in test:full.

import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { it } from 'vitest';

const run = promisify(execFile);

export interface Outcome {
  stdout: string;
  stderr: string;
}

/** Runs a program; rejects when it fails. */
export function runTool(name: string, args: readonly string[]): Promise<Outcome> {
  return run(name, args, { maxBuffer: 64 * 1_024 * 1_024 });
}

/** Whether a command line works here. */
export function works([command = '', ...args]: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** `it` for what needs something of the machine's: skipped where that is missing, but not in the full run. */
export function itWhere(isThere: boolean): typeof it.skip {
  return it.skipIf(!isThere && process.env.CLOUDEMU_TEST_FULL !== '1');
}

/** `it` for what needs programs. */
export function itNeeds(...names: string[]): typeof it.skip {
  return itWhere(names.every((name) => works(['sh', '-c', `command -v ${name}`])));
}
