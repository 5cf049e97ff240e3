// Temporary directories that killed processes have left: they go once another process makes one of the kind.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryStart } from '../../src/db/temporary-directory.js';

const { pid: endedPid } = spawnSync(process.execPath, ['-e', '0']);

function made(pid: number, at?: Date): string {
  const path = join(tmpdir(), `cloudemu-kind-${pid}-abcde${at === undefined ? 1 : 2}`);
  mkdirSync(path);
  if (at !== undefined) utimesSync(path, at, at);
  return path;
}

it('the temporary directories of processes that have ended are removed, of a former one with the same id too, and no others', () => {
  const ofEnded = made(endedPid);
  // The processes are as in containers, where each is the same number.
  const ofFormer = made(process.pid, new Date('2020-01-01T00:00:00Z'));
  const own = made(process.pid);
  const ofParent = made(process.ppid);
  const foreign = join(tmpdir(), `cloudemu-other-${endedPid}-abcdef`);
  mkdirSync(foreign);
  const path = mkdtempSync(temporaryStart('cloudemu-kind-'));
  expect([ofEnded, ofFormer, own, ofParent, foreign, path].map(existsSync)).toEqual([
    false,
    false,
    true,
    true,
    true,
    true,
  ]);
});

it('the lack of a place for temporary directories is reported by whoever makes one', () => {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = join(tmpdir(), 'gone');
  expect(() => mkdtempSync(temporaryStart('cloudemu-kind-'))).toThrow('ENOENT');
  process.env.TMPDIR = before;
});
