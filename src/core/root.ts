// The directory to which an emulator belongs, and in which it keeps what no setting places elsewhere.

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { memoizeMany } from './memoize-last.js';
import { hashSecret } from './random.js';

export const configFileName = 'emulator.config.json';

const marks = [configFileName, 'package.json', '.git'];

/** The nearest directory, upwards from one, that holds something of these names. */
export function nearestWith(names: readonly string[], from: string): string | undefined {
  for (let directory = resolve(from); ; directory = dirname(directory)) {
    if (names.some((name) => existsSync(join(directory, name)))) return directory;
    if (dirname(directory) === directory) return undefined;
  }
}

/** The nearest directory, upwards from one, that has what makes it a root. */
export function nearestMark(from: string): string | undefined {
  return nearestWith(marks, from);
}

/**
 * The root directory of a directory, as its real path: the nearest one upwards that has `emulator.config.json`,
 * `package.json` or `.git`, else the directory itself.
 *
 * @example rootOf('/home/ann/shop/src') // '/home/ann/shop'
 */
export function rootOf(directory: string): string {
  const real = realPath(directory);
  return nearestWith(marks, real) ?? real;
}

/** To whom an emulator belongs. */
export interface Identity {
  /** The real path of its root directory. */
  root: string;
  /** Its name, which fits into a header. */
  name: string;
  /** Whether it serves many directories. */
  shared: boolean;
}

/** The identity of an emulator that starts in a directory. */
export function identityOf(directory: string): Identity {
  const root = rootOf(directory);
  return { root, name: nameOf(root), shared: false };
}

const longestName = 63;

// A directory may have any name, also one without a letter of ASCII; a header has no other ones.
function nameOf(root: string): string {
  const plain = basename(root)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, longestName);
  return /[A-Za-z0-9]/.test(plain) ? plain : `root-${hashSecret(root).slice(0, 8)}`;
}

function realPath(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return resolve(directory);
  }
}

// Asked for with each request for a model: a process stays with the root that it began with.
const rootOnce = memoizeMany(10, rootOf);

/** A path in the root directory of the working directory. */
export function inRoot(path: string): string {
  return join(rootOnce(process.cwd()), path);
}
