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
});

describe('a container that was just created', () => {
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
