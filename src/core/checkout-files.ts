// What lies in a checkout is a stranger's: a link may lead anywhere, a file be a pipe, a device, or of any size. One function
// opens such a file, and one tells whether what is written lands where its name says. What lies elsewhere a person has named by
// a flag or a variable: the settings of a checkout name nothing outside.

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { inRoot, nearestMark } from './root.js';

/** A path that is not what its name says, or a file that is not one. */
export class UnsafePath extends Error {
  /** Why, in words that begin after its name and a colon. */
  readonly reason: string;

  constructor(path: string, reason: string) {
    super(`${path}: ${reason}`);
    this.name = 'UnsafePath';
    this.reason = reason;
  }
}

/**
 * The real root of the checkout of the working directory, or of one around it, in which a path lies by its name.
 *
 * @returns undefined: it lies elsewhere
 */
export function checkoutOf(path: string): string | undefined {
  const here = process.cwd();
  const shared = commonDirectory(here, resolve(path));
  const root = shared === here ? inRoot('.') : nearestMark(shared);
  return root === undefined || dirname(root) === root ? undefined : root;
}

function commonDirectory(directory: string, path: string): string {
  let common = directory;
  while (!isBelow(path, common) && dirname(common) !== common) common = dirname(common);
  return common;
}

/** Whether a path is a directory, or lies below it, by its name. */
export function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** The most that settings, scenarios, replies, receipts and the like may hold. */
export const mostText = 4 * 1_024 * 1_024;

// Windows has neither.
const { O_NONBLOCK = 0, O_NOFOLLOW = 0, O_NOCTTY = 0 } = constants as Partial<typeof constants>;

/**
 * Opens a regular file for reading, which in a checkout lies in it.
 *
 * @throws UnsafePath; Error with the system's code when it cannot be opened
 */
export function openFound(file: string): { handle: number; size: number } {
  const path = resolve(file);
  const real = realpathSync(path);
  const root = checkoutOf(path);
  if (root !== undefined && !isBelow(real, root))
    throw new UnsafePath(file, `is a link to ${real}, outside of ${root}: only files in it are read`);
  // Opening a pipe would wait for its writer.
  const handle = openSync(real, constants.O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
  try {
    const stats = fstatSync(handle);
    if (stats.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
    if (!stats.isFile()) throw new UnsafePath(file, 'must be a regular file, is a device, a pipe or a socket');
    return { handle, size: stats.size };
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

/**
 * The bytes of a regular file, which in a checkout lies in it.
 *
 * @throws UnsafePath; Error with the system's code when it cannot be read
 */
export function readFound(file: string, most = mostText): Buffer {
  const { handle, size } = openFound(file);
  try {
    if (size > most) throw tooLarge(file, most);
    return readAtMost(file, handle, most);
  } finally {
    closeSync(handle);
  }
}

/** The text of one, without the mark of its byte order. */
export function readFoundText(file: string, most = mostText): string {
  return readFound(file, most)
    .toString()
    .replace(/^\uFEFF/, '');
}

/**
 * The text of what a person names on the command line: outside of a checkout it may be a pipe.
 *
 * @param file its path, or the number of an open file
 */
export function readNamedText(file: string | 0, most: number): string {
  if (file !== 0 && checkoutOf(file) !== undefined) return readFoundText(file, most);
  const handle = file === 0 ? 0 : openSync(file, 'r');
  try {
    return readAtMost(file === 0 ? 'What was piped in' : file, handle, most)
      .toString()
      .replace(/^\uFEFF/, '');
  } finally {
    if (handle !== 0) closeSync(handle);
  }
}

/**
 * The same, piece by piece: each lies where the one before it lay.
 *
 * @throws UnsafePath; Error with the system's code when it cannot be read
 */
export function* piecesOf(file: string, most: number): Generator<Buffer> {
  const handle = checkoutOf(file) === undefined ? openSync(file, 'r') : openFound(file).handle;
  try {
    const piece = Buffer.allocUnsafe(pieceBytes);
    yield* readPieces(file, { handle, most }, () => piece);
  } finally {
    closeSync(handle);
  }
}

const pieceBytes = 256 * 1_024;

// Whatever size the file says to have: it may grow, and those of /proc say 0.
function readAtMost(file: string, handle: number, most: number): Buffer {
  return Buffer.concat([...readPieces(file, { handle, most }, () => Buffer.allocUnsafe(pieceBytes))]);
}

function* readPieces(
  file: string,
  { handle, most }: { handle: number; most: number },
  room: () => Buffer,
): Generator<Buffer> {
  for (let bytes = 0; bytes <= most; ) {
    const piece = room();
    const read = readSync(handle, piece);
    if (read === 0) return;
    yield piece.subarray(0, read);
    bytes += read;
  }
  throw tooLarge(file, most);
}

function tooLarge(file: string, most: number): UnsafePath {
  return new UnsafePath(file, `holds more than ${most / 1_024 / 1_024} MB`);
}

/**
 * Lets a path pass of which no part below the root of its checkout is a link, so that what is written or removed there is
 * where its name says.
 *
 * @throws UnsafePath
 */
export function demandNoLinks(path: string): void {
  const whole = resolve(path);
  const root = checkoutOf(whole);
  if (root === undefined) return;
  let at = root;
  for (const part of relative(root, whole).split(sep)) {
    at = join(at, part);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats === undefined) return;
    if (stats.isSymbolicLink())
      throw new UnsafePath(
        at,
        `is a link, and cloudemu writes through none in ${root}: delete it, or name another path`,
      );
  }
}

/**
 * Lets the path of a file pass that can be written in a checkout: of which no part is a link, and which is a regular file if
 * it is there.
 *
 * @throws UnsafePath
 */
export function demandWritable(file: string): void {
  demandNoLinks(file);
  if (checkoutOf(file) === undefined) return;
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() === false && !stats.isDirectory())
    throw new UnsafePath(
      file,
      'must be a regular file, is a device, a pipe or a socket: delete it, or name another path',
    );
}
