// Killing the process at any moment under load: nothing acknowledged is lost, the ledger adds up, no request id comes
// twice, and whatever is counted is counted exactly.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startCommand, tempDir } from './support/command.js';
import { differences, ledgerProblems, nothingYet, unlimited, useUntilItDies } from './support/crash.js';

const runs = 200;
const writers = 8;
// Each lists all containers at times.
const runsPerWorld = 20;

it(`holds over ${runs} kills under ${writers} concurrent writers`, async () => {
  let answers = 0;
  for (let first = 0; first < runs; first += runsPerWorld) {
    const seed = `crash-${first}`;
    const dir = tempDir();
    const start = () => startCommand(['--quiet', '--frozen', '--seed', seed], { cwd: dir, env: unlimited });
    const known = nothingYet();
    let emulator = await start();
    for (let run = first; run < first + runsPerWorld; run++) {
      // Where in the load it dies differs from run to run: after a number of answers, with others under way.
      let left = 3 + ((run * 37) % 60);
      const load = Array.from({ length: writers }, (_, writer) =>
        useUntilItDies(emulator, `r${run}w${writer}`, known, () => {
          answers++;
          if (--left === 0) emulator.child.kill('SIGKILL');
        }),
      );
      await Promise.all(load);
      await emulator.end('SIGKILL');
      expect(ledgerProblems(join(dir, '.cloudemu', 'world.db'))).toEqual([]);
      emulator = await start();
      expect(await differences(emulator, seed, known)).toEqual([]);
    }
    expect(known.containers.size).toBeGreaterThan(runsPerWorld);
    await emulator.end('SIGKILL');
  }
  expect(answers).toBeGreaterThan(runs * 20);
});
