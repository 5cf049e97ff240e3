// The proxies of docs/scale with the real programs, before emulators with worlds on disk.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { unlimited } from '../campaigns/support/crash.js';
import { freePort, type RunningCommand, startCommand, tempDir } from './command.js';
import { eventually } from './eventually.js';

const proxies: ChildProcess[] = [];
/** Ends the proxies that a file has started; nginx ends its workers only when it is asked. */
export function endProxies(): void {
  for (const proxy of proxies.splice(0)) proxy.kill('SIGTERM');
}

export const programs = {
  nginx: { file: 'nginx.conf', bind: (port: number) => `listen 127.0.0.1:${port};`, listen: 'listen 8080;' },
  haproxy: { file: 'haproxy.cfg', bind: (port: number) => `bind 127.0.0.1:${port}`, listen: 'bind :8080' },
};

/** The addresses of a proxy: where it answers, and where it tells of itself. */
export interface Proxy {
  url: string;
  watch: string;
}

/** The configuration as it is documented, with ports of this test. */
export async function startProxy(program: keyof typeof programs, nodes: readonly number[]): Promise<Proxy> {
  const { file, bind, listen } = programs[program];
  const [port, watch, dir] = [await freePort(), await freePort(), tempDir()];
  let text = readFileSync(new URL(`../../docs/scale/${file}`, import.meta.url), 'utf8').replace(listen, bind(port));
  // A further process is a further line.
  const last = /^ +server .*:4753.*\n/m.exec(text)?.[0] ?? '';
  const next = (n: number): string => last.replace('4753', String(4751 + n)).replace('server c ', `server n${n} `);
  const further = nodes.slice(3).map((_, n) => next(n + 3));
  text = text.replaceAll(last, `${last}${further.join('')}`);
  for (const [n, node] of nodes.entries()) text = text.replaceAll(`127.0.0.1:${4751 + n}`, `127.0.0.1:${node}`);
  text = text.replace(':8404', `:${watch}`);
  expect(text).not.toMatch(/:475\d\b|:8080\b/);
  text = text.replaceAll('cloudemu-worlds', `cloudemu-${port}`);
  // This user may write there.
  const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((what) => `${what}_temp_path ${dir}/${what};`);
  text = text.replace('http {', `http {\n${kept.join('\n')}`);
  writeFileSync(join(dir, file), text);
  const args =
    program === 'nginx'
      ? ['-c', join(dir, file), '-e', 'stderr', '-g', `daemon off; pid ${dir}/nginx.pid;`]
      : ['-db', '-f', join(dir, file)];
  const proxy = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  proxies.push(proxy);
  let said = '';
  proxy.stderr.on('data', (piece: Buffer) => (said += String(piece)));
  const url = `http://127.0.0.1:${port}`;
  // Whatever it answers, it listens.
  let listens = false;
  const look = (): void =>
    void fetch(`${url}/_emulator/health`).then(
      () => (listens = true),
      () => {},
    );
  await eventually(() => {
    if (proxy.exitCode !== null) throw new Error(said);
    if (!listens) look();
    return listens;
  });
  return { url, watch: `http://127.0.0.1:${watch}` };
}

/** An emulator behind a proxy. */
export interface Node {
  dir: string;
  port: number;
  running: RunningCommand;
}

/** An emulator whose worlds are on disk; the same directory and port start it again. */
export async function startNode(upstream = 0, dir = tempDir(), port = 0): Promise<Node> {
  const env = {
    ...unlimited,
    CLOUDEMU_WORLDS_PERSIST: 'true',
    CLOUDEMU_WORLDS_OPEN: '30',
    CLOUDEMU_SERVER_WORLD_DOMAIN: 'emulator.example',
    CLOUDEMU_CONTAINERS_URL_STYLE: 'path',
    CLOUDEMU_CONTAINERS_TIMING: 'instant',
    CLOUDEMU_CONTAINERS_UPSTREAMS: JSON.stringify({ socket: upstream }),
  };
  const args = ['--quiet', '--seed', 'one-for-all', ...(port === 0 ? [] : ['--port', String(port)])];
  const running = await startCommand(args, { cwd: dir, env });
  return { dir, port: Number(new URL(running.url).port), running };
}
