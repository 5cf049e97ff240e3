// The processes of this user that listen on a port: read from /proc on Linux, from lsof elsewhere.

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

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

/**
 * The name of a process, as a person knows it.
 *
 * @example nameOf({ pid: 7, port: 4747, words: ['/usr/bin/node', 'dist/cli.cjs'] }) // 'node'
 */
export function nameOf({ words: [program = 'a process'] }: Listener): string {
  return program.replace(/^.*[/\\]/, '');
}

// Sockets have numbers there, which the open files of a process name.
function listenersInProc(): Listener[] {
  const ports = new Map<string, number>();
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of textOf(file).split('\n')) {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state === '0A') ports.set(`socket:[${inode}]`, Number.parseInt(local.replace(/^.*:/, ''), 16));
    }
  return filesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const sockets = filesIn(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
      const own = new Set(sockets.flatMap((socket) => ports.get(socket) ?? []));
      if (own.size === 0) return [];
      const words = textOf(`/proc/${pid}/cmdline`).split('\0').slice(0, -1);
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

// Processes of others show nothing, and processes end.
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
