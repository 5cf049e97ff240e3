// Text of clients reaches no terminal raw, wherever a client can put it and whatever shows it.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect as connectTo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { controlOperations } from '../../src/app/controls.js';
import { connect } from '../../src/client/connect.js';
import { createEmulator, type Emulator } from '../../src/index.js';
import { spawnCommand, startCommand, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { commands } from '../support/commands.js';
import { call, deploy } from '../support/emulator.js';

/** Sets a title, makes it red, in C1 form too, turns the direction of reading, breaks the line. */
const hostile = 'x\u001b]0;x\u0007\u009b31m\u007f\u202ey\u2066z\u200f\u061c\u2028q\r\nw';
const obeyed = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
const shown = '\\u001b]0;x\\u0007\\u009b31m\\u007f\\u202ey\\u2066z\\u200f\\u061c\\u2028q';

// Node's own clients send no such bytes in a header; its server refuses them in a path.
function raw(url: string, text: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connectTo({ host: hostname, port: Number(port) }, () => socket.end(Buffer.from(text, 'latin1')));
    socket
      .on('close', () => resolve())
      .on('error', reject)
      .resume();
  });
}

const rawRequest = (apiKey: string): string =>
  [
    'GET /api/v1/containers/%9b31m HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${apiKey}`,
    'User-Agent: agent\x9b31m',
    'X-Custom: a\x9b31m',
    'Connection: close',
    '',
    '',
  ].join('\r\n');

async function plant(emulator: Emulator): Promise<void> {
  const { controls, apiKey, url } = emulator;
  await deploy(emulator, { name: hostile, project_name: hostile, environment_vars: { EMULATOR_FAIL: 'oom-start' } });
  await deploy(emulator, { [hostile]: 1, environment_vars: { A: hostile } });
  await call(emulator, 'POST', '/api/v1/app/agents', { [hostile]: 1, name: hostile, bio: hostile });
  await call(emulator, 'POST', '/api/v1/app/agents', { name: hostile, boi: hostile, [`bi${hostile}`]: 1 });
  await call(emulator, 'POST', '/api/v1/api-keys', { name: hostile, description: hostile });
  await call(emulator, 'PATCH', '/api/v1/user', { name: hostile });
  await call(emulator, 'POST', '/api/v1/chat/completions', {
    model: hostile,
    messages: [{ role: 'user', content: hostile }],
  });
  await call(emulator, 'GET', `/api/v1/containers/${encodeURIComponent(hostile)}?${encodeURIComponent(hostile)}=1`);
  await raw(url, rawRequest(apiKey));
  controls.organizations.create({ name: hostile });
  controls.users.create({ name: hostile });
  controls.keys.create({ name: hostile });
  controls.faults.add({ match: { operation: 'voice.list', headers: { 'x-a': hostile } }, effect: { body: hostile } });
  controls.replies.add({ text: hostile, model: hostile });
  controls.scenarios.save({ name: 'mine', title: hostile, description: hostile });
  await controls.clock.advance('1m');
}

let emulator: Emulator;
const here = (line: string[]) => runHere([...line, '--url', emulator.url]);
const lastOf = (list: unknown[]): any => list.at(-1);

beforeAll(async () => {
  // Not strict: what is told of unknown fields is text of clients, too.
  emulator = await createEmulator({ clock: '2026-01-01T00:00:00Z', frozen: true });
  await plant(emulator);
  return () => emulator.close();
});

const toIt = ([word = '']: string[]): string[] =>
  ['container', 'requests', 'scenario'].includes(word) ? ['--url', emulator.url] : [];

