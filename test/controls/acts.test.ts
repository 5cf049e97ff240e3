// Acts on containers through the controls.

import { expect, it } from 'vitest';
import { call, deploy, getContainer, startEmulator } from '../support/emulator.js';

it('fails a deployment on its way in a chosen mode, and refunds it', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  await emulator.controls.clock.advance('2s');
  const failed = emulator.controls.containers.fail(id, { mode: 'no-capacity' });
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('unable to place a task') });
  expect((await call(emulator, 'GET', '/api/v1/credits/balance')).body.balance).toBe(1000);
  await emulator.controls.clock.advance('1h');
  expect((await getContainer(emulator, id)).status).toBe('failed');
});

it('crashes and recovers a running container without touching its credits', async () => {
  const emulator = await startEmulator({ timing: 'instant' });
  const { id } = await deploy(emulator);
  expect(emulator.controls.containers.crash(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('exit code 1') });
  const { body } = await call(emulator, 'GET', `/api/v1/containers/${id}/health`);
  expect(body).toMatchObject({ status: 'unhealthy', checks: { http: 'failing' } });
  expect(emulator.controls.containers.recover(id).status).toBe('running');
  expect((await call(emulator, 'GET', '/api/v1/credits/balance')).body.balance).toBe(999.5);
});

it('refuses acts that make no sense, naming the state', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  expect(() => emulator.controls.containers.crash(id)).toThrow(/does not run \(pending\)/);
  expect(() => emulator.controls.containers.recover(id)).toThrow(/it is pending/);
  expect(() => emulator.controls.containers.fail(id, { mode: 'exec-fromat' })).toThrow(/mode must be a failure mode/);
  expect(() => emulator.controls.containers.stop('nothing')).toThrow(/Container not found/);
});

it('leaves the past as it was', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  await emulator.controls.clock.advance('1m');
  const before = await call(emulator, 'GET', `/api/v1/containers/${id}/logs?tail=1000`);
  emulator.controls.containers.stop(id);
  await emulator.controls.clock.advance('1m');
  const after = await call(emulator, 'GET', `/api/v1/containers/${id}/logs?tail=1000`);
  expect(after.body.logs.slice(0, before.body.logs.length)).toEqual(before.body.logs);
  expect(after.body.logs.at(-1).message).toBe('Container stopped');
});
