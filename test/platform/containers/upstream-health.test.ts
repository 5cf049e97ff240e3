// A container's health is that of the user's own app where there is one; its url may be there from the beginning.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { call, deploy, getContainer, startEmulator, startWorld } from '../../support/emulator.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** An app whose health path answers a status; 0: never. */
async function startApp(status: number): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const app = createServer((req, res) => {
    asked.push(`${req.method} ${req.url}`);
    if (status > 0) res.writeHead(status).end();
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    app.closeAllConnections();
    app.close();
  });
  return { port: (app.address() as AddressInfo).port, asked };
}

async function healthOf(upstream: number, fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const emulator = await startEmulator({ containers: { timing: 'instant', upstreams: { web: upstream } } });
  const { id } = await deploy(emulator, { health_check_path: '/up', ...fields }, headers);
  const ask = async () => (await call(emulator, 'GET', `/api/v1/containers/${id}/health`)).body;
  return { emulator, id, ask };
}

it.each([200, 204, 302])('an app that answers %i is healthy', async (status) => {
  const { port, asked } = await startApp(status);
  const { ask } = await healthOf(port);
  expect(await ask()).toMatchObject({
    status: 'healthy',
    checks: { http: 'passing', memory: 'passing', disk: 'passing' },
    data: { healthy: true, statusCode: status, error: null },
  });
  expect(asked).toEqual(['GET /up']);
});

it.each([
  [404, 'answered 404'],
  [503, 'answered 503'],
  [0, 'did not answer within 2 s'],
])('an app that answers %i is not healthy', async (status, reason) => {
  const { port } = await startApp(status);
  const { ask } = await healthOf(port);
  expect(await ask()).toMatchObject({
    status: 'unhealthy',
    checks: { http: 'failing', memory: 'passing', disk: 'passing' },
    message: expect.stringContaining(`GET /up on http://127.0.0.1:${port} ${reason}`),
    data: { healthy: false, statusCode: status === 0 ? null : status },
  });
});

it('an app that does not run is not healthy', async () => {
  const { ask } = await healthOf(1);
  expect(await ask()).toMatchObject({ status: 'unhealthy', message: expect.stringContaining('ECONNREFUSED') });
});

it('health is asked of no app while the container does not run, and of none that is planned to fail', async () => {
  const { port, asked } = await startApp(200);
  const { emulator, id, ask } = await healthOf(port);
  emulator.controls.containers.stop(id);
  expect((await ask()).status).toBe('stopped');
  expect(asked).toEqual([]);
});

it('the url is null until the container first runs, by an assumption that names its setting', async () => {
  const emulator = await startWorld();
  const { id, url } = await deploy(emulator);
  expect([url, (await getContainer(emulator, id)).url]).toEqual([null, null]);
  const { headers } = await call(emulator, 'GET', `/api/v1/containers/${id}`);
  expect(headers.get('x-emulator-assumption')).toContain('containers.urlFrom');
  const ledger = emulator.controls.assumptions() as { id: string; setting?: string }[];
  expect(ledger.find((one) => one.id === 'containers.urlFrom')?.setting).toBe('profile');
});