describe('nothing raw', () => {
  const reading = commands.filter(({ operation }) =>
    controlOperations.some(
      ({ id, method, responses }) =>
        id === operation && method === 'GET' && responses[200]?.contentTypes?.includes('text/event-stream') !== true,
    ),
  );
  const named: Record<string, () => string[]> = {
    'requests show': () => [
      emulator.controls.requests.list({ operation: 'agents.create' }).requests[0]?.requestId ?? '',
    ],
    'container show': () => [lastOf(emulator.controls.containers.list()).id],
    'faults show': () => [lastOf(emulator.controls.faults.list()).id],
    'scenario show': () => ['mine'],
    'snapshot export': () => ['none'],
    'job show': () => ['none'],
  };

  it.each(reading.map(({ words }) => words))('is printed by %s', async (words) => {
    for (const flags of [[], ['--json']]) {
      const { stdout, stderr } = await here([...words.split(' '), ...(named[words]?.() ?? []), ...flags]);
      expect(stdout + stderr).not.toMatch(obeyed);
      expect(stdout + stderr).not.toBe('');
      if (flags.length > 0 && stdout !== '') JSON.parse(stdout);
    }
  });

  it.each([[[]], [['--json']]])('is printed by container logs with %j, which shows what was planted', async (flags) => {
    const name = `logged-${flags.length}`;
    const variables = { EMULATOR_FAIL: 'health-path' };
    const spec = { name, project_name: name, health_check_path: `/${hostile}`, environment_vars: variables };
    const { id } = await deploy(emulator, spec);
    await emulator.controls.clock.advance('1m');
    const { stdout, stderr } = await here(['container', 'logs', id, ...flags]);
    expect(stdout + stderr).not.toMatch(obeyed);
    expect(stdout.replaceAll('\\\\u', '\\u')).toContain(shown);
  });

  it.each<[string, string[]]>([
    ['organization list', []],
    ['key list', []],
    ['faults show', ['fault_1']],
    ['replies list', []],
    ['scenario list', []],
    ['verdicts', []],
    ['container list', []],
  ])('and %s shows what was planted', async (words, args) => {
    for (const flags of [[], ['--json']]) {
      const { stdout } = await here([...words.split(' '), ...args, ...flags]);
      expect(stdout.replaceAll('\\\\u', '\\u')).toContain(shown);
    }
  });

  it.each([
    [[hostile]],
    [['clock', hostile]],
    [['clock', 'advance', hostile]],
    [['faults', 'add', `{${hostile}`]],
    [['faults', 'add', hostile]],
    [['start', `--${hostile}`]],
    [['start', '--port', hostile]],
    [['start', '--profile', hostile]],
    [['run', hostile, '--', 'true']],
    [['status', '--url', hostile]],
    [['status', '--url', `http://${hostile}`]],
    [['status', '--data-dir', hostile]],
    [['container', 'show', `no${hostile}`]],
    [['requests', 'show', hostile]],
    [['scenario', 'apply', hostile]],
    [['completion', hostile]],
    [['env', '--format', hostile]],
    [['wallet', 'sign', 'siwe', '--wrong', hostile]],
    [['openapi', '--base-url', `ftp://${hostile}`]],
  ])('is told of what was typed, case %#', async (line) => {
    const { stdout, stderr, code } = await runHere([...line, ...toIt(line)]);
    expect(stdout + stderr).not.toMatch(obeyed);
    expect(code).toBeGreaterThan(0);
    // Nothing of it stands on a line of its own.
    expect(stderr).not.toMatch(/^w/m);
  });
});

describe('the request log', () => {
  it.each(['pretty', 'json'])('in its form %s', async (format) => {
    const running = await startCommand(['--ephemeral'], { env: { CLOUDEMU_LOG_FORMAT: format } });
    await raw(running.url, rawRequest(running.apiKey));
    await fetch(`${running.url}/api/v1/app/agents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${running.apiKey}` },
      body: JSON.stringify({ name: 'a', [`bi${hostile}`]: 1 }),
    });
    const { stderr } = await running.end();
    expect(stderr).not.toMatch(obeyed);
    expect(stderr).toContain('\\u009b31m');
    expect(stderr.split('\n').filter((line) => line.includes('/api/v1'))).toHaveLength(2);
  });
});

describe('what run prints', () => {
  it('and writes as JUnit', async () => {
    const dir = tempDir();
    mkdirSync(join(dir, 'scenarios'));
    const document = { title: 'T', expect: { requests: [{ operation: 'agents.create', status: 500 }] } };
    writeFileSync(join(dir, 'scenarios/mine.json'), JSON.stringify(document));
    const client = `
      const { CLOUDEMU_URL: url, CLOUD_API_KEY: key } = process.env;
      const body = JSON.stringify({ name: 'a', ['bi' + ${JSON.stringify(hostile)}]: 1 });
      await fetch(url + '/api/v1/app/agents', { method: 'POST', headers: { authorization: 'Bearer ' + key }, body });`;
    const line = ['run', 'mine', '--junit', 'report.xml', '--', process.execPath, '--input-type=module', '-e', client];
    for (const flags of [[], ['--json']]) {
      const { stdout, stderr, code } = await runHere([...line.slice(0, 2), ...flags, ...line.slice(2)], { cwd: dir });
      expect(code).toBe(1);
      expect(stdout).toContain('no-unknown-fields');
      expect(stdout + stderr + readFileSync(join(dir, 'report.xml'), 'utf8')).not.toMatch(obeyed);
    }
  });
});

it('raw text of a client is in no report of a world, which tests print', async () => {
  const world = await connect({ url: emulator.url }).createWorld();
  await world.fetch('/api/v1/app/agents', {
    method: 'POST',
    headers: { authorization: `Bearer ${world.apiKey}` },
    body: JSON.stringify({ name: 'a', [`bi${hostile}`]: 1 }),
  });
  const { text } = await world.report();
  expect(text).toContain('\\u009b31m');
  expect(text).not.toMatch(obeyed);
});

describe('what follows', () => {
  it.each([[['requests', 'follow', '--since', '0', '--json']], [['requests', 'follow', '--since', '0']]])(
    'prints no raw text: %j',
    async (line) => {
      const following = spawnCommand([...line, '--url', emulator.url]);
      await new Promise<void>((resolve) =>
        following.child.stdout.on('data', () => following.out.stdout.includes('%1B') && resolve()),
      );
      following.child.kill('SIGINT');
      const { stdout } = await following.ended;
      expect(stdout).not.toMatch(obeyed);
      if (line.includes('--json')) expect(stdout).toContain('\\u009b31m');
    },
  );
});
