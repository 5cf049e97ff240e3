// Programs of the machine's own that some tests need: without them those are skipped, by name, but not in test:full.

import { execFile, execFileSync } from 'node:child_process';
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

/** A test that needs programs. */
export function itNeeds(...names: string[]): typeof it | typeof it.skip {
  const missing = names.filter((name) => !isThere(name));
  return missing.length === 0 || process.env.CLOUDEMU_TEST_FULL === '1' ? it : it.skip;
}

function isThere(name: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`]);
    return true;
  } catch {
    return false;
  }
}
