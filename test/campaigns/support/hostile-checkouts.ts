// Checkouts in which one path is not what its name says, and commands that use that path.

import { execFileSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEmulator } from '../../../src/index.js';
import { type Outcome, spawnCommand, startCommand, tempDir } from '../../support/command.js';

/** The commands that are tried, by name; `start` is ended once it is ready. */
export const commands: Record<string, readonly string[]> = {
  'config check': ['config', 'check'],
  'scenario list': ['scenario', 'list'],
  start: ['start', '--port', '0', '--json'],
  run: ['run', 'scenarios/own.json', '--junit', 'out/report.xml', '--', process.execPath, 'failing.mjs'],
  explore: ['explore', '--budget', '1s', '--', process.execPath, 'client.mjs'],
  receipt: ['receipt'],
  'agent setup': ['agent', 'setup'],
  'agent remove': ['agent', 'remove'],
  init: ['init'],
};

/** Those for which an emulator runs in the checkout, from before the path is replaced. */
export const commandsWhileRunning: Record<string, readonly string[]> = {
  env: ['env'],
  status: ['status'],
  'snapshot take': ['snapshot', 'take', 'second'],
  'snapshot restore': ['snapshot', 'restore', 'first'],
  'scenario save': ['scenario', 'save', 'saved'],
  stop: ['stop'],
};
const all = { ...commands, ...commandsWhileRunning };

/** A checkout in which all that the commands use is there. */
export async function makeCheckout(): Promise<string> {
  const root = realpathSync(tempDir());
  const files = {
    'package.json': '{"name": "shop"}',
    'emulator.config.json': JSON.stringify({
      data: { receipt: 'r.json' },
      voice: { speech: [{ match: { text: 'hi' }, file: 'voices/hi.mp3' }] },
    }),
    'scenarios/own.json': '{"title": "own"}',
    'replies/own.json': '{"replies": [{"match": {"text": "hi"}, "reply": "ho"}]}',
    'voices/hi.mp3': 'no sound',
    'AGENTS.md': '# Shop\n',
    'explore.known.json': '{}',
    'client.mjs': `await fetch(process.env.CLOUD_BASE_URL + '/api/v1/containers');`,
    // Its world is kept.
    'failing.mjs': `await fetch(process.env.CLOUD_BASE_URL + '/api/v1/containers'); throw new Error('failed');`,
    '.git/HEAD': 'ref: refs/heads/main\n',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const emulator = await createEmulator({ dataDir: join(root, '.cloudemu'), worlds: { persist: true } });
  emulator.controls.snapshots.take({ name: 'first' });
  await emulator.controls.worlds.create({ label: 'kept' });
  await emulator.close();
  await measured('run', root);
  for (const name of ['registry/uploads', 'registry/sha256', 'failed/old'])
    mkdirSync(join(root, '.cloudemu', name), { recursive: true });
  return root;
}

/** A directory that no command must change, with names that cloudemu would remove in a directory of its own. */
export function makeOutside(): string {
  const outside = realpathSync(tempDir());
  writeFileSync(join(outside, 'secret'), 'secret');
  for (let number = 0; number < 25; number++) {
    mkdirSync(join(outside, `dir/project-${number}`), { recursive: true });
    writeFileSync(join(outside, `dir/project-${number}/work.txt`), 'mine');
  }
  for (const name of [
    'uploads/part',
    'sha256/aa',
    'a.12345678.unfinished/world.db',
    '.x.unfinished',
    'x.snapshot.json',
  ]) {
    mkdirSync(dirname(join(outside, 'dir', name)), { recursive: true });
    writeFileSync(join(outside, 'dir', name), 'mine');
  }
  return outside;
}

/** All that a directory holds, as a text. */
export function stateOf(directory: string): string {
  const names = (readdirSync(directory, { recursive: true }) as string[]).sort();
  return names
    .map((name) => {
      const stats = lstatSync(join(directory, name));
      return `${name} ${stats.mode} ${stats.isFile() ? readFileSync(join(directory, name), 'utf8') : ''}`;
    })
    .join('\n');
}

/** What may stand at a path instead of what its name says. */
export const variants: Record<string, (path: string, outside: string) => void> = {
  'a link to a file outside': (path, outside) => symlinkSync(join(outside, 'secret'), path),
  'a link to a directory outside': (path, outside) => symlinkSync(join(outside, 'dir'), path),
  'a link to /dev/zero': (path) => symlinkSync('/dev/zero', path),
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a file of 1 GB': (path) => {
    closeSync(openSync(path, 'w'));
    truncateSync(path, 1_073_741_824);
  },
};

/** A copy of a checkout for a command, with something else at a path. */
export async function hostileCopy(
  checkout: string,
  name: string,
  path: string,
  plant: (path: string) => void,
  env: Record<string, string> = {},
): Promise<HostileCopy> {
  const copy = realpathSync(tempDir());
  cpSync(checkout, copy, { recursive: true });
  const emulator =
    name in commandsWhileRunning
      ? await startCommand([], { cwd: copy, env: { ...env, CLOUDEMU_WORLDS_PERSIST: 'true' } })
      : undefined;
  rmSync(join(copy, path), { recursive: true, force: true });
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  plant(join(copy, path));
  return {
    copy,
    async end() {
      await emulator?.end('SIGKILL');
      rmSync(copy, { recursive: true, force: true });
    },
  };
}

