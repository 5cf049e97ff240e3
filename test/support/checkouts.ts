// Checkouts beside each other that share an emulator, and the command in them.

import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, type RunningCommand, run, startCommand, tempDir } from './command.js';
import { runHere } from './command-here.js';

/** A directory above checkouts, with the state directory of their user. */
export interface Ground {
  dir: string;
  env: Record<string, string>;
  /** The directory of the shared emulator. */
  state: string;
  /** Runs the command in a checkout: one that starts an emulator beside it as a process of its own. */
  run(cwd: string, words: string, env?: Record<string, string>): Promise<Outcome>;
  /** Runs `env` in a checkout: the base URL and the key; as a process of its own where others run beside it. */
  client(cwd: string, words?: string, runs?: typeof run): Promise<Client>;
  startShared(args?: readonly string[]): Promise<RunningCommand>;
  start(cwd: string): Promise<RunningCommand>;
}

export interface Client {
  url: string;
  apiKey: string;
  /** Deploys something under a name. */
  deploy(name: string): Promise<number>;
  /** The names of what is deployed. */
  names(): Promise<string[]>;
}

export function ground(): Ground {
  const dir = realpathSync(tempDir());
  const env = { XDG_STATE_HOME: join(dir, 'state'), HOME: dir };
  const words = (line: string): string[] => line.split(' ').filter((word) => word !== '');
  return {
    dir,
    env,
    state: join(dir, 'state/cloudemu'),
    run: (cwd, line, more = {}) =>
      (line.includes('--detach') ? run : runHere)(words(line), { cwd, env: { ...env, ...more } }),
    async client(cwd, line = '', runs = runHere) {
      const { code, stdout, stderr } = await runs(words(`env --format json ${line}`), { cwd, env });
      if (code !== 0) throw new Error(stderr);
      const { CLOUD_BASE_URL: url = '', CLOUD_API_KEY: apiKey = '' } = JSON.parse(stdout) as Record<string, string>;
      return clientOf(url, apiKey);
    },
    startShared: (args = []) => startCommand(['--shared', ...args], { cwd: dir, env }),
    start: (cwd) => startCommand([], { cwd, env }),
  };
}

export function clientOf(url: string, apiKey: string): Client {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return {
    url,
    apiKey,
    async deploy(name) {
      const body = JSON.stringify({ name, project_name: name, ecr_image_uri: 'registry.local/web:v1' });
      return (await fetch(`${url}/api/v1/containers`, { method: 'POST', headers, body })).status;
    },
    async names() {
      const answer = await fetch(`${url}/api/v1/containers`, { headers });
      if (!answer.ok) throw new Error(`${answer.status} at ${url}`);
      const { data } = (await answer.json()) as { data: { project_name: string }[] };
      return data.map(({ project_name }) => project_name).sort();
    },
  };
}

/** A directory that is a root of its own, without version control. */
export function plainRoot(parent: string, name: string): string {
  const root = join(parent, name);
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'package.json'), '{}');
  return root;
}

/** A directory on a branch, as git would make it; an empty name makes HEAD a commit. */
export function switchTo(root: string, branch: string): void {
  mkdirSync(join(root, '.git'), { recursive: true });
  writeFileSync(join(root, '.git/HEAD'), branch === '' ? `${'0'.repeat(40)}\n` : `ref: refs/heads/${branch}\n`);
}

/** A repository by git itself, with a commit on main. */
export function repository(root: string): (...words: string[]) => void {
  mkdirSync(root, { recursive: true });
  const git = (...words: string[]): void => {
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...words], {
      cwd: root,
      stdio: 'ignore',
    });
  };
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  return git;
}
