// The checkout that a command runs in: its root directory, its branch, and the ids that its world in a shared emulator has.

import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readFoundText } from '../core/checkout-files.js';
import { hashSecret } from '../core/random.js';
import { identityOf, nearestWith } from '../core/root.js';

/** A root directory and what is checked out in it. */
export interface Checkout {
  /** The real path of the root directory. */
  root: string;
  /** The name of the directory. */
  name: string;
  /** Its branch, `(detached)` where a commit is checked out; undefined: no version control. */
  branch: string | undefined;
}

/** The checkout of the working directory. */
export function checkoutHere(): Checkout {
  const { root, name } = identityOf(process.cwd());
  return { root, name, branch: branchOf(root) };
}

/** The branch of a commit that is checked out by itself. */
export const detached = '(detached)';

/** The branch that is checked out in a directory, read from the files of git: that works without git, too. */
export function branchOf(directory: string): string | undefined {
  const top = nearestWith(['.git'], directory);
  const dir = top === undefined ? undefined : gitDirOf(join(top, '.git'));
  const head = dir === undefined ? undefined : firstLine(join(dir, 'HEAD'));
  if (dir === undefined || head === undefined) return undefined;
  const branch = branchIn(head);
  // Repositories with another format of references say so in this way.
  if (branch === '.invalid') return branchIn(`ref: ${headByGit(directory)}`) ?? detached;
  // A rebase takes the branch off for its time.
  const rebased = ['rebase-merge', 'rebase-apply'].map((name) =>
    branchIn(`ref: ${firstLine(join(dir, name, 'head-name'))}`),
  );
  return branch ?? rebased.find((one) => one !== undefined) ?? detached;
}

function branchIn(head: string): string | undefined {
  return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
}

// In a worktree or a submodule, .git is a file that names the directory.
function gitDirOf(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return path;
  const named = /^gitdir: (.+)$/.exec(firstLine(path) ?? '')?.[1];
  return named === undefined ? undefined : resolve(join(path, '..'), named);
}

const mostHead = 64 * 1_024;

function firstLine(file: string): string | undefined {
  try {
    return readFoundText(file, mostHead).split(/\r?\n/, 1)[0];
  } catch {
    return undefined;
  }
}

function headByGit(directory: string): string {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    return execFileSync('git', ['symbolic-ref', 'HEAD'], {
      cwd: directory,
      encoding: 'utf8',
      stdio: [...stdio],
    }).trim();
  } catch {
    return '';
  }
}

const longest = 63;
const hashLength = 8;

/**
 * The ids that the world of a checkout can have, the preferred one first: DNS labels of at most 63 characters. The other
 * one, with a hash of directory and branch, is for when that of another checkout has the first.
 *
 * @example worldIdsOf({ root: '/home/ann/shop', name: 'shop', branch: 'fix/cart' })[0] // 'shop-fix-cart'
 */
export function worldIdsOf({ root, name, branch }: Checkout): readonly [string, string] {
  const plain = slugOf(branch === undefined ? name : `${name}-${branch}`);
  const hash = hashSecret(`${root}\0${branch ?? ''}`).slice(0, hashLength);
  const cut = plain.slice(0, longest - hashLength - 1).replace(/-$/, '');
  const hashed = cut === '' ? `w-${hash}` : `${cut}-${hash}`;
  return [plain === '' || plain === 'default' || plain.length > longest ? hashed : plain, hashed];
}

function slugOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** Directory and branch, for people. */
export function nameOfCheckout({ root, branch }: { root: string | null; branch?: string | null | undefined }): string {
  if (root === null) return 'no directory';
  return branch === undefined || branch === null ? root : `${root} (branch ${branch.replace(/^\((.*)\)$/, '$1')})`;
}
