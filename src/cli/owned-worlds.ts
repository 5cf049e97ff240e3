// The worlds of a shared emulator, by the directories that they are for: no directory gets the world of another one.

import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { request, textOf } from '../control/request.js';
import { readFoundText } from '../core/checkout-files.js';
import { parsedJson } from '../core/json.js';
import { hashSecret } from '../core/random.js';
import { identityOf, nearestWith } from '../core/root.js';
import { isTree } from '../core/tree.js';
import type { WorldInfo } from '../tools/worlds/request.js';
import { note } from './print.js';
import { Refused, Unreachable } from './refusal.js';
import type { Found } from './shared.js';

/** Where a shared emulator answers. */
type Place = Pick<Found, 'local' | 'token'>;

const usualMs = 5_000;

/**
 * The world of this directory and its branch; else, and it says so, that of another branch of it, the one that was used last.
 *
 * @param isNeeded whether it has to be there
 * @throws Unreachable where it is needed, and there is none
 */
export async function ownWorld(place: Place, isNeeded: boolean): Promise<WorldInfo | undefined> {
  const here = checkoutHere();
  const own = (await worldFor(place, here)) ?? (await ofOtherBranch(place, here));
  if (own !== undefined || !isNeeded) return own;
  throw new Unreachable(
    `The shared emulator at ${place.local} has no world of this directory yet, ${nameOfCheckout(here)}. \`cloudemu env\` makes it.`,
    { code: 'NO_WORLD', next: [['env']] },
  );
}

/** Whose a new world is that a command makes here. */
export function ofCheckout({ root, branch } = checkoutHere()): { checkout: { root: string; branch?: string } } {
  return { checkout: { root, ...(branch !== undefined && { branch }) } };
}

/** The world of a checkout. */
export async function worldFor(place: Place, checkout: Checkout): Promise<WorldInfo | undefined> {
  for (const id of worldIdsOf(checkout)) {
    const world = await worldOf(place, id);
    if (world?.root === checkout.root && world.branch === (checkout.branch ?? null)) return world;
  }
  return undefined;
}

async function ofOtherBranch(place: Place, here: Checkout): Promise<WorldInfo | undefined> {
  const [latest] = (await worldsOf(place))
    .filter(({ id, root, branch }) => {
      const then = { ...here, branch: branch ?? undefined };
      return root === here.root && worldIdsOf(then).includes(id);
    })
    .sort((a, b) => (b.usedAt ?? '').localeCompare(a.usedAt ?? ''));
  if (latest === undefined) return undefined;
  note(
    `note: this is the world ${latest.id} of ${nameOfCheckout({ root: here.root, branch: latest.branch ?? 'none' })}; now its branch is ${here.branch ?? 'none'}, and \`cloudemu env\` makes the world of that`,
  );
  return latest;
}

/**
 * The world of an id, if it is there.
 *
 * @throws Refused when it is for another directory
 */
export async function namedWorld(place: Place, id: string): Promise<WorldInfo | undefined> {
  const world = await worldOf(place, id);
  const { root } = checkoutHere();
  if (world === undefined || world.root === null || world.root === root) return world;
  throw new Refused(
    `The world ${id} belongs to ${world.root}, not to this directory, ${root}. \`cloudemu env\` gives the world of this one; --url ${place.local}/w/${id} or CLOUDEMU_URL means that one.`,
    { code: 'FOREIGN_WORLD', field: '--world', received: id, next: [['env'], ['world', 'list']] },
  );
}

async function worldOf(place: Place, id: string): Promise<WorldInfo | undefined> {
  const world = await read(place, `/w/${encodeURIComponent(id)}/_emulator/world`);
  return isTree(world) && world.id === id ? (world as unknown as WorldInfo) : undefined;
}

/** All worlds, however many pages of them there are. */
export async function worldsOf(place: Place): Promise<WorldInfo[]> {
  const all: WorldInfo[] = [];
  for (let after = ''; ; ) {
    const page = await read(place, `/_emulator/worlds${after && `?after=${encodeURIComponent(after)}`}`);
    const worlds = isTree(page) && Array.isArray(page.worlds) ? (page.worlds as WorldInfo[]) : [];
    all.push(...worlds);
    const last = worlds.at(-1)?.id ?? '';
    if (last === '' || last === after) return all;
    after = last;
  }
}

async function read({ local, token }: Place, path: string): Promise<unknown> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  try {
    const answer = await request(local + path, { method: 'GET', headers, signal: AbortSignal.timeout(usualMs) });
    return parsedJson(await textOf(answer));
  } catch {
    throw new Unreachable(`The shared emulator at ${local} does not answer.`, { code: 'NOT_ANSWERING' });
  }
}

// The checkout that a command runs in: its root directory, its branch, and the ids that its world in a shared emulator has.

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
