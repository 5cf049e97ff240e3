// SQLite's library inside the executable: loaded from a file without a name, which nobody else can read or replace.

import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { embedded } from '../core/embedded.js';
import { memoizeLast } from '../core/memoize-last.js';

const asset = 'better_sqlite3.node';
const pathKey = 'cloudemu: path of the SQLite library';
// Linux; `fs.constants` does not have it.
const temporaryFile = 0o20000000 | constants.O_DIRECTORY;

/**
 * better-sqlite3's addon out of the executable; undefined where this program is none.
 *
 * @throws Error that says, for each folder that was tried, why it would not do
 */
export const embeddedAddon: () => object | undefined = () =>
  embedded?.paths.includes(asset) === true ? loadOnce(asset) : undefined;

const loadOnce = memoizeLast((name: string): object => {
  // All threads use one copy: SQLite's locks hold between processes, not between two copies of itself in one.
  const known = getEnvironmentData(pathKey);
  if (typeof known === 'string') return open(known);
  const bytes = new Uint8Array(embedded?.bytes(name) ?? new ArrayBuffer(0));
  const refusals: string[] = [];
  for (const [folder, load] of places()) {
    try {
      return load(folder, bytes);
    } catch (error) {
      refusals.push(`${folder} (${error instanceof Error ? error.message : String(error)})`);
    }
  }
  throw new Error(refusals.join('\n'));
});

type Load = (folder: string, bytes: Uint8Array) => object;

// A file system may be read-only, may not let programs run, or may know no files without a name.
function places(): [folder: string, load: Load][] {
  const named: [string, Load] = [tmpdir(), loadNamed];
  if (process.platform !== 'linux') return [named];
  const folders = [process.env.XDG_RUNTIME_DIR ?? '', '/dev/shm', tmpdir(), process.cwd()];
  const unnamed = folders.filter((folder) => folder !== '').map((folder): [string, Load] => [folder, loadUnnamed]);
  return [...unnamed, named];
}

function loadUnnamed(folder: string, bytes: Uint8Array): object {
  const file = openSync(folder, constants.O_RDWR | constants.O_EXCL | temporaryFile, 0o600);
  try {
    writeFileSync(file, bytes);
    const path = `/proc/self/fd/${file}`;
    const addon = open(path);
    setEnvironmentData(pathKey, path);
    return addon;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

// In a folder that is this user's alone, and gone as soon as the library is in memory (Windows keeps what is in use).
function loadNamed(folder: string, bytes: Uint8Array): object {
  const own = mkdtempSync(join(folder, 'cloudemu-sqlite-'));
  const path = join(own, asset);
  try {
    writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
    const addon = open(path);
    setEnvironmentData(pathKey, path);
    return addon;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function open(path: string): object {
  const addon = { exports: {} };
  process.dlopen(addon, path);
  return addon.exports;
}
