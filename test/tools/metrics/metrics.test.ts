// GET /_emulator/metrics, as Prometheus reads it.

import { expect, it } from 'vitest';
import { call, startEmulator } from '../../support/emulator.js';

const path = '/_emulator/metrics';

/** The values of a metric, by their labels as they are written. */
function valuesOf(text: string, name: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return Object.fromEntries(
    lines.map((line) => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

it('the metrics count requests by operation and status from the start on, with how long they took', async () => {
  const emulator = await startEmulator();
  for (let i = 0; i < 3; i++) await call(emulator, 'GET', '/api/v1/containers');
  await call(emulator, 'GET', '/api/v1/containers', undefined, { authorization: '' });
  await call(emulator, 'GET', '/api/v1/nothing');
  const { status, headers, text } = await call(emulator, 'GET', path);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  expect(valuesOf(text, 'cloudemu_requests_total')).toEqual({
    '{operation="containers.list",status="200"}': 3,
    '{operation="containers.list",status="401"}': 1,
    '{operation="none",status="404"}': 1,
  });
  const listed = '{operation="containers.list",status="200"';
  expect(valuesOf(text, 'cloudemu_request_duration_seconds_count')[`${listed}}`]).toBe(3);
  expect(valuesOf(text, 'cloudemu_request_duration_seconds_sum')[`${listed}}`]).toBeGreaterThan(0);
  const buckets = Object.entries(valuesOf(text, 'cloudemu_request_duration_seconds_bucket'))
    .filter(([labels]) => labels.includes('operation="containers.list",status="200"'))
    .map(([, value]) => value);
  expect(buckets).toEqual([...buckets].sort((a, b) => a - b));
  expect(buckets.at(-1)).toBe(3);
});

it('the metrics report worlds, journals and the process', async () => {
  const emulator = await startEmulator({ data: { journal: 10 } });
  await emulator.createWorld();
  for (let i = 0; i < 15; i++) await call(emulator, 'GET', '/api/v1/containers');
  const { text } = await call(emulator, 'GET', path);
  expect(valuesOf(text, 'cloudemu_worlds')).toEqual({ '{state="open"}': 1, '{state="closed"}': 1 });
  expect(valuesOf(text, 'cloudemu_journal_dropped_requests')).toEqual({ '': 5 });
  for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])
    expect(valuesOf(text, name)['']).toBeGreaterThanOrEqual(0);
});

it('the metrics are read only, and no team’s', async () => {
  const emulator = await startEmulator({
    controlToken: 'token-of-all',
    server: { controlTokens: [{ name: 'a', token: 'token-of-team-a', prefix: 'a-' }] },
  });
  const as = (token: string) => ({ authorization: `Bearer ${token}` });
  expect((await call(emulator, 'POST', path, {}, as('token-of-all'))).status).toBe(405);
  expect((await call(emulator, 'GET', path, undefined, as('token-of-all'))).status).toBe(200);
  expect((await call(emulator, 'GET', path, undefined, as('token-of-team-a'))).status).toBe(404);
  expect((await call(emulator, 'GET', path, undefined, as('wrong'))).status).toBe(401);
});
