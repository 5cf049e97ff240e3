// The servers that `run` and `explore` open for the processes of their command: nobody else is heard.

import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openHelperServer } from '../../src/cli/test-worlds.js';

let server: Awaited<ReturnType<typeof openHelperServer>>;
let heard: unknown[] = [];
beforeAll(async () => {
  server = await openHelperServer((path, body, res) => {
    heard.push([path, body]);
    res.end('{"heard":true}');
  });
});
afterAll(() => server.close());

function post(
  { path, method = 'POST', headers = {} }: { path: string; method?: string; headers?: Record<string, string> },
  body = '{"a":1}',
): Promise<number | undefined> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false });
    sent.once('response', (answer) => resolve(answer.resume().statusCode)).once('error', reject);
    sent.end(body);
  });
}

it('hears those who know its URL', async () => {
  heard = [];
  const { pathname } = new URL(server.url);
  expect(await post({ path: `${pathname}/test` })).toBe(200);
  expect(await post({ path: pathname })).toBe(200);
  expect(heard).toEqual([
    ['/test', { a: 1 }],
    ['', { a: 1 }],
  ]);
  expect(pathname.length).toBeGreaterThan(40);
});

it('hears nobody else', async () => {
  heard = [];
  const { pathname: secret, port } = new URL(server.url);
  expect(await post({ path: '/test' })).toBe(403);
  expect(await post({ path: `${secret}x/test` })).toBe(403);
  expect(await post({ path: `${secret}/test`, method: 'GET' }, '')).toBe(403);
  expect(await post({ path: `${secret}/test`, headers: { host: `evil.example:${port}` } })).toBe(403);
  expect(await post({ path: `${secret}/test`, headers: { origin: 'https://evil.example' } })).toBe(403);
  expect(await post({ path: `${secret}/test`, headers: { origin: 'null' } })).toBe(403);
  expect(await post({ path: `${secret}/test` }, '{')).toBe(400);
  expect(heard).toEqual([]);
});

it('reads no body of any size', async () => {
  heard = [];
  const { pathname: secret } = new URL(server.url);
  const whole = JSON.stringify('x'.repeat(1_000_000));
  // It may close the connection before all of it is sent.
  expect([400, 'EPIPE', 'ECONNRESET']).toContain(
    await post({ path: `${secret}/test` }, whole).catch(({ code }: NodeJS.ErrnoException) => code),
  );
  expect(heard).toEqual([]);
});