interface HostileCopy {
  copy: string;
  /** Ends what runs in it, and removes it. */
  end(): Promise<void>;
}

export interface Measured extends Outcome {
  /** It did not end by itself. */
  hung: boolean;
  /** The most memory that it held. */
  megabytes: number;
  cpuSeconds: number;
}

/** Runs a command to its end; `start` gets the signal to end when it is ready. */
export async function measured(name: string, cwd: string, env: Record<string, string> = {}): Promise<Measured> {
  // Other commands have no data directory.
  const more = name === 'start' ? { CLOUDEMU_WORLDS_PERSIST: 'true' } : {};
  const { child, out, ended } = spawnCommand(all[name] ?? [], { cwd, env: { ...env, ...more } });
  const most = { megabytes: 0, cpuSeconds: 0, hung: false };
  const look = setInterval(() => {
    try {
      const kilobytes = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0);
      most.megabytes = Math.max(most.megabytes, Math.round(kilobytes / 1_024));
      const ticks = readFileSync(`/proc/${child.pid}/stat`, 'utf8').replace(/^.*\)/s, '').split(' ');
      most.cpuSeconds = Math.max(most.cpuSeconds, (Number(ticks[12]) + Number(ticks[13])) / 100);
    } catch {
      // It has just ended.
    }
    // The machine has no more for what would take all of it.
    if (most.megabytes > 1_000) child.kill('SIGKILL');
    if (name === 'start' && out.stdout.includes('\n')) child.kill('SIGTERM');
  }, 20);
  const limit = setTimeout(() => {
    most.hung = true;
    child.kill('SIGKILL');
  }, 60_000);
  const outcome = await ended;
  clearInterval(look);
  clearTimeout(limit);
  return { ...outcome, ...most };
}

const tracer = fileURLToPath(new URL('traced-files.cjs', import.meta.url));
/** Names that are others in each run. */
const random = /\d{4,}|[\da-f]{8}/;

/** Each path that one of the commands hands to the file system, or that is there afterwards, with those commands. */
export async function pathsOf(checkout: string): Promise<Map<string, Set<string>>> {
  const paths = new Map<string, Set<string>>();
  const add = (path: string, name: string): void => {
    for (let at = path; at !== '.'; at = dirname(at))
      if (!random.test(basename(at)) && !/^(client\.mjs|failing\.mjs|node_modules)/.test(at))
        paths.set(at, (paths.get(at) ?? new Set()).add(name));
  };
  for (const name of Object.keys(all)) {
    const traced = join(tempDir(), 'traced');
    writeFileSync(traced, '');
    const env = { NODE_OPTIONS: `--require=${tracer}`, TRACED_FILES: traced };
    const { copy, end } = await hostileCopy(checkout, name, 'none', () => {}, env);
    // What the emulator does for the command counts, not its start.
    writeFileSync(traced, '');
    await measured(name, copy, env);
    for (const path of readFileSync(traced, 'utf8').split('\n')) if (path !== '') add(path, name);
    // Libraries look for it, and Node.
    add('package.json', name);
    // SQLite opens its files itself.
    if (name === 'start')
      for (const path of readdirSync(join(copy, '.cloudemu'), { recursive: true }) as string[])
        add(join('.cloudemu', path), name);
    await end();
  }
  return paths;
}

/** What is wrong with how a command took a hostile path. */
export function faultsOf(
  { code, stdout, stderr, hung, megabytes, cpuSeconds }: Measured,
  { path, usual, isUnchanged }: { path: string; usual: readonly (number | null)[]; isUnchanged: boolean },
): string[] {
  const said = stdout + stderr;
  return [
    ...(isUnchanged ? [] : ['something outside has changed']),
    ...(hung ? ['it did not end'] : []),
    ...(megabytes < 300 ? [] : [`it took ${megabytes} MB`]),
    ...(cpuSeconds < 5 ? [] : [`it took ${cpuSeconds} s of CPU`]),
    ...(/Fault of cloudemu|Internal error/.test(said) ? [`it calls itself faulty: ${said.slice(0, 300)}`] : []),
    ...(said.includes('secret\n') ? ['it shows what is outside'] : []),
    ...(usual.includes(code) || code === 0 || code === null || said.includes(basename(path)) || isNone(said, path)
      ? []
      : [`it ends with ${code} and does not name the path: ${said.slice(0, 300)}`]),
  ];
}

// Nobody else writes the file that says where an emulator is: anything but such a file says that there is none.
const isNone = (said: string, path: string): boolean =>
  said.includes('No emulator runs in this directory') && ['.cloudemu', '.cloudemu/run.json'].includes(path);
