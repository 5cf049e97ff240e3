// Finds of hostile requests, kept from coming back.

import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StoreError } from '../../src/core/errors.js';
import { holdLock } from '../../src/db/connection.js';
import { openDb } from '../../src/db/db.js';
import { tempDir } from '../support/command.js';
import { call, startEmulator } from '../support/emulator.js';

it.each([
  ['page=9007199254740992', 'query.page must be at most 9007199254740991'],
  [`page=${'9'.repeat(400)}`, 'query.page must be at most 9007199254740991'],
  [`page=-${'9'.repeat(400)}`, 'query.page must be at least'],
  ['limit=10000000000000000', 'query.limit must be at most'],
  ['limit=1.5', 'query.limit must be a whole number'],
  ['limit=x', 'query.limit must be a number'],
])('a refusal reports the bounds of a number: %s', async (query, message) => {
  const emulator = await startEmulator();
  const { status, body } = await call(emulator, 'GET', `/api/my-agents/characters?${query.slice(0, 500)}`);
  expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
});

it('names that every object has are names like others', async () => {
  const emulator = await startEmulator();
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const answer = await call(emulator, 'GET', `/api/credits/transactions?${name}=1&limit=5`);
    expect([name, answer.status]).toEqual([name, 200]);
    expect(answer.headers.get('x-emulator-warning')).toContain(encodeURIComponent(name));
  }
});

it('half a surrogate pair is refused, and a body that breaks is reported by place, without repeating it', async () => {
  const emulator = await startEmulator();
  const half = await call(emulator, 'POST', '/api/v1/app/agents', '{"name":"\\ud800"}');
  expect([half.status, half.body.error.code]).toEqual([400, 'INVALID_JSON']);
  expect(half.body.error.message).toContain('half of a surrogate pair');
  const broken = await call(emulator, 'POST', '/api/v1/app/agents', '{\n  "name": hunter2\n}');
  expect(broken.body.error.message).toBe('The body is not valid JSON: unexpected character at line 2, column 11');
});

it('expiries at the end of time get a response', async () => {
  const emulator = await startEmulator();
  for (const expires_at of ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-23:59']) {
    const { status } = await call(emulator, 'POST', '/api/v1/api-keys', { name: 'x', expires_at });
    expect([expires_at, status < 500]).toEqual([expires_at, true]);
    expect((await call(emulator, 'GET', '/api/v1/api-keys')).status).toBe(200);
  }
});

it('the clock does not reach the year 10000', async () => {
  const emulator = await startEmulator({ clock: '9999-12-01T00:00:00Z' });
  const answer = await call(emulator, 'POST', '/_emulator/clock/advance', { by: '60d' });
  expect(answer.status).toBe(400);
  expect((await call(emulator, 'GET', '/api/v1/credits/summary')).status).toBe(200);
});

it('a file that cannot be opened is reported in a sentence', () => {
  const dir = tempDir();
  mkdirSync(join(dir, 'world.db'));
  for (const act of [
    () => openDb(join(dir, 'world.db')),
    () => holdLock(join(dir, 'world.db')),
    () => openDb(join(dir, 'none/world.db')),
  ]) {
    expect(act).toThrow(StoreError);
    expect(act).toThrow(/world\.db cannot be used: (?!SqliteError).*\. Choose another --data-dir/);
  }
});

async function rawAnswer(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

it.each(['http://[::1/api', 'http://[::1/_emulator/health', 'http://', 'http://a:99999999/api', 'HTTP://['])(
  'a request target that cannot be read gets a response: %s',
  async (target) => {
    const emulator = await startEmulator();
    const answer = await rawAnswer(
      emulator.port,
      `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/X-Request-Id: req_/i);
    expect(answer).toContain('request target must be a path or a whole URL');
    expect(emulator.controls.requests.list().requests[0]).toMatchObject({ status: 400, path: target });
  },
);

it('names that differ only behind the cut are reported as one problem', async () => {
  const emulator = await startEmulator({ strict: { inputs: true } });
  const names = { ['x'.repeat(300)]: 1, ['x'.repeat(400)]: 1, ['x'.repeat(200)]: 1 };
  const { status, body } = await call(emulator, 'POST', '/api/v1/embeddings', { ...names, model: 'm', input: 'a' });
  expect(status).toBe(400);
  const unknown = body.error.details.filter(({ message }: { message: string }) => message === 'is unknown');
  expect(unknown.map(({ path }: { path: string }) => path)).toEqual([`${'x'.repeat(200)}…`, 'x'.repeat(200)]);
});
