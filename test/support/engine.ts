// A container engine for tests: a stand-in in PATH that starts real processes, and an image whose process is a small app.

import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createEmulator, type Emulator, type EmulatorWorld } from '../../src/index.js';
import { tarOf } from '../../src/platform/registry/archive.js';
import { tempDir } from './command.js';
import { call, deploy, getContainer } from './emulator.js';
import { content, type Image, image, logIn, mediaTypes, type Repository } from './oci.js';

const standIn = fileURLToPath(new URL('engine-stand-in.mjs', import.meta.url));

interface Running {
  name: string;
  image: string;
  port: number;
  pid: number;
  memory: string;
  cpus: string;
}

export interface EngineStandIn {
  /** The variables that its commands need in their environment. */
  env: { PATH: string; ENGINE_STATE: string };
  /** How it behaves from now on. */
  set(settings: { down?: string[]; hangs?: string[]; foreign?: string[] }): void;
  /** The calls of one of its commands, each with its arguments. */
  calls(command: string): string[][];
  /** The containers that run in it. */
  containers(): Running[];
  images(): string[];
  /** Adds a container, as if it ran. */
  put(container: Running & { labels: string[] }): void;
}

/** Puts a stand-in under these names into a directory of its own. */
export function makeEngine(names: readonly ('docker' | 'podman')[] = ['docker']): EngineStandIn {
  const dir = tempDir();
  const bin = join(dir, 'bin');
  const state = join(dir, 'state');
  mkdirSync(bin);
  mkdirSync(state);
  for (const name of names) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${standIn}' ${name} "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  // Nothing else of the machine's: it may have engines.
  for (const name of ['sh', 'cat', 'rm']) symlinkSync(`/bin/${name}`, join(bin, name));
  const listed = (folder: string): string[] => {
    try {
      return readdirSync(join(state, folder)).sort();
    } catch {
      return [];
    }
  };
  return {
    env: { PATH: bin, ENGINE_STATE: state },
    set: (settings) => writeFileSync(join(state, 'settings'), JSON.stringify(settings)),
    calls: (command) =>
      readFileSync(join(state, 'calls'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as string[])
        .filter(([, called]) => called === command)
        .map(([, , ...args]) => args),
    containers: () =>
      listed('containers').map((name) => JSON.parse(readFileSync(join(state, 'containers', name), 'utf8'))),
    images: () => listed('images').map(decodeURIComponent),
    put: (container) => writeFileSync(join(state, 'containers', container.name), JSON.stringify(container)),
  };
}

/** Lets the emulators of this process find a stand-in, and no other engine. */
export function useEngine(engine: EngineStandIn): EngineStandIn {
  Object.assign(process.env, engine.env);
  return engine;
}

/**
 * An engine and an emulator that runs images in it, for all tests of a file: looking for an engine takes a while. Each test
 * starts a world of its own. The environment is as before when the file has ended.
 */
export function shareEngine(): { readonly engine: EngineStandIn; start(): Promise<EmulatorWorld> } {
  const environment = { ...process.env };
  let engine: EngineStandIn;
  let emulator: Emulator;
  beforeAll(async () => {
    engine = useEngine(makeEngine());
    emulator = await createEmulator({
      containers: { run: 'image', timing: 'instant' },
      clock: '2026-01-01T00:00:00Z',
      frozen: true,
    });
  });
  beforeEach(() => void useEngine(engine));
  afterAll(async () => {
    await emulator.close();
    Object.assign(process.env, environment);
  });
  return {
    get engine() {
      return engine;
    },
    start: () => emulator.createWorld(),
  };
}

const app = `
const { createServer } = require('node:http');
const { env } = process;
createServer((req, res) => {
  if (req.url === '/exit') process.exit(7);
  if (req.url === '/say') {
    console.log('a line of the app');
    console.error('an error of the app');
  }
  if (req.url === '/many') for (let i = 1; i <= 2_500; i++) console.log('line ' + i);
  if (req.url === '/long') console.log('x'.repeat(20_000));
  if (req.url === '/hurt') return res.writeHead(503).end('not well');
  if (req.url === '/health' && env.SICK === 'yes') return res.writeHead(500).end();
  res.end(JSON.stringify({ pid: process.pid, url: req.url, greeting: env.GREETING, lines: env.LINES }));
}).listen(Number(env.STAND_IN_PORT), '127.0.0.1', () => console.log('app listening'));
process.on('SIGTERM', () => {
  console.log('app asked to end');
  process.exit(0);
});
`;

/** An image whose process answers HTTP, writes lines and can be told to exit. */
export function appImage(architecture = 'amd64', config: Record<string, unknown> = {}) {
  const files = tarOf([{ path: 'app/server.cjs', content: Buffer.from(app), mode: 0o755 }]);
  return image({
    architecture,
    layers: [content(files, mediaTypes.layer)],
    config: { Entrypoint: ['node', '/app/server.cjs'], ...config },
  });
}

/** An emulator, or a world of one. */
export type Target = Pick<Emulator, 'url' | 'fetch' | 'apiKey' | 'controls'>;

/** Pushes an image and deploys it. */
export async function deployImage(emulator: Target, pushed: Image = appImage(), fields: Record<string, unknown> = {}) {
  const repository = await logIn(emulator);
  await repository.push('v1', pushed);
  return deployTag(emulator, repository, fields);
}

export const uriOf = (emulator: Target, { path }: Repository): string =>
  `${new URL(emulator.url).host}${path.slice('/v2'.length)}:v1`;

export const deployTag = (emulator: Target, repository: Repository, fields: Record<string, unknown> = {}) =>
  deploy(emulator, { ecr_image_uri: uriOf(emulator, repository), architecture: 'x86_64', ...fields });

export const urlOf = async (emulator: Target, { id }: { id: string }): Promise<string> =>
  (await getContainer(emulator, id)).url;

export const ask = async (url: string, path = '/'): Promise<any> => (await fetch(url + path)).json();

export async function linesOf(emulator: Target, { id }: { id: string }, query = '?tail=10000'): Promise<string[]> {
  const { body } = await call(emulator, 'GET', `/api/v1/containers/${id}/logs${query}`);
  return body.logs.map(({ level, message }: any) => (level === 'info' ? message : `${level}: ${message}`));
}

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
