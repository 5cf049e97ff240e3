// The journal under control: listed by every filter, looked up, bounded, emptied; the same over HTTP.

import { expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { call, deploy, getContainer, type Platform, startEmulator, startWorld } from '../../support/emulator.js';

const paths = (emulator: Platform, filter: Parameters<Emulator['controls']['requests']['list']>[0]): string[] =>
  emulator.controls.requests.list(filter).requests.map(({ method, path }) => `${method} ${path}`);

it('the list of requests shows them with their responses, the newest first', async () => {
  const emulator = await startWorld();
  const { id } = await deploy(emulator, { environment_vars: { A: 'hunter2' } });
  await getContainer(emulator, id);
  const { requests, total, dropped } = emulator.controls.requests.list();
  expect([total, dropped]).toEqual([2, 0]);
  expect(requests).toMatchObject([
    { method: 'GET', path: `/api/v1/containers/${id}`, operation: 'containers.get', subject: id, status: 200 },
    {
      kind: 'request',
      seq: 1,
      at: Date.parse('2026-01-01T00:00:00Z'),
      method: 'POST',
      operation: 'containers.create',
      subject: id,
      status: 202,
      caller: expect.stringMatching(/^key:/),
      organizationId: emulator.organizationId,
      errorCode: null,
      outcome: 'answered',
      assumptions: expect.arrayContaining(['containers.create']),
      warnings: [expect.stringContaining('is trusted')],
    },
  ]);
  const [, created] = requests;
  expect(JSON.parse(created?.requestBody ?? '').environment_vars).toEqual({ A: '********' });
  expect(JSON.parse(created?.responseBody ?? '').data.id).toBe(id);
  expect(created?.requestHeaders.authorization).toBe('Bearer ********');
  expect(created?.responseHeaders['x-request-id']).toBe(created?.requestId);
  expect(created?.caller).toBe(`key:${created?.keyId}`);
});

it('the list of requests is the same over HTTP', async () => {
  const emulator = await startWorld();
  await deploy(emulator);
  await call(emulator, 'GET', '/nowhere');
  const { requests } = emulator.controls;
  const get = async (path: string): Promise<unknown> => (await call(emulator, 'GET', `/_emulator/${path}`)).body;
  expect(await get('requests')).toEqual(requests.list());
  expect(await get('requests?status=404&limit=5')).toEqual(requests.list({ status: 404, limit: 5 }));
  const [last] = requests.list().requests;
  expect(await get(`requests/${last?.requestId}`)).toEqual(requests.get(last?.requestId ?? ''));
  expect((await call(emulator, 'DELETE', '/_emulator/requests')).body).toEqual({ cleared: 2 });
  expect(requests.list()).toEqual({ requests: [], total: 0, dropped: 0 });
});

it('the list of requests finds a request by the id that its response carried', async () => {
  const emulator = await startWorld();
  const answer = await call(emulator, 'GET', '/api/v1/containers/nothing');
  const found = emulator.controls.requests.get(answer.headers.get('x-request-id') ?? '');
  expect(found).toMatchObject({ status: 404, errorCode: 'NOT_FOUND', subject: 'nothing' });
  expect(found.responseBody).toBe(answer.text);
  const missing = await call(emulator, 'GET', '/_emulator/requests/req_0');
  expect([missing.status, missing.body.error.code]).toEqual([404, 'NOT_FOUND']);
  expect(missing.body.error.message).toContain('"req_0"');
});

it('the list of requests filters by operation, by name or pattern', async () => {
  const emulator = await startWorld();
  const { id } = await deploy(emulator);
  await getContainer(emulator, id);
  await call(emulator, 'GET', '/api/v1/credits/balance');
  expect(paths(emulator, { operation: 'containers.get' })).toEqual([`GET /api/v1/containers/${id}`]);
  expect(paths(emulator, { operation: 'containers.*' })).toHaveLength(2);
  expect(paths(emulator, { operation: '*' })).toHaveLength(3);
  expect(paths(emulator, { operation: 'agents.*' })).toEqual([]);
});

it('the list of requests filters by status, class of status and several of them', async () => {
  const emulator = await startWorld();
  await deploy(emulator);
  await call(emulator, 'GET', '/api/v1/containers');
  await call(emulator, 'GET', '/api/v1/containers', undefined, { authorization: '' });
  await call(emulator, 'GET', '/nowhere');
  const statuses = (status: string | number): number[] =>
    emulator.controls.requests.list({ status }).requests.map((entry) => entry.status);
  expect(statuses(200)).toEqual([200]);
  expect(statuses('2xx')).toEqual([200, 202]);
  expect(statuses('4xx')).toEqual([404, 401]);
  expect(statuses('404, 202')).toEqual([404, 202]);
  expect(statuses('5XX,401')).toEqual([401]);
  expect(statuses(0)).toEqual([]);
});

it('the list of requests filters by key: its id, value or displayed prefix, even after its deletion', async () => {
  const emulator = await startWorld();
  const other = emulator.controls.keys.create({ name: 'Other' });
  await call(emulator, 'GET', '/api/v1/containers', undefined, { authorization: `Bearer ${other.apiKey}` });
  await call(emulator, 'GET', '/api/v1/credits/balance');
  const expected = ['GET /api/v1/containers'];
  expect(paths(emulator, { key: other.id })).toEqual(expected);
  expect(paths(emulator, { key: other.apiKey })).toEqual(expected);
  expect(paths(emulator, { key: other.apiKey.slice(0, 12) })).toEqual(expected);
  expect((await call(emulator, 'DELETE', `/api/v1/api-keys/${other.id}`)).status).toBe(200);
  expect(paths(emulator, { key: other.id })).toEqual(expected);
});

it('the list of requests filters by start: a request, a number, a time, a duration', async () => {
  const emulator = await startWorld();
  const { controls } = emulator;
  await call(emulator, 'GET', '/api/one');
  await controls.clock.advance('10m');
  const second = await call(emulator, 'GET', '/api/two');
  await controls.clock.advance('10m');
  await call(emulator, 'GET', '/api/three');
  const two = ['GET /api/three', 'GET /api/two'];
  expect(paths(emulator, { since: second.headers.get('x-request-id') ?? '' })).toEqual(two);
  expect(paths(emulator, { since: 2 })).toEqual(two);
  expect(paths(emulator, { since: '2026-01-01T00:10:00Z' })).toEqual(two);
  expect(paths(emulator, { since: '15m' })).toEqual(two);
  expect(paths(emulator, { since: '5m' })).toEqual(['GET /api/three']);
  expect(paths(emulator, { since: 99 })).toEqual([]);
});

it('the list of requests filters by whether a fault fired', async () => {
  const emulator = await startWorld();
  await call(emulator, 'GET', '/api/v1/containers', undefined, { 'x-emulator-fault': '{"effect":{"status":503}}' });
  await call(emulator, 'GET', '/api/v1/credits/balance');
  expect(paths(emulator, { faulted: true })).toEqual(['GET /api/v1/containers']);
  expect(paths(emulator, { faulted: false })).toEqual(['GET /api/v1/credits/balance']);
  const { body } = await call(emulator, 'GET', '/_emulator/requests?faulted=true');
  expect(body.requests).toMatchObject([{ fault: 'header', status: 503, errorCode: 'SERVICE_UNAVAILABLE' }]);
});

it('the list of requests combines filters, and counts beyond the limit', async () => {
  const emulator = await startWorld();
  for (let i = 0; i < 12; i++)
    await call(emulator, 'GET', i % 2 === 0 ? '/api/v1/containers' : '/api/v1/containers/none');
  const { requests, total } = emulator.controls.requests.list({ operation: 'containers.*', status: 404, limit: 2 });
  expect([requests.map(({ seq }) => seq), total]).toEqual([[12, 10], 6]);
});

it.each<[string, string, string | undefined]>([
  ['operation=containers.crate', 'operation', 'containers.create'],
  ['operation=robots.*', 'operation', undefined],
  ['status=4x', 'status', undefined],
  ['status=600', 'status', undefined],
  ['status=', 'status', undefined],
  ['key=ek_test_000000000000', 'key', undefined],
  ['since=yesterday', 'since', undefined],
  ['since=req_none', 'since', undefined],
  ['faulted=maybe', 'query.faulted', undefined],
  ['limit=0', 'query.limit', undefined],
  ['limit=10001', 'query.limit', undefined],
])('the list of requests refuses %s', async (query, path, suggestion) => {
  const emulator = await startWorld();
  const { status, body } = await call(emulator, 'GET', `/_emulator/requests?${query}`);
  expect(status).toBe(400);
  const [problem] = body.error.details;
  expect(problem.path).toBe(path);
  if (suggestion !== undefined) expect(problem.suggestion).toBe(suggestion);
  expect(JSON.stringify(body)).not.toContain('000000000000');
});

it('the list of requests refuses an unknown filter in process', async () => {
  const emulator = await startWorld();
  expect(() => emulator.controls.requests.list({ operations: 'x' } as never)).toThrow(/operations is unknown/);
});

it('the journal keeps as many requests as the setting says, and counts the dropped ones', async () => {
  const emulator = await startEmulator({ data: { journal: 10 } });
  for (let i = 0; i < 25; i++) await call(emulator, 'GET', `/api/${i}`);
  const { requests, total, dropped } = emulator.controls.requests.list();
  expect(requests.map(({ path }) => path)).toEqual(Array.from({ length: 10 }, (_, i) => `/api/${24 - i}`));
  expect([total, dropped]).toEqual([10, 15]);
  emulator.controls.requests.clear();
  await call(emulator, 'GET', '/api/25');
  expect(emulator.controls.requests.list()).toMatchObject({ requests: [{ seq: 26 }], total: 1, dropped: 0 });
});

it('the journal contains no preflights, documents or control operations', async () => {
  const emulator = await startWorld();
  await emulator.fetch('/api/v1/containers', {
    method: 'OPTIONS',
    headers: { origin: 'http://localhost', 'access-control-request-method': 'GET' },
  });
  await call(emulator, 'GET', '/openapi.json');
  await call(emulator, 'GET', '/_emulator/clock');
  expect(emulator.controls.requests.list().total).toBe(0);
});

it('each world has a journal of its own', async () => {
  const emulator = await startWorld();
  const { baseUrl, apiKey } = await emulator.controls.worlds.create({ id: 'b' });
  await fetch(`${baseUrl}/api/v1/containers`, { headers: { authorization: `Bearer ${apiKey}` } });
  expect(emulator.controls.requests.list().total).toBe(0);
  const { requests } = (await (await fetch(`${baseUrl}/_emulator/requests`)).json()) as any;
  expect(requests).toMatchObject([{ path: '/api/v1/containers', status: 200 }]);
});
