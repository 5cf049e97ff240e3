// What every test file begins and ends with. Files share their modules, so hooks belong here and not into the modules.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, afterEach } from 'vitest';
import { runsOf } from './campaign.js';
import { endCommands } from './command.js';
import { closeEmulators, closeShared } from './emulator.js';
import { testSeed } from './seed.js';
import { closeServed } from './served.js';

fc.configureGlobal({ seed: testSeed, numRuns: runsOf(100) });

// A temporary folder for each file: what a test looks for in it is its own, though others run at the same time.
const shared = tmpdir();
const own = mkdtempSync(join(shared, 'cloudemu-test-'));
process.env.TMPDIR = own;

afterEach(closeEmulators);
afterAll(async () => {
  await closeShared();
  await endCommands();
  await closeServed();
  process.env.TMPDIR = shared;
  // What a killed process was writing may still come.
  rmSync(own, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});
