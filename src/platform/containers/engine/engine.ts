// A container engine of this machine, docker or podman: finds it, loads and starts images, and cleans up after itself.

import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { Readable } from 'node:stream';
import { freshSeed } from '../../../core/random.js';
import { afterProcess, makeTemporary, type TemporaryDirectory } from '../../../db/temporary-directory.js';
import type { Spec } from '../wire/schema.js';
import { call, type EngineProcess, type OutputLine, startProcess } from './process.js';

export interface Engine {
  readonly program: Program;
  /** The processor of the machine on which it runs images: `amd64`, `arm64`. */
  readonly architecture: string;
  /**
   * Makes sure that the engine has an image.
   *
   * @param open opens the archive to load; called only when the engine lacks the image
   * @returns the engine's name of the image
   * @throws Error with what the engine said
   */
  load(digest: string, open: (name: string) => Readable): Promise<string>;
  /** Starts a loaded image; its output comes line by line. */
  start(image: string, spec: Spec, onLine: (line: OutputLine) => void): EngineProcess;
  /** Ends every process that was started, and removes the loaded images from the engine. */
  close(): Promise<void>;
}

type Program = 'docker' | 'podman';

const questions: [program: Program, args: string[]][] = [
  ['docker', ['version', '--format', '{{.Server.Os}} {{.Server.Arch}}']],
  ['podman', ['info', '--format', '{{.Host.OS}} {{.Host.Arch}}']],
];

/**
 * Finds an engine that works, and removes what a killed emulator has left in it.
 *
 * @param dataDir where this emulator keeps its data; null: in memory
 * @returns the engine, or why there is none
 */
export async function findEngine(dataDir: string | null): Promise<Engine | string> {
  const problems: string[] = [];
  for (const [program, question] of questions) {
    const { code, stdout, stderr } = await call(program, question, { limit: 5_000 });
    const [os, architecture = ''] = stdout.split(/\s+/);
    if (code === 0 && os === 'linux') return createEngine(program, architecture, dataDir);
    if (stderr === 'ENOENT') continue;
    problems.push(code === 0 ? `${program} runs no Linux images` : `${program} does not answer: ${lastLine(stderr)}`);
  }
  return problems.length === 0 ? 'neither docker nor podman is in PATH' : problems.join('; ');
}

const loadLimit = 600_000;
const label = 'cloudemu';
const images = `localhost/${label}`;

async function createEngine(program: Program, architecture: string, dataDir: string | null): Promise<Engine> {
  const host = shortHash(hostname());
  const directory = dataDir === null ? 'memory' : shortHash(dataDir);
  const owner = `${directory}-${host}-${process.pid}-${freshSeed().slice(0, 8)}`;
  await sweep(program, (other) => isOver(other, directory, host));
  const removeAfterKill = afterProcess(killed, program, `${label}=${owner}`, `${images}/${owner}`);
  const loads = new Map<string, Promise<string>>();
  let temporary: TemporaryDirectory | undefined;
  let started = 0;

  async function load(digest: string, open: (name: string) => Readable): Promise<string> {
    const name = `${images}/${owner}:${digest.slice('sha256:'.length)}`;
    const { code, stderr } = await call(program, ['load'], { limit: loadLimit, input: open(name) });
    if (code !== 0) throw new Error(`${program} could not load the image: ${lastLine(stderr)}`);
    return name;
  }

  return {
    program,
    architecture,
    load(digest, open) {
      const loading = loads.get(digest) ?? load(digest, open);
      loads.set(digest, loading);
      // A load that failed may succeed later.
      loading.catch(() => loads.delete(digest));
      return loading;
    },
    start(image, spec, onLine) {
      temporary ??= makeTemporary('cloudemu-engine-');
      const name = `${label}-${owner}-${++started}`;
      return startProcess(
        { program, name, label: `${label}=${owner}`, image, spec, directory: temporary.path },
        onLine,
      );
    },
    async close() {
      await Promise.allSettled(loads.values());
      await sweep(program, (other) => other === owner);
      await temporary?.remove();
      removeAfterKill();
    },
  };
}

// A shell runs this when the emulator's process has ended without cleaning up.
const killed = `ids=$("$0" ps --all --quiet --filter "label=$1"); [ -z "$ids" ] || "$0" rm --force $ids
images=$("$0" images --quiet --filter "reference=$2"); [ -z "$images" ] || "$0" rmi --force $images`;

/** Removes containers and images of the owners that `isSwept` names. */
async function sweep(program: Program, isSwept: (owner: string) => boolean): Promise<void> {
  const listed = await call(program, ['ps', '--all', '--filter', `label=${label}`, '--format', '{{.Names}}']);
  const containers = listed.stdout.split('\n').filter((name) => isSwept(/^cloudemu-(.+)-\d+$/.exec(name)?.[1] ?? ''));
  if (containers.length > 0) await call(program, ['rm', '--force', ...containers], { limit: 30_000 });
  const reference = ['--filter', `reference=${images}/*`, '--format', '{{.Repository}}:{{.Tag}}'];
  const kept = await call(program, ['images', ...reference]);
  const loaded = kept.stdout.split('\n').filter((name) => isSwept(name.split(':')[0]?.slice(images.length + 1) ?? ''));
  if (loaded.length > 0) await call(program, ['rmi', '--force', ...loaded], { limit: 30_000 });
}

// A data directory has one emulator at a time; otherwise the process must be gone, if it was one of this machine.
function isOver(owner: string, directory: string, host: string): boolean {
  const [, itsDirectory, itsHost, pid] = /^(\w+)-(\w+)-(\d+)-\w+$/.exec(owner) ?? [];
  if (itsDirectory === undefined) return false;
  if (itsDirectory !== 'memory' && itsDirectory === directory) return true;
  return itsHost === host && !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** The line of an engine's message that says what is wrong. */
function lastLine(message: string): string {
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  return (lines.at(-1) ?? 'it said nothing').trim().slice(0, 300);
}
