// Killing the process at any moment under load: nothing acknowledged is lost, the ledger adds up, and no request id comes
// twice.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startCommand, tempDir } from '../support/command.js';
import { differences, ledgerProblems, nothingYet, unlimited, useUntilItDies } from './support/crash.js';

const runs = 60;
const writers = 8;
// Writers list all containers at times.
const runsPerWorld = 20;

const worlds = Array.from({ length: runs / runsPerWorld }, (_, world) => world);

it.each(worlds)(
  `the emulator keeps what it acknowledged over ${runsPerWorld} kills under ${writers} concurrent writers, world %i`,
  async (world) => {
    const seed = `crash-${world}`;
    const dir = tempDir();
    const start = () => startCommand(['--quiet', '--frozen', '--seed', seed], { cwd: dir, env: unlimited });
    const known = nothingYet();
    let answers = 0;
    let emulator = await start();
    for (let run = world * runsPerWorld; run < (world + 1) * runsPerWorld; run++) {
      // The moment of death in the load differs from run to run: after a number of answers, with others under way.
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
    expect(answers).toBeGreaterThan(runsPerWorld * 20);
    expect(known.containers.size).toBeGreaterThan(runsPerWorld * 10);
    await emulator.end('SIGKILL');
  },
);
