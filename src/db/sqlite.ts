// SQLite for this Node: the one file that chooses. better-sqlite3 13 ships binaries and needs Node 22; 12 serves Node 20.

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { embeddedAddon } from './embedded-sqlite.js';

/** Thrown when no SQLite loads here, with three lines for the user: what is missing, why, and what mends it. */
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
  // better-sqlite3 13 crashes the process on Node 20, which has an older Node-API.
  const isNode20 = Number.parseInt(process.versions.node, 10) < 22;
  return isNode20 ? openWith12(file, options) : openWith13(file, options);
}

/** Whether an error is SQLite's own: each of the two packages has a class for it. */
export function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && error.name === 'SqliteError';
}

function openWith13(file: string | Buffer, options: Database.Options): Database.Database {
  // The bundle holds the package's code, but not the binary: the package itself knows where that is.
  const addon =
    addonInside() ?? load('better-sqlite3', (directory) => require(join(directory, 'lib/binding.js')).getBinding());
  return new Database(file, { ...options, nativeBinding: addon });
}

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

// The bundled code of 13 drives the binary of 12, too: no start has to load another dozen files.
function openWith12(file: string | Buffer, options: Database.Options): Database.Database {
  const addon = load('better-sqlite3-node20', (directory) => {
    // The package would search a dozen places for its binary; its usual place is known.
    const native = require(join(directory, 'build/Release/better_sqlite3.node')) as Addon12;
    // Of what 13 sets up, 12 knows only the class of its errors.
    return { Database: native.Database, initialize: (error: unknown) => native.setErrorConstructor(error) };
  });
  // The types know of paths only.
  return new Database(file, { ...options, nativeBinding: addon as unknown as string });
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
  'better-sqlite3-node20': 'npm install better-sqlite3-node20@npm:better-sqlite3@12.11.1',
};
const builds = {
  'better-sqlite3': 'npm explore better-sqlite3 -- npm run build-release',
  'better-sqlite3-node20': 'npm rebuild better-sqlite3-node20',
};

function missing(name: Package, reason: string, command: string): SqliteMissingError {
  const needs =
    name === 'better-sqlite3-node20'
      ? 'Node 20 needs this older build of SQLite; Node 22 and later need nothing more.'
      : `SQLite comes ready for Linux, macOS and Windows on x64 and arm64; elsewhere it is compiled.`;
  return new SqliteMissingError(
    [
      `SQLite does not load on Node ${process.versions.node} (${process.platform}-${process.arch}): ${name}: ${reason}.`,
      needs,
      `Run: ${command}`,
    ].join('\n'),
  );
}
