// Owns the packages that the bench has beside the project's own: other versions of Node, and the peer `emulate`. npm puts
// each once into a folder of the user's cache; what cannot be had is said in one line and left out.

import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../src/build/node-binary.mjs';

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'cloudemu-bench');
const emulateVersion = '0.11.2';

/** The emulator that others use, with its version; undefined where it cannot be had. */
export function findEmulate() {
  const script = installed('emulate', emulateVersion, join('dist', 'index.js'));
  return script === undefined ? undefined : { version: emulateVersion, script };
}

/** The program of Node in this major version, the running one where it fits; undefined where it cannot be had. */
export function findNode(major) {
  if (process.versions.node.split('.')[0] === major) return process.execPath;
  const isWindows = process.platform === 'win32';
  const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
  return installed(name, major, join('bin', isWindows ? 'node.exe' : 'node'));
}

// The path of a file in a package.
function installed(name, version, file) {
  const folder = join(cache, `${name}-${version}`);
  const path = join(folder, 'node_modules', name, file);
  if (existsSync(path)) return path;
  let fresh;
  try {
    mkdirSync(cache, { recursive: true });
    // In a folder of its own first: what is interrupted is not taken for whole.
    fresh = mkdtempSync(join(cache, 'installing-'));
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=0', '--fetch-timeout=60000'];
    run('npm', ['install', '--prefix', fresh, ...options, `${name}@${version}`]);
    if (!existsSync(join(fresh, 'node_modules', name, file))) throw new Error(`the package has no ${file}`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
    return path;
  } catch (error) {
    if (fresh !== undefined) rmSync(fresh, { recursive: true, force: true });
    process.stderr.write(`bench: ${name}@${version} is left out: ${error.message.split('\n')[0]}\n`);
    return undefined;
  }
}
