// The run file: where a running emulator is, for the commands. Mode 0600, because it holds the test key.

import { execFile } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join, resolve } from 'node:path';
import type { RunningEmulator } from '../app/emulator.js';
import { request, textOf } from '../control/request.js';
import { readFoundText } from '../core/checkout-files.js';
import { namesIn } from '../core/files.js';
import { makeDataDir } from '../core/own-directory.js';
import { writePrivately } from '../core/private-files.js';
import { type Identity, rootOf } from '../core/root.js';
import type { Health } from '../tools/worlds/health.js';

/** One line of `start --json`. */
export interface RunInfo
  extends Pick<RunningEmulator, 'url' | 'port' | 'apiKey' | 'organizationId' | 'userId' | 'dataDir' | 'version'> {
  health: string;
  control: string;
  pid: number;
}

/** The content of a run file. */
export interface RunFile extends RunInfo {
  /** The URL at which the emulator answers on this machine; `url` may be a public name. */
  local: string;
  /** The name of this start, as its health has it; run files of older versions have none. */
  instance?: string | undefined;
  /** To whom it belongs. */
  identity?: Identity | undefined;
  /** The directory that the file was written to: a copy of a checkout has a copy of the file, but not the emulator. */
  place?: string | undefined;
}

function runFilePath(dataDir: string): string {
  return join(resolve(dataDir), 'run.json');
}

/**
 * Writes the run file, unless it names another running emulator.
 *
 * @returns that other one, or a function that removes the file
 */
export async function writeRunFile(dataDir: string, info: RunFile): Promise<RunFile | (() => void)> {
  const other = readRunFile(dataDir);
  // A process id may have been given to another program since, and its port to another emulator.
  if (other !== undefined && other.pid !== info.pid && other.port !== info.port && (await answersAs(other)))
    return other;
  const file = runFilePath(dataDir);
  // With --ephemeral nothing else is in it.
  const removeIfEmpty = makeDataDir(resolve(dataDir));
  const unfinished = `${file}.${info.pid}`;
  try {
    writePrivately(unfinished, `${JSON.stringify({ ...info, place: realpathSync(resolve(dataDir)) })}\n`);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  return () => {
    if (readRunFile(dataDir)?.pid !== info.pid) return;
    rmSync(file, { force: true });
    removeIfEmpty?.();
  };
}

/**
 * The emulator that a data directory's run file names, if its process lives. A directory may be a stranger's, such as that
 * of a cloned repository: only a private file is believed, of a process of this user, on this machine.
 */
export function readRunFile(dataDir: string): RunFile | undefined {
  try {
    const file = runFilePath(dataDir);
    if (!isPrivate(file)) return undefined;
    const info = JSON.parse(readFoundText(file)) as Partial<RunFile> | null;
    if (!isWhole(info) || (info.place !== undefined && info.place !== realpathSync(resolve(dataDir)))) return undefined;
    return isHere(info.local) && isOfThisUser(info.pid) && isAlive(info.pid) ? info : undefined;
  } catch {
    return undefined;
  }
}

// A file that a crash, an older version or somebody else left there must not decide which process gets a signal.
function isWhole(info: Partial<RunFile> | null): info is RunFile {
  return (
    Number.isInteger(info?.pid) &&
    Number.isInteger(info?.port) &&
    typeof info?.url === 'string' &&
    typeof info.local === 'string' &&
    URL.canParse(info.local) &&
    typeof info.apiKey === 'string'
  );
}

// The file has the mode and the owner that the emulator gave it, which a checkout by version control does not have.
function isPrivate(file: string): boolean {
  const stat = lstatSync(file);
  const user = process.getuid?.();
  return stat.isFile() && (user === undefined || (stat.uid === user && (stat.mode & 0o077) === 0));
}

/** Whether a URL is one of this machine. */
function isHere(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, '');
  if (protocol !== 'http:') return false;
  if (name === 'localhost' || name === '::1' || /^127\.\d+\.\d+\.\d+$/.test(name)) return true;
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === name));
}

function isOfThisUser(pid: number): boolean {
  const user = process.getuid?.();
  try {
    return user === undefined || statSync(`/proc/${pid}`).uid === user;
  } catch {
    // Only Linux has it. Elsewhere the system refuses signals to processes of others.
    return canSignal(pid);
  }
}

