// Whose emulator answers: a directory has its own, and no command takes that of another one by chance.

import { cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { identityOf } from '../../src/core/root.js';
import { cli, startCommand, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { hasNetworks, inOwnNetwork } from '../support/own-network.js';
import { itWhere } from '../support/tools.js';

const it = test.concurrent;

/** A directory with something in it that makes it a root. */
function rootWith(mark: string): string {
  const directory = realpathSync(tempDir());
  if (mark === '.git') mkdirSync(join(directory, mark));
  else writeFileSync(join(directory, mark), '{}');
  mkdirSync(join(directory, 'src/deep'), { recursive: true });
  return directory;
}

it.for(['emulator.config.json', 'package.json', '.git'])('a directory with %s is a root', async (mark) => {
  const root = rootWith(mark);
  const emulator = await startCommand([], { cwd: join(root, 'src') });
  const identity = { root, name: basename(root), shared: false };
  expect(await (await fetch(emulator.health)).json()).toMatchObject({ identity });
  expect(JSON.parse(readFileSync(join(root, '.cloudemu/run.json'), 'utf8'))).toMatchObject({ identity });
  // From everywhere in it, commands find its emulator.
  for (const cwd of [root, join(root, 'src/deep')]) {
    const { stdout, code } = await runHere(['status', '--json'], { cwd });
    expect([JSON.parse(stdout).url, code]).toEqual([emulator.url, 0]);
  }
});

it('every response says whose it is, and for which world, whatever the directory is called', async () => {
  const foreign = join(tempDir(), '日本語');
  mkdirSync(foreign);
  const { name } = identityOf(foreign);
  expect(name).toMatch(/^root-[0-9a-f]{8}$/);
  const { url, control, apiKey } = await startCommand(['--ephemeral'], { cwd: foreign });
  await fetch(`${control}/worlds`, { method: 'POST', body: '{"id": "blue"}' });
  const auth = { authorization: `Bearer ${apiKey}` };
  const origin = { origin: 'http://localhost:3000' };
  const answers: [path: string, init: RequestInit, world: string][] = [
    ['/api/v1/containers', { headers: auth }, 'default'],
    ['/w/blue/api/v1/containers', {}, 'blue'],
    ['/no/such/path', {}, 'default'],
    ['/openapi.json', {}, 'default'],
    ['/v2/', {}, 'default'],
    ['/w/blue/_emulator/clock', {}, 'blue'],
    ['/_emulator/', {}, 'default'],
    ['/_emulator/no', {}, 'default'],
    ['/w/none/api/v1/containers', {}, 'default'],
    [
      '/api/v1/containers',
      { method: 'OPTIONS', headers: { ...origin, 'access-control-request-method': 'GET' } },
      'default',
    ],
    [
      '/api/v1/chat/completions',
      {
        method: 'POST',
        body: '{"stream": true, "model": "m", "messages": [{"role": "user", "content": "x"}]}',
        headers: auth,
      },
      'default',
    ],
  ];
  for (const [path, init, world] of answers) {
    const { headers } = await fetch(url + path, init);
    expect(headers.get('x-emulator'), path).toBe(`${name}/${world}`);
  }
  const { headers } = await fetch(`${url}/api/v1/containers`, { headers: { ...auth, ...origin } });
  expect(headers.get('access-control-expose-headers')).toMatch(/(^|, )X-Emulator(,|$)/);
});

it('the name fits into a header', () => {
  const parent = tempDir();
  const names = {
    'my shop': 'my-shop',
    'caffè\n"x"': 'caffe-x',
    '.hidden': 'hidden',
    [`${'x'.repeat(200)}`]: 'x'.repeat(63),
  };
  for (const [directory, name] of Object.entries(names)) {
    mkdirSync(join(parent, directory));
    expect(identityOf(join(parent, directory)).name).toBe(name);
  }
  expect(identityOf('/').name).toMatch(/^root-[0-9a-f]{8}$/);
});

it.concurrent('a copy of a checkout does not have its emulator', async () => {
  const root = rootWith('package.json');
  const emulator = await startCommand([], { cwd: root });
  const copy = `${root}-copy`;
  cpSync(root, copy, { recursive: true });
  for (const words of [['status'], ['env'], ['stop'], ['reset']]) {
    const { code, stdout } = await runHere(words, { cwd: copy });
    expect([code, stdout], words.join(' ')).toEqual([1, '']);
  }
  const own = await startCommand([], { cwd: copy });
  expect((await runHere(['env', '--format', 'json'], { cwd: copy })).stdout).toContain(own.url);
  expect((await runHere(['env', '--format', 'json'], { cwd: root })).stdout).toContain(emulator.url);
});

it.concurrent('a data directory that two roots name has the emulator of one', async () => {
  const state = tempDir();
  const [mine, other] = [rootWith('package.json'), rootWith('package.json')];
  const env = { CLOUDEMU_DATA_DIR: state };
  const emulator = await startCommand([], { cwd: mine, env });
  expect((await runHere(['status'], { cwd: mine, env })).code).toBe(0);
  for (const words of [['status'], ['env'], ['stop'], ['reset'], ['requests']]) {
    const { code, stdout, stderr } = await runHere(words, { cwd: other, env });
    expect([code, stdout]).toEqual([1, '']);
    for (const directory of [mine, other]) expect(stderr).toContain(directory);
  }
  const { stdout, code } = await runHere(['reset', '--json'], { cwd: other, env });
  expect([code, JSON.parse(stdout).error.code]).toEqual([1, 'FOREIGN_EMULATOR']);
  // Who names it means it.
  expect((await runHere(['status', '--url', emulator.url], { cwd: other })).code).toBe(0);
  expect((await runHere(['status'], { cwd: other, env: { CLOUDEMU_URL: emulator.url } })).code).toBe(0);
  expect((await runHere(['status', '--data-dir', state], { cwd: other })).code).toBe(0);
});

const withCommand = `
  import { spawnSync } from 'node:child_process';
  const { CLI, MINE, OTHER } = process.env;
  const run = (cwd, words, more = {}) => {
    const env = { PATH: process.env.PATH, HOME: cwd, ...more };
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...words.split(' ')], { cwd, env, encoding: 'utf8' });
    return { code: status, stdout, stderr };
  };
  const begin = (cwd, words = '', env = {}) => run(cwd, ('start --detach ' + words).trim(), env);
  const beginJson = (cwd, words = '') => begin(cwd, ('--json ' + words).trim());
`;

// 20 mix-ups, none of which reads or writes.
const commands = [
  'status',
  'env',
  'env --format json',
  'status --wait --timeout 200ms',
  'open --print',
  'requests',
  'container list',
  'ledger',
  'clock',
  'config show',
  'verdicts',
  'world list',
  'key list',
  'snapshot list',
  'openapi --url-of-none',
  'reset',
  'clock advance 1h',
  'world create',
  'snapshot take x',
  'fault clear',
  'stop',
].filter((words) => !words.startsWith('openapi'));

it('commands refuse the emulator of another directory at the default port', async () => {
  const [MINE, OTHER] = [rootWith('package.json'), rootWith('.git')];
  const program = `${withCommand}
    const first = beginJson(OTHER, '--ephemeral');
    const refused = ${JSON.stringify(commands)}.map((words) => ({ words, ...run(MINE, words) }));
    const json = run(MINE, 'status --json');
    const named = [run(MINE, 'status --url http://127.0.0.1:4747'), run(MINE, 'status', { CLOUDEMU_URL: 'http://127.0.0.1:4747' })];
    const seen = run(OTHER, 'requests --json');
    run(OTHER, 'stop');
    console.log(JSON.stringify({ first, refused, json, named, seen }));`;
  const { first, refused, json, named, seen } = await inOwnNetwork(program, { CLI: cli, MINE, OTHER });
  expect(JSON.parse(first.stdout)).toMatchObject({ port: 4747 });
  for (const { words, code, stdout, stderr } of refused) {
    expect([words, code, stdout]).toEqual([words, 1, '']);
    for (const directory of [MINE, OTHER]) expect(stderr, words).toContain(directory);
  }
  expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'FOREIGN_EMULATOR' } });
  expect(named).toMatchObject([{ code: 0 }, { code: 0 }]);
  expect(JSON.parse(seen.stdout).total).toBe(0);
});

