// The HTTP control operation to the controls: the same as in process, for programs on this machine only.

import { request } from 'node:http';
import { expect, it } from 'vitest';
import { identityOf } from '../../src/core/root.js';
import type { Emulator } from '../../src/index.js';
import { call, deploy, startEmulator } from '../support/emulator.js';

/** The status that a request with these headers gets (fetch would not let us set Host or Origin). */
function statusWith(
  emulator: Emulator,
  headers: Record<string, string>,
  method = 'GET',
  path = '/_emulator/clock',
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: emulator.port, path, method, headers }, (res) =>
      resolve(res.resume().statusCode),
    )
      .on('error', reject)
      .end();
  });
}

it('the control plane returns the same over HTTP as in process', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  const { controls } = emulator;
  const get = async (path: string): Promise<any> => (await call(emulator, 'GET', `/_emulator/${path}`)).body;
  expect(await get('clock')).toEqual(controls.clock.get());
  expect((await get('containers')).containers).toEqual(controls.containers.list());
  expect(await get(`containers/${id}`)).toEqual(controls.containers.get(id));
  expect((await get('failures')).failures).toEqual(controls.failures());
  expect((await get('organizations')).organizations).toEqual(controls.organizations.list());
  expect((await get('ledger')).ledger).toEqual(controls.ledger());
  expect((await get('assumptions')).assumptions).toEqual(controls.assumptions());
  expect((await get('keys')).keys).toEqual(controls.keys.list());
  expect(await get('config')).toEqual(JSON.parse(JSON.stringify(controls.config())));
});

it('the health is ready when the emulator listens', async () => {
  const emulator = await startEmulator();
  const { status, body } = await call(emulator, 'GET', '/_emulator/health');
  expect(status).toBe(200);
  expect(body).toEqual({
    status: 'ready',
    version: expect.any(String),
    instance: emulator.controls.health().instance,
    uptimeMs: expect.any(Number),
    worlds: 1,
    clock: { now: '2026-01-01T00:00:00.000Z', speed: 0, frozen: true },
    identity: identityOf('.'),
    settings: { file: null, environment: [], profile: 'spec' },
  });
});

it('the path of the health answers other methods than GET as all paths do', async () => {
  const emulator = await startEmulator();
  expect((await fetch(`${emulator.url}/_emulator/health`, { method: 'HEAD' })).status).toBe(200);
  const { status, headers } = await call(emulator, 'POST', '/_emulator/health');
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

it('the clock is advanced, frozen, resumed and skewed', async () => {
  const emulator = await startEmulator();
  const post = (path: string, body?: unknown) => call(emulator, 'POST', `/_emulator/clock/${path}`, body);
  expect((await post('advance', { by: '90s' })).body.now).toBe('2026-01-01T00:01:30.000Z');
  expect((await post('advance', { to: '2026-01-01T01:00:00Z' })).body.now).toBe('2026-01-01T01:00:00.000Z');
  expect((await post('resume', { speed: 60 })).body).toMatchObject({ speed: 60, frozen: false });
  expect((await post('freeze')).body).toMatchObject({ speed: 0, frozen: true });
  expect((await post('skew', { to: '2030-01-01T00:00:00Z' })).body.skewMs).toBeGreaterThan(86_400_000);
});

it.each([
  [{}, /by or `to`/],
  [{ by: '1y' }, /must be a duration/],
  [{ by: -1 }, /must be a duration .*: time goes forward only/],
  [{ by: '-5m' }, /must be a duration .*: time goes forward only/],
  [{ by: '400d' }, /at most a year/],
  [{ to: '2025-01-01T00:00:00Z' }, /not lie in the past/],
  [{ to: 'tomorrow' }, /ISO 8601/],
  [{ by: '1s', to: '2026-02-01T00:00:00Z' }, /only one/],
])('the clock refuses to advance by %j', async (body, message) => {
  const emulator = await startEmulator();
  const answer = await call(emulator, 'POST', '/_emulator/clock/advance', body);
  expect(answer.status).toBe(400);
  expect(answer.body.error.message).toMatch(message);
});

it('the control plane refuses web pages of other origins, and foreign hosts', async () => {
  const emulator = await startEmulator();
  const host = `127.0.0.1:${emulator.port}`;
  expect(await statusWith(emulator, { host })).toBe(200);
  expect(await statusWith(emulator, { host, origin: `http://${host}` })).toBe(200);
  expect(await statusWith(emulator, { host: `localhost:${emulator.port}` })).toBe(200);
  expect(await statusWith(emulator, { host, origin: 'https://evil.example' })).toBe(403);
  expect(await statusWith(emulator, { host, origin: 'null' })).toBe(403);
  expect(await statusWith(emulator, { host, 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await statusWith(emulator, { host, 'sec-fetch-site': 'same-site' })).toBe(403);
  expect(await statusWith(emulator, { host: 'rebound.example' })).toBe(403);
  expect(await statusWith(emulator, { host, origin: 'https://evil.example' }, 'POST', '/_emulator/clock/freeze')).toBe(
    403,
  );
});

it('the control plane wants the token for the public name, and gives no cross-origin headers', async () => {
  const emulator = await startEmulator({ publicUrl: 'http://cloudemu:4747', controlToken: 'let-me-in' });
  expect(await statusWith(emulator, { host: 'cloudemu:4747' })).toBe(401);
  expect(await statusWith(emulator, { host: 'cloudemu:4747', authorization: 'Bearer wrong' })).toBe(401);
  expect(await statusWith(emulator, { host: 'cloudemu:4747', authorization: 'Bearer let-me-in' })).toBe(200);
  const answer = await call(emulator, 'GET', '/_emulator/health', undefined, { origin: emulator.url });
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

it('the control plane is neither limited nor counted among the requests', async () => {
  const emulator = await startEmulator({ rateLimits: { perKey: 2 } });
  for (let i = 0; i < 20; i++) expect((await call(emulator, 'GET', '/_emulator/health')).status).toBe(200);
  expect((await call(emulator, 'GET', '/api/v1/containers')).headers.get('x-ratelimit-remaining')).toBe('1');
});

it('an unknown control path is refused with the nearest control operation', async () => {
  const emulator = await startEmulator();
  const answer = await call(emulator, 'POST', '/_emulator/clock/advnce', { by: '1s' });
  expect(answer.status).toBe(404);
  expect(answer.body.error.message).toContain('POST /_emulator/clock/advance');
});
