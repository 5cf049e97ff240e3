// The deployment workflow, from credentials to an answering URL.

import { expect, it } from 'vitest';
import { call, deploy, getContainer, image, startEmulator } from '../../support/emulator.js';

it('a deployment walks from pending to running, and its URL answers', async () => {
  const emulator = await startEmulator();
  const created = await call(emulator, 'POST', '/api/v1/containers', {
    name: 'Web',
    project_name: 'web',
    ecr_image_uri: image,
  });
  expect(created.status).toBe(202);
  expect(created.body).toMatchObject({
    success: true,
    data: { name: 'Web', project_name: 'web', status: 'pending', url: null },
    creditsDeducted: 0.5,
    creditsRemaining: 999.5,
    polling: { endpoint: `/api/v1/containers/${created.body.data.id}`, intervalMs: 1000, expectedDurationMs: 12000 },
  });

  const seen = new Set<string>();
  for (let i = 0; i < 20; i++) {
    seen.add((await getContainer(emulator, created.body.data.id)).status);
    await emulator.controls.clock.advance('1s');
  }
  expect([...seen]).toEqual(['pending', 'building', 'deploying', 'running']);

  const { url } = await getContainer(emulator, created.body.data.id);
  const health = await fetch(`${url}/health`);
  expect(health.status).toBe(200);
  const echo = await fetch(`${url}/hello?x=1`, { method: 'POST', body: 'hi' });
  expect(await echo.json()).toMatchObject({
    container: 'Web',
    method: 'POST',
    path: '/hello',
    query: '?x=1',
    body: 'hi',
  });
});

it('deploying the same project again is an update: same id, charged again, the old one answers meanwhile', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  await emulator.controls.clock.advance('30s');
  const { url } = await getContainer(emulator, id);
  const again = await call(emulator, 'POST', '/api/v1/containers', {
    name: 'web',
    project_name: 'web',
    ecr_image_uri: image,
    cpu: 512,
  });
  expect(again.body.data).toMatchObject({ id, status: 'pending', cpu: 512 });
  expect(again.body.creditsRemaining).toBe(999);
  expect((await fetch(url)).status).toBe(200);
  await emulator.controls.clock.advance('30s');
  expect(await getContainer(emulator, id)).toMatchObject({ status: 'running', cpu: 512, url });
});

it('a failed update lets the old deployment run on, reports the error and is refunded', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  await emulator.controls.clock.advance('30s');
  await deploy(emulator, { ecr_image_uri: '127.0.0.1/acme/web:fail-exec-format' });
  await emulator.controls.clock.advance('60s');
  const container = await getContainer(emulator, id);
  expect(container.status).toBe('running');
  expect(container.error_message).toContain('exec format error');
  expect((await fetch(container.url)).status).toBe(200);
  expect((await call(emulator, 'GET', '/api/v1/credits/balance')).body.balance).toBe(999.5);
  expect(container.statusHistory.map((entry: { status: string }) => entry.status)).toEqual([
    'pending',
    'building',
    'deploying',
    'running',
    'pending',
    'building',
    'deploying',
    'running',
  ]);
});

it('a deployment that is deleted before it ends returns its whole charge, and none later', async () => {
  const emulator = await startEmulator();
  const early = await deploy(emulator);
  await call(emulator, 'DELETE', `/api/v1/containers/${early.id}`);
  expect((await call(emulator, 'GET', '/api/v1/credits/balance')).body.balance).toBe(1000);
  const late = await deploy(emulator);
  expect(late.id).not.toBe(early.id);
  await emulator.controls.clock.advance('30s');
  expect((await call(emulator, 'DELETE', `/api/v1/containers/${late.id}`)).body).toMatchObject({ success: true });
  expect((await call(emulator, 'GET', '/api/v1/credits/balance')).body.balance).toBe(999.5);
  expect((await call(emulator, 'GET', `/api/v1/containers/${late.id}`)).status).toBe(404);
});

it('a patched container is deployed free of charge', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  const patched = await call(emulator, 'PATCH', `/api/v1/containers/${id}`, { desired_count: 3 });
  expect(patched.status).toBe(200);
  expect(patched.body).toMatchObject({ success: true, data: { id, desired_count: 3 } });
  await emulator.controls.clock.advance('30s');
  expect((await getContainer(emulator, id)).status).toBe('running');
  expect((await call(emulator, 'GET', '/api/v1/credits/balance')).body.balance).toBe(999.5);
  const { body } = await call(emulator, 'GET', `/api/v1/containers/${id}/deployments`);
  expect(body.data.deployments.map((d: { status: string; cost: string }) => [d.status, d.cost])).toEqual([
    ['success', '0.00'],
    ['success', '0.50'],
  ]);
});

it('a container’s environment variables are masked unless they are asked for', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator, { environment_vars: { TOKEN: 'hush' } });
  expect((await getContainer(emulator, id)).environment_vars).toEqual({ TOKEN: '********' });
  const revealed = await call(emulator, 'GET', `/api/v1/containers/${id}?reveal=true`);
  expect(revealed.body.data.environment_vars).toEqual({ TOKEN: 'hush' });
});
