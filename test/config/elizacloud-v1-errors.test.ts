// The profile elizacloud-v1: errors are flat, with the names and fields that clients look for.

import { expect, it } from 'vitest';
import { call, deploy, image, startWorld } from '../support/emulator.js';

const path = '/api/v1/containers';
const start = (options = {}) => startWorld({ profile: 'elizacloud-v1', ...options });
const body = { name: 'web', project_name: 'web', ecr_image_uri: image };

/** The fields of every flat error. */
function flat(code: string) {
  return { success: false, error: expect.any(String), code, message: expect.any(String) };
}

it('the platform answers 401 without a key', async () => {
  const world = await start();
  const answer = await call(world, 'GET', path, undefined, { authorization: '' });
  expect(answer.status).toBe(401);
  expect(answer.body).toMatchObject(flat('authentication_required'));
});

it('the platform answers 403 to a key that may not, where permissions are enforced', async () => {
  const world = await start({ auth: { enforcePermissions: true } });
  const made = await call(world, 'POST', '/api/v1/api-keys', { name: 'Chat', permissions: ['chat'] });
  const answer = await call(world, 'GET', path, undefined, { authorization: `Bearer ${made.body.plainKey}` });
  expect(answer.status).toBe(403);
  expect(answer.body).toMatchObject(flat('access_denied'));
});

it('the platform answers 404 of a container that there is not', async () => {
  const world = await start();
  const answer = await call(world, 'GET', `${path}/none`);
  expect(answer.status).toBe(404);
  expect(answer.body).toMatchObject({ ...flat('resource_not_found'), error: 'Container not found' });
});

it('the platform answers 400 with one detail a field', async () => {
  const world = await start();
  const answer = await call(world, 'POST', path, { ...body, port: 0, cpu: 1 });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ ...flat('validation_error'), details: [{ path: 'port' }, { path: 'cpu' }] });
});

it('the platform answers 402 with what the default size costs', async () => {
  const world = await start({ credits: { seeded: 5 } });
  const answer = await call(world, 'POST', path, body);
  expect(answer.status).toBe(402);
  expect(answer.body).toMatchObject({ ...flat('insufficient_credits'), requiredCredits: 15, creditsRemaining: 5 });
});

it('the platform answers 403 with the quota', async () => {
  const world = await start({ quotas: { containers: [1, 1, 1, 1] } });
  await deploy(world);
  const answer = await call(world, 'POST', path, { ...body, name: 'b', project_name: 'b' });
  expect(answer.status).toBe(403);
  expect(answer.body).toMatchObject({ ...flat('quota_exceeded'), quota: { current: 1, max: 1 } });
});

it('the platform answers 404 with a hint when the image is not there', async () => {
  const world = await start({ registry: { require: 'always' } });
  const answer = await call(world, 'POST', path, body);
  expect(answer.status).toBe(404);
  expect(answer.body).toMatchObject({ ...flat('resource_not_found'), details: { hint: expect.any(String) } });
});

it('the platform answers 409 when another project has the name', async () => {
  const world = await start();
  await deploy(world);
  const answer = await call(world, 'POST', path, { ...body, project_name: 'b' });
  expect(answer.status).toBe(409);
  expect(answer.body).toMatchObject(flat('conflict'));
});

it('the platform answers 429 with the seconds to wait', async () => {
  const world = await start({ rateLimits: { perKey: 1 } });
  await call(world, 'GET', path, undefined, { authorization: '' });
  const answer = await call(world, 'GET', path, undefined, { authorization: '' });
  expect(answer.status).toBe(429);
  expect(answer.body).toMatchObject({ ...flat('rate_limit_exceeded'), retryAfter: 60 });
});
