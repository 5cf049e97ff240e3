// Operations that only the platform has answer 501; paths that nobody has answer 404, however many of them are tried.

import { expect, it } from 'vitest';
import { notImplemented } from '../../src/http/not-implemented.js';
import { pathsOf } from '../../src/http/routes.js';
import { declaredEndpoints } from '../../src/platform/surface.js';
import { call, startWorld } from '../support/emulator.js';

const filled = (path: string): string => path.replace(/\{\w+\}/g, 'x1');
const shapeOf = (method: string, path: string): string => `${method} ${path.replace(/\{\w+\}/g, '{}')}`;

it('every operation that is not implemented answers 501 and says what it is, with or without credentials', async () => {
  const world = await startWorld({ rateLimits: { perKey: 20 } });
  const wrong: unknown[] = [];
  for (const [index, { method, path, family }] of notImplemented.entries()) {
    const headers: Record<string, string> = index % 2 === 0 ? {} : { authorization: '' };
    const body = method === 'GET' ? undefined : {};
    const { status, body: answer, headers: answered } = await call(world, method, filled(path), body, headers);
    const limit = answered.get('x-ratelimit-limit');
    const details = answer?.error?.details;
    if (status !== 501 || details?.path !== path || details.family !== family || limit === null)
      wrong.push([method, path, status, details]);
  }
  expect(wrong).toEqual([]);
  expect(notImplemented.length).toBeGreaterThan(300);
  expect((await call(world, 'GET', '/api/v1/containers')).status).toBe(200);
});

it('no operation is both implemented and not', () => {
  const implemented = new Set(
    declaredEndpoints.flatMap((endpoint) => pathsOf(endpoint).map((path) => shapeOf(endpoint.method, path))),
  );
  const missing = notImplemented.map(({ method, path }) => shapeOf(method, path));
  expect(missing.filter((one) => implemented.has(one))).toEqual([]);
  expect(new Set(missing).size).toBe(missing.length);
});

it('other methods of such a path are 405, also where a path with a parameter would have them', async () => {
  const world = await startWorld();
  const wrongMethod = await call(world, 'DELETE', '/api/v1/apps/check-name');
  expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'POST']);
  // It is no model: the platform takes a list of models there.
  const status = await call(world, 'GET', '/api/v1/models/status');
  expect([status.status, status.headers.get('allow')]).toEqual([405, 'POST']);
  expect((await call(world, 'POST', '/api/v1/models/status', { modelIds: ['gpt-4o'] })).status).toBe(501);
  expect((await call(world, 'HEAD', '/api/v1/apps')).status).toBe(501);
});

it('a path may end in a path of its own', async () => {
  const world = await startWorld();
  const { status, body } = await call(world, 'GET', '/api/v1/apis/storage/objects/pictures/2026/one.png');
  expect([status, body.error.details.path]).toEqual([501, '/api/v1/apis/storage/objects/{key}']);
});

it('a sweep over many unknown paths gets 404 for each, and takes nothing from other requests', async () => {
  const world = await startWorld({ rateLimits: { perKey: 50 } });
  const statuses = new Set<number>();
  for (let i = 0; i < 450; i++) {
    const headers: Record<string, string> = i % 2 === 0 ? {} : { authorization: '' };
    statuses.add((await call(world, 'GET', `/api/v1/unknown-${i}`, undefined, headers)).status);
  }
  expect([...statuses]).toEqual([404]);
  const listed = await call(world, 'GET', '/api/v1/containers');
  expect([listed.status, listed.headers.get('x-ratelimit-remaining')]).toEqual([200, '49']);
});

it('coverage and the journal show what was called of them', async () => {
  const world = await startWorld({ profile: 'elizacloud-v1' });
  for (const path of ['/api/v1/apps/1', '/api/v1/apps/2', '/api/v1/nothing']) await call(world, 'GET', path);
  const { notImplemented: called, unmatched } = world.controls.coverage();
  expect([called, unmatched]).toEqual([[{ operation: 'GET /api/v1/apps/{id}', requests: 2 }], 1]);
  const [entry] = world.controls.requests.list().requests.filter(({ status }) => status === 501);
  expect(entry).toMatchObject({ operation: null, status: 501, errorCode: 'NOT_IMPLEMENTED' });
  expect(entry?.assumptions).toContain('routes.notImplemented');
});