itWhere(hasNetworks)('a start takes the next free port', async () => {
  const [MINE, OTHER] = [rootWith('package.json'), rootWith('.git')];
  const program = `${withCommand}
    const ports = [OTHER, MINE].map((cwd) => {
      const { port, pid } = JSON.parse(beginJson(cwd, '--ephemeral').stdout);
      return { port, pid };
    });
    for (const { pid } of ports) process.kill(pid);
    console.log(JSON.stringify(ports));`;
  const ports: { port: number }[] = await inOwnNetwork(program, { CLI: cli, MINE, OTHER });
  expect(ports.map(({ port }) => port)).toEqual([4_747, 4_748]);
});

it('a start takes the next free port, unless a port was asked for', async () => {
  const [MINE, OTHER] = [rootWith('package.json'), rootWith('.git')];
  const program = `${withCommand}
    import { writeFileSync } from 'node:fs';
    import { createServer } from 'node:net';
    const first = beginJson(OTHER);
    const asked = [begin(MINE, '--port 4747'), begin(MINE, '', { CLOUDEMU_PORT: '4747' })];
    writeFileSync(MINE + '/emulator.config.json', '{"server": {"port": 4747}}');
    asked.push(begin(MINE));
    writeFileSync(MINE + '/emulator.config.json', '{}');
    const server = createServer();
    await new Promise((listening) => server.listen(4748, '127.0.0.1', listening));
    const second = beginJson(MINE);
    const env = [OTHER, MINE, MINE + '/src/deep'].map((cwd) => JSON.parse(run(cwd, 'env --format json').stdout));
    const again = begin(OTHER, '--ephemeral --data-dir another');
    const stopped = [OTHER, MINE].map((cwd) => run(cwd, 'stop'));
    server.close();
    console.log(JSON.stringify({ first, asked, second, env, again, stopped }));`;
  const { first, asked, second, env, again, stopped } = await inOwnNetwork(program, { CLI: cli, MINE, OTHER });
  expect(JSON.parse(first.stdout)).toMatchObject({ port: 4747 });
  for (const { code, stderr } of asked) {
    expect(code).toBe(2);
    expect(stderr).toContain('Port 4747 is taken by another cloudemu');
  }
  expect(JSON.parse(second.stdout)).toMatchObject({ port: 4749 });
  expect(second.stderr).toBe(`note: port 4747 is taken by the emulator of ${OTHER}; this one has port 4749\n`);
  const urls = env.map((variables: Record<string, string>) => variables.CLOUD_BASE_URL);
  expect(urls).toEqual(['http://127.0.0.1:4747', 'http://127.0.0.1:4749', 'http://127.0.0.1:4749']);
  // One of the same directory: the port is its own.
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('Port 4747 is taken') });
  expect(stopped).toMatchObject([{ code: 0 }, { code: 0 }]);
});
