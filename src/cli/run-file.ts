// The run file: where a running emulator is, for the commands. Mode 0600, because it holds the test key.

import { lstatSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join, resolve } from 'node:path';
import { readFoundText } from '../core/checkout-files.js';
import { makeDataDir } from '../core/own-directory.js';
import { writePrivately } from '../core/private-files.js';
import type { Identity } from '../core/root.js';

/** One line of `start --json`. */
export interface RunInfo {
  url: string;
  port: number;
  apiKey: string;
  organizationId: string;
  userId: string;
  health: string;
  control: string;
  dataDir: string | null;
  pid: number;
  version: string;
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
  if (other !== undefined && other.pid !== info.pid && other.port !== info.port) {
    const { answersAs } = await import('./instance.js');
    if (await answersAs(other)) return other;
  }
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
export function isHere(url: string): boolean {
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
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\)/s, ''));
  } catch {
    // Only Linux has it.
    return false;
  }
}
