// Killing the process while its disk is full: what could not be stored was refused, and what was answered is there.

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startCommand, tempDir } from '../support/command.js';
import { differences, ledgerProblems, nothingYet, unlimited, useUntilItDies } from './support/crash.js';

const runs = 50;
const seed = 'full';

// A file system of its own, which nobody else fills: for that one has to be root, on Linux.
const disk = mounted();
afterAll(() => {
  if (disk !== undefined) execFileSync('umount', ['--lazy', disk]);
});

function mounted(): string | undefined {
  const dir = join(tempDir(), 'disk');
  mkdirSync(dir);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'cloudemu-test', dir], { stdio: 'ignore' });
    return dir;
  } catch {
    return undefined;
  }
}

/** Leaves so many bytes of the disk, or fewer where the emulator writes at the same time. */
function fill(dir: string, left: number): void {
  const { bavail, bsize } = statfsSync(dir);
  try {
    writeFileSync(join(dir, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - left)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

test.skipIf(disk === undefined)(
  `the emulator keeps what it acknowledged over ${runs} kills under a full disk (needs mount)`,
  async () => {
    const dir = disk ?? '';
    const start = () => startCommand(['--quiet', '--frozen', '--seed', seed], { cwd: dir, env: unlimited });
    const known = nothingYet();
    let emulator = await start();
    for (let run = 0; run < runs; run++) {
      fill(dir, ((run * 53) % 200) * 1_024);
      let left = 3 + ((run * 7) % 20);
      let answers = 0;
      const load = Array.from({ length: 8 }, (_, writer) =>
        useUntilItDies(emulator, `r${run}w${writer}`, known, (status) => {
          answers++;
          // Some runs die long after the disk has become full, and what is read then is counted as well.
          if ((status === 503 || answers > 600) && --left === 0) emulator.child.kill('SIGKILL');
        }),
      );
      await Promise.all(load);
      await emulator.end('SIGKILL');
      rmSync(join(dir, 'filler'), { force: true });
      expect(ledgerProblems(join(dir, '.cloudemu', 'world.db'))).toEqual([]);
      emulator = await start();
      expect(await differences(emulator, seed, known)).toEqual([]);
    }
    expect(known.notStored).toBeGreaterThan(runs);
    expect(known.containers.size).toBeGreaterThan(runs);
    await emulator.end('SIGKILL');
  },
);
