// Acts on containers through the controls.

import { expect, it } from 'vitest';
import { call, deploy, getContainer, startWorld } from '../../support/emulator.js';

it('an intervention fails a deployment on its way in a chosen mode, and refunds it', async () => {
  const emulator = await startWorld();
  const { id } = await deploy(emulator);
  await emulator.controls.clock.advance('2s');
  const failed = emulator.controls.containers.fail(id, { mode: 'no-capacity' });
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('unable to place a task') });
  expect((await call(emulator, 'GET', '/api/v1/credits/balance')).body.balance).toBe(1000);
  await emulator.controls.clock.advance('1h');
  expect((await getContainer(emulator, id)).status).toBe('failed');
});

it('interventions crash and recover a running container without touching its credits', async () => {
  const emulator = await startWorld({ timing: 'instant' });
  const { id } = await deploy(emulator);
  expect(emulator.controls.containers.crash(id)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('exit code 1'),
  });
  const { body } = await call(emulator, 'GET', `/api/v1/containers/${id}/health`);
  expect(body).toMatchObject({ status: 'unhealthy', checks: { http: 'failing' } });
  expect(emulator.controls.containers.recover(id).status).toBe('running');
  expect((await call(emulator, 'GET', '/api/v1/credits/balance')).body.balance).toBe(999.5);
});

it('interventions that make no sense are refused, naming the state', async () => {
  const emulator = await startWorld();
  const { id } = await deploy(emulator);
  expect(() => emulator.controls.containers.crash(id)).toThrow(/does not run \(pending\)/);
  expect(() => emulator.controls.containers.recover(id)).toThrow(/it is pending/);
  expect(() => emulator.controls.containers.fail(id, { mode: 'exec-fromat' })).toThrow(/mode must be a failure mode/);
  expect(() => emulator.controls.containers.stop('nothing')).toThrow(
    /no container with the id or project_name "nothing"/,
  );
  expect(() => emulator.controls.containers.get('wbe')).toThrow(/did you mean "web"\?/);
});

it('an intervention leaves the past as it was', async () => {
  const emulator = await startWorld();
  const { id } = await deploy(emulator);
  await emulator.controls.clock.advance('1m');
  const before = await call(emulator, 'GET', `/api/v1/containers/${id}/logs?tail=1000`);
  emulator.controls.containers.stop(id);
  await emulator.controls.clock.advance('1m');
  const after = await call(emulator, 'GET', `/api/v1/containers/${id}/logs?tail=1000`);
  expect(after.body.logs.slice(0, before.body.logs.length)).toEqual(before.body.logs);
  expect(after.body.logs.at(-1).message).toBe('Container stopped');
});

it('a deployment is refunded once, whatever interventions follow', async () => {
  const emulator = await startWorld();
  const { id } = await deploy(emulator, { ecr_image_uri: 'r/a:fail-stack-rollback' });
  await emulator.controls.clock.advance('1m');
  emulator.controls.containers.recover(id);
  emulator.controls.containers.stop(id);
  emulator.controls.containers.skip(id, { status: 'failed' });
  await emulator.controls.clock.advance('1m');
  expect(emulator.controls.ledger().filter((entry) => entry.type === 'refund')).toHaveLength(1);
  await call(emulator, 'DELETE', `/api/v1/containers/${id}`);
  expect((await call(emulator, 'GET', '/api/v1/credits/balance')).body.balance).toBe(1000);
});

it('a container has an error message where an intervention skips it to failed, whatever it was', async () => {
  const emulator = await startWorld({ frozen: true });
  const { id } = await deploy(emulator);
  expect(emulator.controls.containers.skip(id, { status: 'failed' }).error).toBe('Deployment failed');
  expect((await getContainer(emulator, id)).error_message).toBe('Deployment failed');
  const { body } = await call(emulator, 'GET', `/api/v1/containers/${id}/logs?level=error`);
  expect(body.logs.map(({ message }: { message: string }) => message)).toEqual(['Deployment failed']);
  expect(emulator.controls.containers.recover(id).error).toBeNull();
  expect(emulator.controls.containers.skip(id, { status: 'failed' }).error).toBe('Deployment failed');
});

it('an intervention fills in the texts of a failure that it causes, and gives a recovered container its address', async () => {
  const emulator = await startWorld();
  const { id } = await deploy(emulator);
  emulator.controls.containers.fail(id, { mode: 'image-not-found' });
  const failed = await getContainer(emulator, id);
  expect(failed.error_message).toContain('127.0.0.1:4747/acme/web:v1');
  expect(failed.error_message).not.toContain('{');
  emulator.controls.containers.recover(id);
  expect((await getContainer(emulator, id)).url).toMatch(/^http/);
});

it('an intervention refuses a failure of running containers for one that does not run yet', async () => {
  const emulator = await startWorld();
  const { id } = await deploy(emulator);
  expect(() => emulator.controls.containers.fail(id, { mode: 'flapping-health' })).toThrow(
    /happens to a running container/,
  );
});

it('an intervention ends the log of a deployment that another has replaced', async () => {
  const emulator = await startWorld();
  const { id } = await deploy(emulator, { ecr_image_uri: 'r/a:fail-oom-later' });
  await emulator.controls.clock.advance('15s');
  await deploy(emulator);
  await emulator.controls.clock.advance('5m');
  const { body } = await call(emulator, 'GET', `/api/v1/containers/${id}/logs?tail=1000`);
  expect(JSON.stringify(body.logs)).not.toContain('OutOfMemory');
  expect((await getContainer(emulator, id)).status).toBe('running');
});

it('an intervention on an unknown container reports which containers there are, where no name resembles it', async () => {
  const emulator = await startWorld();
  await expect(emulator.controls.await({ container: 'nope', status: 'running' })).rejects.toThrow(
    /"nope"; the world has no containers yet$/,
  );
  await deploy(emulator);
  const { project_name } = emulator.controls.containers.list()[0] ?? { project_name: '' };
  await expect(emulator.controls.await({ container: 'nope', status: 'running' })).rejects.toThrow(
    `"nope"; the world has "${project_name}"`,
  );
});

it('a recovered container says when it was deployed, not when it was healthy again', async () => {
  const emulator = await startWorld();
  const { id } = await deploy(emulator, { ecr_image_uri: 'r/a:fail-flapping-health' });
  await emulator.controls.clock.advance('15s');
  const { last_deployed_at } = await getContainer(emulator, id);
  expect(last_deployed_at).not.toBeNull();
  await emulator.controls.clock.advance('5m');
  emulator.controls.containers.crash(id);
  emulator.controls.containers.recover(id);
  expect(await getContainer(emulator, id)).toMatchObject({ status: 'running', last_deployed_at });
});
