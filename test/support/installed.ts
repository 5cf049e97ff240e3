// Packages that one test alone needs: it installs them itself, from the registry, so that nobody else has to.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Installs packages of exactly these versions, once on a machine, and returns the directory.
 *
 * @example requireFrom(installed('jest@30.5.2'))('jest')
 * @throws with npm's words where the registry cannot be reached
 */
export function installed(...packages: string[]): string {
  const name = createHash('sha256').update(packages.join()).digest('hex').slice(0, 16);
  const shared = join(tmpdir(), 'cloudemu-test-packages', name);
  if (existsSync(shared)) return shared;
  mkdirSync(join(shared, '..'), { recursive: true });
  const own = mkdtempSync(`${shared}-`);
  writeFileSync(join(own, 'package.json'), '{ "private": true }\n');
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', ...options, ...packages], { cwd: own, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    renameSync(own, shared);
  } catch {
    // Another test was quicker.
    rmSync(own, { recursive: true });
  }
  return shared;
}

/** `require` for the packages in a directory. */
export const requireFrom = (directory: string): NodeJS.Require => createRequire(join(directory, 'index.js'));

/** Links installed packages, and their commands, into a project that does not have them. */
export function linkInto(project: string, directory: string): void {
  for (const folder of ['', '.bin']) {
    const [from, to] = [join(directory, 'node_modules', folder), join(project, 'node_modules', folder)];
    // Not all packages bring commands.
    for (const name of existsSync(from) ? readdirSync(from) : [])
      if (!name.startsWith('.') && !existsSync(join(to, name))) symlinkSync(join(from, name), join(to, name));
  }
}
