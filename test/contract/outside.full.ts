// Every answer outside the control plane: what stands on it, and which paths have which methods.

import { expect, it } from 'vitest';
import { call, startEmulator } from '../support/emulator.js';

it.each([
  ['GET', '/w/none/api/v1/containers', 404],
  ['POST', '/w/none/anything', 404],
  ['GET', '/openapi.json', 200],
  ['HEAD', '/api/openapi.json', 200],
  ['POST', '/openapi.json', 405],
  ['GET', '/', 404],
  ['DELETE', '/api/v1/voice/list', 405],
])('a response reports limits and has a request id on %s %s', async (method, path, status) => {
  const emulator = await startEmulator();
  const answer = await call(emulator, method, path);
  expect(answer.status).toBe(status);
  for (const name of ['limit', 'remaining', 'reset', 'policy'])
    expect([name, answer.headers.get(`x-ratelimit-${name}`)]).toEqual([name, expect.any(String)]);
  expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]+$/);
  if (status >= 400) expect(answer.body.error.requestId).toBe(answer.headers.get('x-request-id'));
});

it('a preflight has limits and a request id too, of a world that does not exist as well', async () => {
  const emulator = await startEmulator();
  for (const path of ['/api/v1/containers', '/w/none/api/v1/containers']) {
    const headers = { origin: 'http://localhost:3000', 'access-control-request-method': 'GET', authorization: '' };
    const answer = await call(emulator, 'OPTIONS', path, undefined, headers);
    expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([204, '1000']);
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    expect(answer.headers.get('access-control-allow-methods')).toContain('PATCH');
  }
});

it('a page may read the response of an unknown world', async () => {
  const emulator = await startEmulator();
  const answer = await call(emulator, 'GET', '/w/none/api/v1/user', undefined, { origin: 'http://localhost:3000' });
  expect(answer.headers.get('access-control-allow-origin')).toBe('http://localhost:3000');
  expect(answer.body.error.message).toBe('There is no world "none"');
  // No hint at other profiles, which have the path, too, but not the world.
  const named = await call(emulator, 'GET', '/api/v1/containers', undefined, { 'x-emulator-world': 'none' });
  expect([named.status, named.body.error.message]).toEqual([404, 'There is no world "none"']);
});

it.each([
  ['DELETE', '/api/v1/voice/list', 'GET, HEAD'],
  ['PATCH', '/api/v1/voice/jobs', 'GET, HEAD'],
  ['GET', '/api/v1/voice/tts', 'POST'],
  ['GET', '/api/v1/voice/clone', 'POST'],
  ['DELETE', '/api/v1/containers/credentials', 'GET, HEAD, POST'],
  ['PATCH', '/api/v1/containers/quota', 'GET, HEAD'],
  ['PATCH', '/api/v1/containers/credentials', 'GET, HEAD, POST'],
  ['GET', '/api/v1/knowledge/query', 'POST'],
  ['PUT', '/api/v1/voice/no-id', 'GET, HEAD, PATCH, DELETE'],
  ['DELETE', '/openapi.json', 'GET, HEAD'],
])('a wrong method is 405 to %s %s before parameters are checked', async (method, path, allow) => {
  const emulator = await startEmulator();
  const answer = await call(emulator, method, path);
  expect(answer.status).toBe(405);
  const sorted = (list: string | null) => (list ?? '').split(', ').sort();
  expect(sorted(answer.headers.get('allow'))).toEqual(sorted(allow));
});

it.each(['application/json', 'application/x-www-form-urlencoded'])(
  'a body of %s that is no UTF-8 is refused',
  async (type) => {
    const emulator = await startEmulator();
    const body = Buffer.from('7b226e616d65223a22ff227d', 'hex');
    for (const path of ['/api/v1/app/agents', '/auth/login']) {
      const headers = { authorization: `Bearer ${emulator.apiKey}`, 'content-type': type };
      const answer = await emulator.fetch(path, { method: 'POST', headers, body });
      expect([answer.status, ((await answer.json()) as any).error.code]).toEqual([400, 'INVALID_JSON']);
    }
  },
);
