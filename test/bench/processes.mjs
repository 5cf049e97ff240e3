// Owns the bench's processes and temporary folders: started here, ended and removed here, however the bench ends.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, '..', '..');

// With the signal that ends each: a bench ends its own processes.
const living = new Map();
const folders = new Set();

process.on('exit', () => {
  for (const [child, signal] of living) child.kill(signal);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
])
  process.on(signal, () => process.exit(code));

/** A fresh folder that does not outlive the bench. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'cloudemu-bench-'));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  folders.delete(folder);
}

// Below the range from which systems pick ports for outgoing connections: a poll of a port there could meet itself.
export async function freePort() {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 9_000);
    const server = createServer();
    const free = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen({ host: '127.0.0.1', port }, () => resolve(true));
    });
    if (!free) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** Starts a Node script, or another program with arguments; `quiet` drops what it prints. */
export function startNode(
  args,
  { env, cwd, quiet = false, node = process.execPath, preload, lastSignal = 'SIGKILL' } = {},
) {
  const startedAt = performance.now();
  const child = spawn(node, preload === undefined ? args : ['--require', preload, ...args], {
    cwd,
    env: cleanEnvironment(env),
    stdio: ['ignore', quiet ? 'ignore' : 'pipe', 'inherit'],
  });
  living.set(child, lastSignal);
  const ended = new Promise((resolve) => {
    child.on('exit', (code, signal) => {
      living.delete(child);
      resolve(`${args[0]} ended with ${signal ?? code}`);
    });
  });
  return {
    pid: child.pid,
    startedAt,
    isLiving: () => living.has(child),
    /** The first line that it prints, as JSON. */
    async announced() {
      const line = new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
      const text = await Promise.race([line, ended]);
      try {
        return JSON.parse(text);
      } catch {
        throw new Error(text);
      }
    },
    async stop() {
      const timer = setTimeout(() => child.kill('SIGKILL'), 3_000);
      child.kill('SIGTERM');
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Starts the built command on a data folder. */
export function startCloudemu({
  folder,
  port,
  env,
  quiet,
  command = [process.execPath, join(root, 'dist', 'cli.cjs')],
}) {
  const [node, ...before] = command;
  const args = [
    ...before,
    'start',
    '--json',
    '--port',
    String(port),
    '--quiet',
    '--data-dir',
    join(folder, 'data'),
    '--seed',
    'bench',
  ];
  return startNode(args, { cwd: folder, env, quiet, node });
}

export function startBare(name, args, options) {
  return startNode([join(here, `${name}.mjs`), ...args.map(String)], options);
}

/** Resident memory in MB, now and at its highest; undefined where the system does not tell. */
export function memoryOf(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const megabytes = (field) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)[1]) / 1_024;
    return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
  } catch {
    return undefined;
  }
}

/** Processor time that a process has used, in milliseconds; undefined where the system does not tell. */
export function cpuOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return undefined;
  }
}

// The user's own settings must not change what is measured.
function cleanEnvironment(extra = {}) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('CLOUDEMU_') && name !== 'NODE_OPTIONS');
  return { ...Object.fromEntries(own), ...extra };
}
