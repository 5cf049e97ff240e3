// The beginning and the end of every test file. Files share their modules, so hooks belong here and not into the modules.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { afterAll, afterEach } from 'vitest';
import { runsOf } from './campaign.js';
import { endCommands } from './command.js';
import { closeEmulators, closeShared } from './emulator.js';
import { testSeed } from './seed.js';
import { closeServed } from './served.js';

fc.configureGlobal({ seed: testSeed, numRuns: runsOf(100) });

// A temporary folder for each file: what a test looks for in it is its own, though others run at the same time. A file
// whose tests are all skipped never reaches its end, so the next one must not begin in that one's folder.
process.env.TEST_TMPDIR ??= tmpdir();
const shared = process.env.TEST_TMPDIR;
const own = mkdtempSync(join(shared, 'cloudemu-test-'));
process.env.TMPDIR = own;

// As where it is installed for the machine: printed commands then begin with its name alone.
const bin = fileURLToPath(new URL('bin', import.meta.url));
if (process.env.PATH?.startsWith(bin) !== true) process.env.PATH = `${bin}${delimiter}${process.env.PATH ?? ''}`;

afterEach(closeEmulators);
afterAll(async () => {
  await closeShared();
  await endCommands();
  await closeServed();
  process.env.TMPDIR = shared;
  removeAll(own);
});

// A killed process may still be writing; rmSync alone would not look for its files again.
function removeAll(folder: string): void {
  for (let left = 10; existsSync(folder); left--) {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}
