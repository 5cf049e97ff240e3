// The files of this package: in the source tree, in the built package, or inside the executable; and its version.

import { existsSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UnsafePath } from './checkout-files.js';
import { embedded } from './embedded.js';
import { memoizeLast } from './memoize-last.js';

/**
 * The package's root: the nearest folder above this code that holds `fixtures`. For the executable it is the file
 * itself: what is inside has a path below it, which `readText` and `filesIn` understand.
 */
export const packageRoot: string =
  embedded === undefined ? findRoot(dirname(fileURLToPath(import.meta.url))) : process.execPath;

/** A path inside `fixtures`. */
export function fixturePath(...parts: string[]): string {
  return join(packageRoot, 'fixtures', ...parts);
}

/**
 * The text of one of the package's own files.
 *
 * @throws Error with the system's code when it cannot be read
 */
export function readText(file: string): string {
  const inside = pathInside(file);
  return inside !== undefined && embedded?.paths.includes(inside) === true
    ? embedded.text(inside)
    : readFileSync(file, 'utf8');
}

/**
 * A copy of the bytes of one of the package's own files.
 *
 * @throws Error with the system's code when it cannot be read
 */
export function readBytes(file: string): Buffer {
  const inside = pathInside(file);
  return inside !== undefined && embedded !== undefined
    ? Buffer.from(embedded.bytes(inside).slice(0))
    : readFileSync(file);
}

/**
 * The names of the files in a folder, a user's or the package's own.
 *
 * @throws Error with the system's code when it cannot be read
 */
export function filesIn(folder: string): string[] {
  const inside = pathInside(folder);
  if (inside !== undefined) return embeddedIn(inside);
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [] : [entry.name]));
}

/** The names of what lies in a directory of a user's; none where it cannot be read. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** A text that changes when a file is edited; undefined for a file that cannot be looked at. */
export function fileVersion(file: string): string | undefined {
  if (isInside(file)) return 'embedded';
  const stats = statsOf(file);
  return stats?.isFile() === true ? `${stats.mtimeMs} ${stats.size}` : undefined;
}

/** A text that changes when a file is put into a folder, or taken out; undefined for a folder that cannot be looked at. */
export function folderVersion(folder: string): string | undefined {
  if (isInside(folder)) return 'embedded';
  const stats = statsOf(folder);
  return stats?.isDirectory() === true ? `${stats.mtimeMs}` : undefined;
}

// A path that is too long, in a circle, or not to be entered is as good as none.
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Whether a path names something inside the executable. */
export function isInside(file: string): boolean {
  return pathInside(file) !== undefined;
}

function embeddedIn(folder: string): string[] {
  const names = (embedded?.paths ?? []).map((path) => (dirname(path) === folder ? basename(path) : ''));
  return names.filter((name) => name !== '');
}

function pathInside(file: string): string | undefined {
  if (embedded === undefined || !file.startsWith(packageRoot + sep)) return undefined;
  return file.slice(packageRoot.length + 1).replaceAll(sep, '/');
}

function findRoot(from: string): string {
  for (let folder = from; dirname(folder) !== folder; folder = dirname(folder)) {
    if (existsSync(join(folder, 'fixtures', 'profiles'))) return folder;
  }
  return from;
}

export function packageVersion(): string {
  return versionIn(packageRoot);
}

const versionIn = memoizeLast(
  (root: string) => (JSON.parse(readText(join(root, 'package.json'))) as { version: string }).version,
);

/** Why a file cannot be read, in words that begin after its name and a colon. */
export function whyUnread(error: unknown): string {
  if (error instanceof UnsafePath) return error.reason;
  const { code = String(error) } = error as NodeJS.ErrnoException;
  const known: Record<string, string> = {
    ENOENT: 'there is no such file',
    EISDIR: 'must be a file, is a directory',
    ENOTDIR: 'there is no such file',
    EACCES: 'you may not read it',
  };
  return known[code] ?? `cannot be read (${code})`;
}

/** Why a path cannot be written or removed, in words that begin after its name. */
export function whyUnwritten(error: unknown): string {
  if (error instanceof UnsafePath) return `cannot be written: it ${error.reason}`;
  return `cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`;
}
