// The profile elizacloud-v1: what existing clients of the public server expect runs unchanged.

import { describe, expect, it } from 'vitest';
import { call, deploy, getContainer, image, startWorld } from '../support/emulator.js';

const path = '/api/v1/containers';
const start = (options = {}) => startWorld({ profile: 'elizacloud-v1', ...options });
const body = { name: 'web', project_name: 'web', ecr_image_uri: image };

describe('keys', () => {
  it('begin with eliza_ and 64 hex characters', async () => {
    const world = await start();
    expect(world.apiKey).toMatch(/^eliza_[0-9a-f]{64}$/);
    const made = await call(world, 'POST', '/api/v1/api-keys', { name: 'CLI' });
    expect(made.body.plainKey).toMatch(/^eliza_[0-9a-f]{64}$/);
    expect(made.body.apiKey.key_prefix).toBe(made.body.plainKey.slice(0, 12));
  });

  it('may come in Authorization and X-API-Key at once', async () => {
    const world = await start();
    expect((await call(world, 'GET', path, undefined, { 'x-api-key': world.apiKey })).status).toBe(200);
  });

  it('may do what their permissions do not name', async () => {
    const world = await start();
    const made = await call(world, 'POST', '/api/v1/api-keys', { name: 'Chat', permissions: ['chat'] });
    const headers = { authorization: `Bearer ${made.body.plainKey}` };
    expect((await call(world, 'POST', path, body, headers)).status).toBe(202);
    expect((await call(world, 'GET', '/api/v1/api-keys', undefined, headers)).status).toBe(200);
  });
});

describe('registry credentials', () => {
  it('are asked for by POST and stand under data', async () => {
    const world = await start();
    const answer = await call(world, 'POST', `${path}/credentials`, { projectId: 'web', version: '1.0.0' });
    expect(answer.status).toBe(200);
    const { data } = answer.body;
    expect(data.ecrRepositoryUri).toMatch(/\/web$/);
    expect(data.ecrImageUri).toBe(`${data.ecrRepositoryUri}:${data.ecrImageTag}`);
    expect(data.ecrImageTag).toMatch(/^1\.0\.0-\d+$/);
    expect(Buffer.from(data.authToken, 'base64').toString()).toMatch(/^AWS:.+/);
    expect(Date.parse(data.authTokenExpiresAt)).toBeGreaterThan(Date.parse('2026-01-01T11:59:00Z'));
    expect(() => new URL(data.registryEndpoint)).not.toThrow();
  });

  it('are given for an empty body', async () => {
    const world = await start();
    expect((await call(world, 'POST', `${path}/credentials`, {})).status).toBe(200);
  });
});

describe('a container that was just created', () => {
  it.each(['health', 'metrics', 'deployments', 'logs'])('answers %s with a success and its data', async (part) => {
    const world = await start();
    const { id } = await deploy(world);
    const answer = await call(world, 'GET', `${path}/${id}/${part}`);
    expect([answer.status, answer.body.success]).toEqual([200, true]);
    expect(answer.body.data).toBeTypeOf('object');
  });

  it('has its logs under both names, and as plain lines', async () => {
    const world = await start();
    const { id } = await deploy(world);
    const { body: logs } = await call(world, 'GET', `${path}/${id}/logs`);
    expect(logs.data.logs).toEqual(logs.logs);
    expect(logs.data).toMatchObject({ hasLogs: true, total: logs.logs.length, container: { id } });
    const plain = await call(world, 'GET', `${path}/${id}/logs`, undefined, { accept: 'text/plain' });
    expect(plain.headers.get('content-type')).toContain('text/plain');
    expect(plain.text.trim().split('\n')).toHaveLength(logs.logs.length);
  });

  it('takes PATCH {desired_count} while it deploys', async () => {
    const world = await start();
    const { id } = await deploy(world);
    const answer = await call(world, 'PATCH', `${path}/${id}`, { desired_count: 2 });
    expect([answer.status, answer.body.data.desired_count]).toEqual([200, 2]);
  });

  it('takes DELETE while it deploys', async () => {
    const world = await start();
    const { id } = await deploy(world);
    expect((await call(world, 'DELETE', `${path}/${id}`)).status).toBe(200);
  });

  it('has its address under load_balancer_url once it runs', async () => {
    const world = await start({ timing: 'instant' });
    const { id } = await deploy(world);
    const container = await getContainer(world, id);
    expect(container.load_balancer_url).toMatch(/^http/);
    expect(container).toMatchObject({
      status: 'running',
      is_update: 'false',
      stackName: expect.stringMatching(/^elizaos-/),
    });
  });
});

describe('image', () => {
  const { ecr_image_uri: _, ...named } = body;

  it('stands for ecr_image_uri when a container is created, without a warning about it', async () => {
    const world = await start({ registry: { require: 'never' } });
    const answer = await call(world, 'POST', path, { ...named, image });
    expect([answer.status, answer.body.data.ecr_image_uri]).toEqual([202, image]);
    expect(answer.headers.get('x-emulator-warning')).toBeNull();
  });

  it('stands for it in a PATCH, alone', async () => {
    const world = await start();
    const { id } = await deploy(world);
    const answer = await call(world, 'PATCH', `${path}/${id}`, { image: 'registry/app:v2' });
    expect([answer.status, answer.body.data.ecr_image_uri]).toEqual([200, 'registry/app:v2']);
  });

  it('comes with the other names of newer clients, and the project follows from the name', async () => {
    const world = await start({ registry: { require: 'never' } });
    const newer = { name: 'My App', image, memoryMb: 512, environmentVars: { A: '1' }, healthCheckPath: '/up' };
    const { status, body: created, headers } = await call(world, 'POST', path, newer);
    expect([status, created.data.project_name, created.data.memory]).toEqual([202, 'my-app', 512]);
    expect(headers.get('x-emulator-warning')).toBeNull();
    const shown = (await call(world, 'GET', `${path}/${created.data.id}?reveal=true`)).body.data;
    expect(shown).toMatchObject({ environment_vars: { A: '1' }, health_check_path: '/up' });
    const second = await call(world, 'POST', path, { ...newer, projectName: 'other', memoryMb: 'much' });
    expect(second.status).toBe(400);
    expect(JSON.stringify(second.body)).toContain('memoryMb');
    expect((await call(await startWorld(), 'POST', path, newer)).status).toBe(400);
  });

  it('gives way to ecr_image_uri, with a warning', async () => {
    const world = await start();
    const answer = await call(world, 'POST', path, { ...body, image: 'registry/other:v1' });
    expect([answer.status, answer.body.data.ecr_image_uri]).toEqual([202, image]);
    expect(answer.headers.get('x-emulator-warning')).toContain('unknown field image');
  });

  it('is named in its own errors; without either one ecr_image_uri is', async () => {
    const world = await start();
    const wrong = await call(world, 'POST', path, { ...named, image: 'no-tag' });
    expect([wrong.status, wrong.body.details[0].path]).toEqual([400, 'image']);
    const none = await call(world, 'POST', path, named);
    expect([none.status, none.body.details[0].path]).toEqual([400, 'ecr_image_uri']);
  });

  it('is an unknown field in the profile spec, which says what was meant', async () => {
    const lenient = await startWorld();
    const answer = await call(lenient, 'POST', path, { ...body, image });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('x-emulator-warning')).toContain('unknown field image, did you mean ecr_image_uri?');
    const strict = await startWorld({ strict: { inputs: true } });
    const refused = await call(strict, 'POST', path, { ...body, image });
    expect(refused.body.error.details).toEqual([{ path: 'image', message: 'is unknown', suggestion: 'ecr_image_uri' }]);
  });
});
