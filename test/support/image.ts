// The image without an engine: the last stage of the Dockerfile, its file system, and programs that run in it.

import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunOptions, tempDir } from './command.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Image {
  base: string;
  env: Record<string, string>;
  user: number;
  workdir: string;
  volume: string;
  entrypoint: string[];
  command: string[];
  /** The command of the health check. */
  health: string[];
  /** The files that the build stage gives: from, to. */
  copies: [string, string][];
}

/** The image as the Dockerfile describes it. */
export function readImage(): Image {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const last = text.slice(text.lastIndexOf('\nFROM ') + 1);
  const all = (word: string): string[] =>
    [...last.matchAll(new RegExp(`^${word} (.*)$`, 'gm'))].map((match) => match[1] ?? '');
  const only = (word: string): string => {
    const [value, ...more] = all(word);
    if (value === undefined || more.length > 0) throw new Error(`the Dockerfile needs one ${word}`);
    return value;
  };
  return {
    base: only('FROM'),
    env: Object.fromEntries(all('ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('=')))),
    user: Number(only('USER')),
    workdir: only('WORKDIR'),
    volume: only('VOLUME'),
    entrypoint: JSON.parse(only('ENTRYPOINT')),
    command: JSON.parse(only('CMD')),
    health: JSON.parse(only('HEALTHCHECK').replace(/^.*CMD /, '')),
    copies: all('COPY').map((line) => line.split(' ').slice(-2) as [string, string]),
  };
}

/** The libraries that the executable asks for, by name, and where they lie here. */
export function librariesOf(program: string): Map<string, string> {
  const text = execFileSync('ldd', [program], { encoding: 'utf8' });
  return new Map(
    [...text.matchAll(/^\s*(?:\S+ => )?(\/\S+)/gm)].map(([, file = '']) => [file.replace(/.*\//, ''), file]),
  );
}

/** The image's file system: the libraries that its base has, and what the Dockerfile adds. */
export function assembleImage({ copies }: Image): string {
  const folder = tempDir();
  chmodSync(folder, 0o755);
  for (const name of ['proc', 'dev/shm', 'tmp', 'data', 'usr/bin']) mkdirSync(join(folder, name), { recursive: true });
  for (const [from, to] of copies) {
    const source = from.replace(/^\/build\//, root);
    if (from.startsWith('/build/dist/')) copyFileSync(source, join(folder, to));
  }
  for (const file of librariesOf(join(root, 'dist/cloudemu')).values()) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    copyFileSync(file, join(folder, file));
  }
  return folder;
}

/** How a container of the image is run; `env` is its own. */
export function inImage(
  image: Image,
  folder: string,
  env: Record<string, string> = {},
): RunOptions & { volume: string } {
  const volume = tempDir();
  // Engines do so when a volume is new: it is whose the image's directory is.
  chownSync(volume, image.user, image.user);
  const variables = Object.entries({ PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...image.env, ...env });
  const script = join(root, 'test/support/as-container.sh');
  return {
    volume,
    program: [
      ...['env', '-i', ...variables.map((pair) => pair.join('='))],
      ...['bash', script, folder, volume, String(image.user), ...image.entrypoint],
    ],
  };
}
