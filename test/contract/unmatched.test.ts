// Paths and methods that nothing answers are explained, known callers or not.

import { expect, it } from 'vitest';
import { call, startWorld } from '../support/emulator.js';

it('an unknown path is refused with the nearest one', async () => {
  const world = await startWorld();
  const answer = await call(world, 'GET', '/api/v1/container');
  expect(answer.status).toBe(404);
  expect(answer.body.error).toMatchObject({
    code: 'ROUTE_NOT_FOUND',
    details: { nearest: expect.arrayContaining(['GET /api/v1/containers']) },
  });
  expect(answer.headers.get('x-ratelimit-limit')).not.toBeNull();
});

it.each([
  ['POST', '/v1/chat/completions', 'POST /api/v1/chat/completions'],
  ['GET', '/containers', 'GET /api/v1/containers'],
  ['GET', '/api/v1/api/v1/models', 'GET /api/v1/models'],
])('a refusal names first what %s %s means under a wrong base URL', async (method, path, meant) => {
  const answer = await call(await startWorld(), method, path, method === 'POST' ? {} : undefined);
  expect(answer.body.error.message).toContain(`Nearest: ${meant}`);
});

it.each([
  '//',
  '/api/v1/containers//',
  '/%',
  '/%2e%2e/',
  '/w/',
  '/w/none/api/v1/containers',
  '/api/v1/containers/%00',
  `/${'a'.repeat(5_000)}`,
])('an unmatched request is 4xx: %s', async (path) => {
  const world = await startWorld();
  const answer = await call(world, 'GET', path);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
});

it('any OPTIONS of the API gets the response of a preflight', async () => {
  const world = await startWorld();
  for (const path of ['/api/v1/containers', '/api/nothing']) {
    const answer = await call(world, 'OPTIONS', path, undefined, { authorization: '' });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(answer.headers.get('access-control-allow-methods')).toContain('PATCH');
  }
  expect((await call(world, 'OPTIONS', '/other')).status).toBe(404);
});

it('a preflight is not counted', async () => {
  const world = await startWorld();
  const answer = await call(world, 'OPTIONS', '/api/v1/containers', undefined, {
    origin: 'https://app.example',
    'access-control-request-method': 'POST',
  });
  expect(answer.status).toBe(204);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  const counted = await call(world, 'GET', '/api/v1/containers', undefined, { origin: 'http://localhost:3000' });
  expect(counted.headers.get('x-ratelimit-remaining')).toBe('999');
  expect(counted.headers.get('access-control-allow-origin')).toBe('http://localhost:3000');
  expect(counted.headers.get('access-control-allow-credentials')).toBe('true');
  expect(counted.headers.get('access-control-expose-headers')).toContain('X-RateLimit-Remaining');
});
