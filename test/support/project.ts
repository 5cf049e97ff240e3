// A project of a user's, in a directory of the test's own: the package is installed there as npm would, beside the tools.

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Outcome, tempDir } from './command.js';
import { installed, linkInto } from './installed.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What the tests in these directories need, and nothing else in this repository. */
const packages: Record<string, string> = {
  'recipes/jest': 'jest@30.5.2',
  'entries/timers': 'jest@30.5.2',
  'recipes/playwright': '@playwright/test@1.65.1',
};

/**
 * Makes a project of the files in some directories of this repository's tests.
 *
 * @example createProject('recipes/vitest')
 */
export function createProject(...folders: string[]): string {
  const project = tempDir();
  const modules = join(project, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  for (const name of readdirSync(join(root, 'node_modules/.bin')))
    symlinkSync(join(root, 'node_modules/.bin', name), join(modules, '.bin', name));
  // A copy: where the package really lies decides how tools look at its files.
  for (const name of ['package.json', 'dist', 'fixtures'])
    cpSync(join(root, name), join(modules, 'cloudemu', name), {
      recursive: true,
      filter: (source) => !/dist.cloudemu/.test(source),
    });
  symlinkSync('../cloudemu/dist/cli.cjs', join(modules, '.bin/cloudemu'));
  writeFileSync(join(project, 'package.json'), '{ "name": "shop", "private": true, "version": "1.0.0" }\n');
  for (const folder of folders) {
    cpSync(join(root, 'test', folder), project, { recursive: true });
    if (packages[folder] !== undefined) linkInto(project, installed(packages[folder]));
  }
  return project;
}

/** Runs a command in a project to its end, with an environment that holds nothing of this test run. */
export function runIn(
  project: string,
  [command = '', ...args]: readonly string[],
  env: Record<string, string> = {},
): Promise<Outcome> {
  const path = `${join(project, 'node_modules/.bin')}:${process.env.PATH ?? ''}`;
  const child = spawn(command, args, {
    cwd: project,
    env: { PATH: path, HOME: project, LANG: 'C.UTF-8', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (out.stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...out }));
  });
}

/** Packs the package as it would be published: nothing is built, and nothing is asked of a registry. Returns the file. */
export function packPackage(): string {
  const directory = tempDir();
  const args = ['pack', '--ignore-scripts', '--offline', '--pack-destination', directory];
  execFileSync('npm', args, { cwd: root, stdio: 'ignore' });
  return join(directory, readdirSync(directory)[0] ?? '');
}

/**
 * Makes a project in which a packed package is installed, with what npm would install beside it and nothing else.
 *
 * @param beside further packages of the user's own
 */
export function createPackedProject(tarball: string, beside: readonly string[] = []): string {
  const project = tempDir();
  const modules = join(project, 'node_modules');
  const own = join(modules, 'cloudemu');
  mkdirSync(own, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', own, '--strip-components=1']);
  const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as Record<string, object>;
  const installed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  for (const name of [...installed, ...beside]) {
    // One of the two SQLites is not there: which one goes by the version of Node.
    if (!existsSync(join(root, 'node_modules', name))) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  return project;
}
