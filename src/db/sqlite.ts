// Loads SQLite for this version of Node: better-sqlite3 13 needs Node 22, 12 serves Node 20, the executable has its own.

import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { embedded } from '../core/embedded.js';
import { memoizeLast } from '../core/memoize-last.js';

/** Thrown when no SQLite loads here, with lines for the user: what is missing, why, and what mends it. */
export class SqliteMissingError extends Error {}

const require = createRequire(import.meta.url);

/**
 * Opens a database with the SQLite that runs on this Node.
 *
 * @example openSqlite(':memory:', { timeout: 5_000 }).prepare('SELECT 1').pluck().get(); // 1
 * @param file a path, ':memory:', or the content of a database in memory
 * @throws SqliteMissingError when the package or its binary is not there; SqliteError when the file cannot be opened
 */
export function openSqlite(file: string | Buffer, options: Database.Options = {}): Database.Database {
  // better-sqlite3 13 crashes the process on Node 20, which has an older Node-API. The types know of paths only.
  const addon = addonFor(Number.parseInt(process.versions.node, 10) < 22 ? 12 : 13) as unknown as string;
  return new Database(file, { ...options, nativeBinding: addon });
}

/** Whether an error is SQLite's own: each of the two packages has a class for it. */
export function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && error.name === 'SqliteError';
}

const addonFor = memoizeLast((version: 12 | 13): object => {
  // The bundled code of 13 drives the binary of 12, too: no start has to load another dozen files.
  if (version === 12)
    return load('better-sqlite3-node20', (directory) => {
      // The package would search a dozen places for its binary; its usual place is known.
      const native = require(join(directory, 'build/Release/better_sqlite3.node')) as Addon12;
      // Version 12 has none of the things that 13 sets up, except the class of its errors.
      return { Database: native.Database, initialize: (error: unknown) => native.setErrorConstructor(error) };
    });
  // The bundle holds the package's code, but not the binary: the package itself knows where that is.
  return (
    addonInside() ?? load('better-sqlite3', (directory) => require(join(directory, 'lib/binding.js')).getBinding())
  );
});

function addonInside(): object | undefined {
  try {
    return embeddedAddon();
  } catch (error) {
    throw new SqliteMissingError(
      [
        `SQLite does not load: it is inside this program, and no folder takes it:\n${(error as Error).message}`,
        'It needs a folder that can be written to, on a file system that lets programs run (not mounted noexec).',
        'Run it with such a folder: TMPDIR=/such/a/folder cloudemu',
      ].join('\n'),
    );
  }
}

interface Addon12 {
  Database: unknown;
  setErrorConstructor(error: unknown): void;
}

type Package = 'better-sqlite3' | 'better-sqlite3-node20';

function load<Loaded>(name: Package, from: (directory: string) => Loaded): Loaded {
  let directory: string;
  try {
    directory = dirname(require.resolve(`${name}/package.json`));
  } catch {
    throw missing(name, 'the package is not installed', installs[name]);
  }
  try {
    return from(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'MODULE_NOT_FOUND' ? 'it has no binary for this machine' : 'its binary does not load';
    throw missing(name, reason, builds[name]);
  }
}

const installs = {
  'better-sqlite3': 'npm install better-sqlite3@13.2.0',
  'better-sqlite3-node20': [
    'npm install better-sqlite3-node20@npm:better-sqlite3@12.11.1',
    'In a clone of cloudemu, run: npm ci --foreground-scripts, which shows why npm left it out.',
  ].join('\n'),
};
const builds = {
  'better-sqlite3': 'npm explore better-sqlite3 -- npm run build-release',
  'better-sqlite3-node20': 'npm rebuild better-sqlite3-node20',
};

function missing(name: Package, reason: string, command: string): SqliteMissingError {
  const needs =
    name === 'better-sqlite3-node20'
      ? 'Node 20 needs this older build of SQLite, which is downloaded or compiled; Node 22 and later need nothing more.'
      : `SQLite comes ready for Linux, macOS and Windows on x64 and arm64; elsewhere it is compiled.`;
  return new SqliteMissingError(
    [
      `SQLite does not load on Node ${process.versions.node} (${process.platform}-${process.arch}): ${name}: ${reason}.`,
      needs,
      `Run: ${command}`,
    ].join('\n'),
  );
}

const asset = 'better_sqlite3.node';
const pathKey = 'cloudemu: path of the SQLite library';
// Linux; `fs.constants` does not have it.
const temporaryFile = 0o20000000 | constants.O_DIRECTORY;

/**
 * better-sqlite3's addon out of the executable; undefined where this program is none.
 *
 * @throws Error that says, for each folder that was tried, why it would not do
 */
const embeddedAddon: () => object | undefined = () =>
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
