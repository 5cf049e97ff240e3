// How this program is called where it runs, so that the commands that it prints can be typed as they stand, and begin as
// the user began: who has not used `npx` gets a command without the second that it takes.

import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { embedded } from './embedded.js';
import { packageRoot, readText } from './files.js';
import { memoizeLast } from './memoize-last.js';

const isWindows = process.platform === 'win32';
const command = /(`|\$\()cloudemu ((?=[a-z<-])[^`)\n]*)/g;

/**
 * A text of ours in which each command, between backticks or in `$(…)`, begins as it does here, and means the emulator and the
 * world that the command line of this process means.
 *
 * @example asTyped('`cloudemu stop` ends it') // '`node_modules/.bin/cloudemu stop` ends it'
 */
export function asTyped(text: string): string {
  return text.replace(command, (_, before: string, words: string) => {
    // What a shell does with the output, and the command behind --, are not its own words.
    const [own = ''] = /^.*?(?= (?:\||>>?|--) |$)/.exec(words) ?? [];
    const target = targetFor(own).map((word) => ` ${quoted(word)}`);
    return `${before}${typedName()} ${own}${target.join('')}${words.slice(own.length)}`;
  });
}

/**
 * A command line of this program as it can be typed here; each word arrives as it is.
 *
 * @example typedCommand(['clock', 'advance', '10m']) // 'npx cloudemu clock advance 10m'
 */
export function typedCommand(words: readonly string[]): string {
  const all = [...words, ...targetFor(words.join(' '))];
  return [typedName(), ...all.map((word) => (word === '' ? "''" : quoted(word)))].join(' ');
}

/** The flags by which any command means the emulator that the command line of this process means, as they are typed; or ''. */
export function typedTarget(): string {
  return targetFor('status').map(quoted).join(' ');
}

/** The commands that ask no emulator, those that ask that of a directory, and those that speak to no world. */
const ofNone = /^(run|explore|import|drift|init|docs|agent|completion|openapi|receipt|scenario schema|config schema)\b/;
const ofDirectory = /^(start|config check)\b/;
const ofNoWorld = /^(stop|wait|world (list|move|gc))\b/;

/** The flags that a command line, without the program's name, needs to mean what that of this process means. */
export function targetFor(line: string, argv = isOwnProcess() ? process.argv.slice(2) : []): string[] {
  if (/<|--help\b|^--/.test(line) || ofNone.test(line)) return [];
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  return own.flatMap((word, i) => {
    const [, name = '', value = own[i + 1]] = /^--(url|data-dir|world)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === '' || value === undefined) return [];
    const isNamed = new RegExp(name === 'world' ? ' --world\\b' : ' --(url|data-dir|shared)\\b').test(line);
    const isTaken = name === 'data-dir' || !(ofDirectory.test(line) || (name === 'world' && ofNoWorld.test(line)));
    return isNamed || !isTaken ? [] : [`--${name}=${value}`];
  });
}

// In a test runner, or a program that has an emulator, these words are others'.
function isOwnProcess(): boolean {
  return embedded !== undefined || realPath(process.argv[1] ?? '') === realPath(join(packageRoot, 'dist', 'cli.cjs'));
}

/** The words with which a command line of this program begins here. */
export function typedName(): string {
  const { PATH = '', npm_command: npm = '' } = process.env;
  return nameFor(JSON.stringify([process.cwd(), process.argv[1] ?? '', PATH, npm]));
}

const nameFor = memoizeLast((place: string): string => {
  const [cwd, run, path, npm] = JSON.parse(place) as [string, string, string, string];
  // Tools add the folders of installed programs to PATH for as long as they run: the user's shell does not have them.
  const folders = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !folder.endsWith(`node_modules${sep}.bin`));
  if (embedded !== undefined) return nameOfExecutable(cwd, folders);
  const own = join(packageRoot, 'dist', 'cli.cjs');
  if (isOnPath(own, 'cloudemu', folders)) return 'cloudemu';
  const installed = installedAbove(cwd);
  const fetched = fetchedByNpx();
  // npx sets this for what it runs, and looks into the same folders again.
  if (fetched !== undefined || (npm === 'exec' && (installed !== undefined || isClone(cwd))))
    return `npx ${fetched ?? 'cloudemu'}`;
  if (installed !== undefined) return quoted(relative(cwd, installed));
  // A link or a file of the user's own, if this is what was run; in a test it is the test runner.
  const isOurs = realPath(run) === realPath(own);
  if (isOurs && !run.endsWith('.cjs') && isProgram(run)) return quoted(shown(run, cwd));
  const node = isOnPath(process.execPath, 'node', folders) ? 'node' : quoted(process.execPath);
  return `${node} ${quoted(shown(isOurs ? run : own, cwd).replace(/^\.[/\\]/, ''))}`;
});

function nameOfExecutable(cwd: string, folders: readonly string[]): string {
  const { argv0, execPath } = process;
  const name = basename(argv0).replace(/\.exe$/i, '');
  if (isOnPath(execPath, name, folders)) return name;
  return quoted(shown(execPath, cwd));
}

// The first program of the name in these folders is this one.
function isOnPath(own: string, name: string, folders: readonly string[]): boolean {
  const file = folders.flatMap((folder) => filesOf(join(folder, name))).find(isProgram);
  if (file === undefined) return false;
  // On Windows it is a script beside the folder of packages.
  return (
    realPath(file) === realPath(own) || (isWindows && isThisPackage(join(dirname(file), 'node_modules', 'cloudemu')))
  );
}

// The program of this package among those that npm, pnpm or yarn have installed for the project.
function installedAbove(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const modules = join(folder, 'node_modules');
    const program = join(modules, '.bin', 'cloudemu');
    if (isThisPackage(join(modules, 'cloudemu')) && filesOf(program).some(isProgram)) return program;
    if (dirname(folder) === folder) return undefined;
  }
}

// In a clone, npx runs the program of the clone by a link in npm's cache.
function isClone(cwd: string): boolean {
  const near = relative(realPath(packageRoot), realPath(cwd));
  return !near.startsWith('..') && !isAbsolute(near);
}

// What npx was asked for, if it has put this package into npm's cache.
function fetchedByNpx(): string | undefined {
  const [, folder] = /^(.*[/\\]_npx[/\\][^/\\]+)[/\\]node_modules[/\\]/.exec(packageRoot) ?? [];
  if (folder === undefined) return undefined;
  try {
    const { _npx } = JSON.parse(readText(join(folder, 'package.json'))) as { _npx?: { packages?: string[] } };
    const [asked = '', ...others] = _npx?.packages ?? [];
    return others.length === 0 && /^cloudemu(@[\w.^~-]+)?$/.test(asked) ? asked : undefined;
  } catch {
    return undefined;
  }
}

const filesOf = (program: string): string[] =>
  isWindows ? ['.exe', '.cmd'].map((ending) => program + ending) : [program];

const isThisPackage = (folder: string): boolean => existsSync(folder) && realPath(folder) === realPath(packageRoot);

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return resolve(file);
  }
}

// A shell looks elsewhere for a name without a folder.
function shown(file: string, cwd: string): string {
  const near = relative(cwd, file);
  if (near.startsWith('..') || isAbsolute(near)) return file;
  return near.includes(sep) ? near : `.${sep}${near}`;
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./\\~-]+$/.test(word)) return word;
  return isWindows ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
