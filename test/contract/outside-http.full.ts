// Bytes that never become a request of an operation are answered like everything else: envelope, request id, limits.

import { describe, expect, it } from 'vitest';
import type { Emulator } from '../../src/index.js';
import { sendRaw } from '../campaigns/support/hostile-raw.js';
import { call, deploy, getContainer, startEmulator } from '../support/emulator.js';

const always = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-ratelimit-policy'];

function read(text: string): { status: number; headers: Record<string, string>; body: any } {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 1).trim()]),
  );
  return { status: Number(line.split(' ')[1]), headers, body: body === '' ? undefined : JSON.parse(body) };
}

function expectWhole({ headers, body }: { headers: Record<string, string>; body: any }, code: string): void {
  for (const name of always) expect([name, headers[name]]).toEqual([name, expect.stringMatching(/./)]);
  expect(headers['x-request-id']).toMatch(/^req_[0-9a-f]+$/);
  expect(body).toMatchObject({ success: false, error: { code, requestId: headers['x-request-id'] } });
  expect(body.error.message.length).toBeGreaterThan(10);
}

describe('what cannot be read as a request', () => {
  const host = 'Host: localhost\r\n';
  const post = `POST /api/v1/app/agents HTTP/1.1\r\n${host}`;
  it.each([
    ['no method', `FOO / HTTP/1.1\r\n${host}\r\n`, 400, 'VALIDATION_ERROR'],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\r\n\r\n', 400, 'VALIDATION_ERROR'],
    ['two lengths', `${post}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc`, 400, 'VALIDATION_ERROR'],
    ['a chunk without a size', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400, 'VALIDATION_ERROR'],
    ['no Host', 'GET /api/v1/user HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'VALIDATION_ERROR'],
    ['long headers', `GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(40_000)}\r\n\r\n`, 431, 'PAYLOAD_TOO_LARGE'],
    ['a long URL', `GET /${'a'.repeat(40_000)} HTTP/1.1\r\n${host}\r\n`, 414, 'PAYLOAD_TOO_LARGE'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'VALIDATION_ERROR'],
    [
      'a proxy’s request',
      'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n',
      405,
      'METHOD_NOT_ALLOWED',
    ],
    [
      'a WebSocket',
      `GET /api/v1/user HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      404,
      'ROUTE_NOT_FOUND',
    ],
  ])('is answered whole: %s', async (_name, text, status, code) => {
    const emulator = await startEmulator();
    const answer = read(await sendRaw(emulator.port, [text], false));
    expect(answer.status).toBe(status);
    expectWhole(answer, code);
  });

  it('gets an id of its own each time', async () => {
    const emulator = await startEmulator();
    const ids = new Set<string | undefined>();
    for (let n = 0; n < 3; n++) {
      const answer = read(await sendRaw(emulator.port, ['FOO / HTTP/1.1\r\n\r\n'], false));
      ids.add(answer.headers['x-request-id']);
    }
    ids.add((await call(emulator, 'GET', '/api/v1/user')).headers.get('x-request-id') ?? undefined);
    expect(ids.size).toBe(4);
  });

  it('is served whatever it expects beside 100-continue', async () => {
    const emulator = await startEmulator();
    const text = `GET /api/health HTTP/1.1\r\n${host}Expect: a-miracle\r\nConnection: close\r\n\r\n`;
    expect(read(await sendRaw(emulator.port, [text], false)).status).toBe(200);
  });

  it('gets no answer in the middle of another one', async () => {
    const emulator = await startEmulator({ timing: 'instant' });
    const { id } = await deploy(emulator);
    const auth = `Authorization: Bearer ${emulator.apiKey}\r\n`;
    const stream = `GET /api/v1/containers/${id}/logs/stream HTTP/1.1\r\n${host}${auth}\r\n`;
    const text = await sendRaw(emulator.port, [stream, 'FOO\r\n\r\n'], true);
    expect(text.match(/HTTP\/1\.1 /g) ?? []).toHaveLength(1);
  });
});

describe('a container’s address', () => {
  async function deployed(options = {}): Promise<{ emulator: Emulator; id: string; url: string }> {
    const emulator = await startEmulator({ timing: 'instant', ...options });
    const { id } = await deploy(emulator);
    return { emulator, id, url: (await getContainer(emulator, id)).url };
  }

  async function asked(url: string, init: RequestInit = {}) {
    const answer = await fetch(url, init);
    const text = await answer.text();
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: JSON.parse(text) };
  }

  it.each(['port', 'path'] as const)(
    'answers 503 whole while the container does not run, in style %s',
    async (urlStyle) => {
      const { emulator, id, url } = await deployed({ containers: { urlStyle } });
      emulator.controls.containers.stop(id);
      const answer = await asked(`${url}/health`);
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
      expectWhole(answer, 'SERVICE_UNAVAILABLE');
      expect(answer.body.error.message).toContain('it is stopped');
    },
  );

  it('answers 404 whole where there is no such container', async () => {
    const { emulator } = await deployed({ containers: { urlStyle: 'path' } });
    const answer = await asked(`${emulator.url}/_containers/none/`);
    expect([answer.status, answer.headers['content-security-policy']]).toEqual([404, 'sandbox']);
    expectWhole(answer, 'NOT_FOUND');
  });

  it('answers 502 whole where the upstream does not', async () => {
    const { url } = await deployed({ containers: { upstreams: { web: 1 } } });
    const answer = await asked(url);
    expect(answer.status).toBe(502);
    expectWhole(answer, 'SERVICE_UNAVAILABLE');
  });

  it('answers 403 whole under a foreign name, and 400 to what is not a request', async () => {
    const { url } = await deployed();
    const port = Number(new URL(url).port);
    const foreign = read(
      await sendRaw(port, ['GET / HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n'], false),
    );
    expect(foreign.status).toBe(403);
    expectWhole(foreign, 'FORBIDDEN');
    const none = read(await sendRaw(port, ['FOO / HTTP/1.1\r\n\r\n'], false));
    expect(none.status).toBe(400);
    expectWhole(none, 'VALIDATION_ERROR');
  });

  it('has errors in the style that the settings name', async () => {
    const { emulator, id, url } = await deployed({ profile: 'elizacloud-v1' });
    emulator.controls.containers.stop(id);
    const { body } = await asked(url);
    expect(body).toMatchObject({ success: false, error: expect.any(String), code: 'service_unavailable' });
  });
});

it.each([
  ['GET', '/v2/', 401],
  ['OPTIONS', '/v2/', 405],
  ['GET', '/v2/nothing', 404],
])('a response shows the limits on %s %s of the registry, in which it does not count', async (method, path, status) => {
  const emulator = await startEmulator();
  for (let n = 0; n < 3; n++) {
    const answer = await call(emulator, method, path, undefined, { authorization: '' });
    expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([status, '1000']);
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
  }
});
