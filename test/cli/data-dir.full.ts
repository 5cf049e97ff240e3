// The data directory in a project: git does not see it, and what is the user's own is left alone.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCommand, tempDir } from '../support/command.js';

const it = test.concurrent;

const git = (cwd: string, ...args: string[]): string => execFileSync('git', args, { cwd, encoding: 'utf8' });

function repository(): string {
  const cwd = tempDir();
  git(cwd, 'init', '-q');
  return cwd;
}

it.each(['.cloudemu', 'a/b'])('the data directory %s is nothing that git sees', async (data) => {
  const cwd = repository();
  await startCommand(['--data-dir', data], { cwd });
  expect(git(cwd, 'status', '--porcelain', '--untracked-files=all')).toBe('');
  // For its owner alone to read.
  expect(statSync(join(cwd, data, '.gitignore')).mode & 0o777).toBe(0o600);
});

it('a data directory that is there already may hold files of the user, which git goes on to see', async () => {
  const cwd = repository();
  mkdirSync(join(cwd, 'data'));
  await startCommand(['--data-dir', 'data'], { cwd });
  expect(existsSync(join(cwd, 'data/.gitignore'))).toBe(false);
  expect(git(cwd, 'status', '--porcelain', '--untracked-files=all')).toContain('data/world.db');
});

it('the data directory of an emulator in memory is nothing that git sees, and is gone with it', async () => {
  const cwd = repository();
  const emulator = await startCommand(['--ephemeral'], { cwd });
  expect(git(cwd, 'status', '--porcelain', '--untracked-files=all')).toBe('');
  await emulator.end();
  expect(readdirSync(cwd)).toEqual(['.git']);
});