function canSignal(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

export function isAlive(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

// A process that has ended stays in the table for as long as its parent does not ask for it: in a container whose first
// process never does, for ever.
function isZombie(pid: number): boolean {
  // Only Linux has it.
  const stat = told(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  return / Z /.test(stat.replace(/^.*\)/s, ''));
}

// Finds the emulator that answers at an address: one that a run file names, another one, or none.

// Only a holder that never answers takes all of it; an emulator on a crowded machine may need more than two seconds.
const answerMs = 5_000;

/** The health that is answered at an address, if it is an emulator's. */
export async function healthAt(
  url: string,
  { token, timeoutMs = answerMs }: { token?: string | undefined; timeoutMs?: number } = {},
): Promise<Partial<Health> | undefined> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    // Node 20's fetch never settles where the holder closes the connection at once, and the command would end without a word.
    const response = await request(`${url}/_emulator/health`, { method: 'GET', headers, signal });
    const health = JSON.parse(await textOf(response)) as Partial<Health> | null;
    return typeof health?.version === 'string' && typeof health.uptimeMs === 'number' ? health : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the emulator of a run file answers where that says: its process id and its port may be others' by now. */
export async function answersAs({ local, instance }: Pick<RunFile, 'local' | 'instance'>): Promise<boolean> {
  const health = await healthAt(local);
  return health !== undefined && health.instance === instance;
}

// Emulators that no run file names, because their data directory was removed (`git clean -xfd`) or is another one's.

export type LostEmulator = Pick<RunFile, 'pid' | 'url'>;

/** The process behind a URL of this machine, if an emulator answers there and a process of this user listens. */
export async function emulatorAt(url: string, token: string | undefined): Promise<LostEmulator | undefined> {
  if (!isHere(url)) return undefined;
  const [[holder], health] = await Promise.all([listeners(Number(new URL(url).port)), healthAt(url, { token })]);
  return holder === undefined || health === undefined ? undefined : { pid: holder.pid, url };
}

/** The emulator of this directory, or the shared one, wherever it listens. */
export async function runningEmulator(isShared: boolean, token: string | undefined): Promise<LostEmulator | undefined> {
  const here = rootOf(process.cwd());
  const found = await Promise.all(
    (await listeners()).filter(isStart).map(async ({ pid, port }) => {
      const url = `http://127.0.0.1:${port}`;
      const { root, shared = false } = (await healthAt(url, { token }))?.identity ?? {};
      return isShared === shared && (shared || root === here) ? [{ pid, url }] : [];
    }),
  );
  return found.flat()[0];
}

/** The emulator that was started with a data directory, which may be gone by now. */
export async function startedWith(dataDir: string, token: string | undefined): Promise<LostEmulator | undefined> {
  const ofDirectory = (await listeners()).filter((one) => isStart(one) && dataDirOf(one) === resolve(dataDir));
  const [first] = ofDirectory;
  return first === undefined ? undefined : emulatorAt(`http://127.0.0.1:${first.port}`, token);
}

function dataDirOf({ words }: Listener): string | undefined {
  const index = words.findIndex((word) => /^--data-dir(=|$)/.test(word));
  const value = words[index]?.split('=')[1] ?? words[index + 1];
  return index === -1 || value === undefined ? undefined : resolve(value);
}

// Nothing is sent to programs that are not ours. The shared emulator is one of this user, as its process is.
function isStart({ words }: Listener): boolean {
  return words.includes('start') && words.some((word) => /(^|[/\\])(cli\.cjs|cloudemu[^/\\]*)$/.test(word));
}

// The processes of this user that listen on a port: read from /proc on Linux, from lsof elsewhere.

export interface Listener {
  pid: number;
  port: number;
  /** Its command line. */
  words: readonly string[];
}

/** All of them, or those on one port; none where the system does not tell. */
export async function listeners(port?: number): Promise<Listener[]> {
  const all = existsSync('/proc/net/tcp') ? listenersInProc() : await listenersByLsof();
  return port === undefined ? all : all.filter((one) => one.port === port);
}

// Sockets have numbers there, which the open files of a process name.
function listenersInProc(): Listener[] {
  const ports = new Map<string, number>();
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of told(() => readFileSync(file, 'utf8')).split('\n')) {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state === '0A') ports.set(`socket:[${inode}]`, Number.parseInt(local.replace(/^.*:/, ''), 16));
    }
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const sockets = namesIn(`/proc/${pid}/fd`).map((fd) => told(() => readlinkSync(`/proc/${pid}/fd/${fd}`)));
      const own = new Set(sockets.flatMap((socket) => ports.get(socket) ?? []));
      if (own.size === 0) return [];
      const words = told(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
        .split('\0')
        .slice(0, -1);
      return [...own].map((port) => ({ pid: Number(pid), port, words }));
    });
}

async function listenersByLsof(): Promise<Listener[]> {
  const found: Omit<Listener, 'words'>[] = [];
  let pid = 0;
  for (const line of (await output('lsof', ['-nP', '-iTCP', '-sTCP:LISTEN', '-Fpn'])).split('\n')) {
    if (line.startsWith('p')) pid = Number(line.slice(1));
    const port = /^n.*:(\d+)$/.exec(line)?.[1];
    if (port !== undefined) found.push({ pid, port: Number(port) });
  }
  return Promise.all(
    found.map(async (one) => ({
      ...one,
      words: (await output('ps', ['-o', 'args=', '-p', String(one.pid)])).trim().split(' '),
    })),
  );
}

function output(command: string, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: 2_000 }, (_error, stdout) => resolve(stdout));
  });
}

// What the system says; nothing where it does not tell.
function told(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
