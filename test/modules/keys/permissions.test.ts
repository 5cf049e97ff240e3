// Generated from the registry: what a restricted key may and may not do, on every endpoint.

import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../src/http/endpoint.js';
import type { EmulatorWorld } from '../../../src/index.js';
import { endpoints } from '../../../src/modules/platform/surface.js';
import { call, startWorld } from '../../support/emulator.js';
import { callWith, mint } from '../../support/keys.js';

/** Whether a key with these permissions is refused for what it may do. */
async function isForbidden(world: EmulatorWorld, endpoint: Endpoint, permissions: string[]): Promise<boolean> {
  const { value } = await mint(world, { permissions });
  const path = endpoint.path.replace(/\{\w+\}/g, 'none');
  const answer = await callWith(
    world,
    value,
    endpoint.method,
    path,
    endpoint.body === undefined ? undefined : endpoint.example,
  );
  return answer.body.error?.code === 'FORBIDDEN';
}

const start = (enforcePermissions = true): Promise<EmulatorWorld> =>
  startWorld({ rateLimits: { enabled: false }, auth: { enforcePermissions } });
const nameOf = (endpoint: Endpoint): string => `${endpoint.id} (${endpoint.method})`;
// A stream without a subject would never end.
const callable = endpoints.filter(
  (endpoint) =>
    endpoint.auth !== 'public' &&
    (endpoint.path.includes('{') || endpoint.responses[200]?.contentTypes?.includes('text/event-stream') !== true),
);
const restricted = callable.filter((endpoint) => typeof endpoint.permission === 'object');
const unrestricted = callable.filter((endpoint) => endpoint.permission === 'unrestricted');
const all = ['chat', 'embeddings', 'images', 'video', 'voice', 'knowledge', 'agents', 'apps'];

it('asks for something on every endpoint that wants a caller', () => {
  expect(
    endpoints.filter((endpoint) => endpoint.auth === 'caller' && endpoint.permission === undefined).map(nameOf),
  ).toEqual([]);
});

describe.each(restricted.map((endpoint) => [nameOf(endpoint), endpoint] as const))('%s', (_, endpoint) => {
  const { name, level } = endpoint.permission as { name: string; level: 'read' | 'write' };

  it('lets in a key with the permission at its level', async () => {
    expect(await isForbidden(await start(), endpoint, [`${name}:${level}`])).toBe(false);
  });

  it('lets in a key with the bare permission', async () => {
    expect(await isForbidden(await start(), endpoint, [name])).toBe(false);
  });

  it('takes write to include read', async () => {
    expect(await isForbidden(await start(), endpoint, [`${name}:write`])).toBe(false);
  });

  it(level === 'write' ? 'keeps out a key that may only read' : 'is let in by read among others', async () => {
    expect(await isForbidden(await start(), endpoint, [`${name}:read`])).toBe(level === 'write');
  });

  it('keeps out a key with every other permission', async () => {
    expect(
      await isForbidden(
        await start(),
        endpoint,
        all.filter((other) => other !== name),
      ),
    ).toBe(true);
  });

  it('lets every key in when permissions are not enforced', async () => {
    expect(
      await isForbidden(
        await start(false),
        endpoint,
        all.filter((other) => other !== name),
      ),
    ).toBe(false);
  });
});

describe.each(unrestricted.map((endpoint) => [nameOf(endpoint), endpoint] as const))('%s', (_, endpoint) => {
  it('keeps out a key with every permission there is', async () => {
    expect(await isForbidden(await start(), endpoint, all)).toBe(true);
  });

  it('lets in a key without restrictions', async () => {
    expect(await isForbidden(await start(), endpoint, [])).toBe(false);
  });

  it('lets every key in when permissions are not enforced', async () => {
    expect(await isForbidden(await start(false), endpoint, ['chat'])).toBe(false);
  });
});

it('says what is missing', async () => {
  const world = await start();
  const { value } = await mint(world, { permissions: ['chat', 'apps:read'] });
  const answer = await callWith(world, value, 'DELETE', '/api/v1/containers/none');
  expect(answer.body.error.message).toBe(
    'Insufficient permissions: containers.delete needs apps:write, the key has chat, apps:read',
  );
});

it('does nothing for a key that is kept out', async () => {
  const world = await start();
  const { value } = await mint(world, { permissions: ['apps:read'] });
  const body = { name: 'a', project_name: 'a', ecr_image_uri: 'r/a:v1' };
  expect((await callWith(world, value, 'POST', '/api/v1/containers', body)).status).toBe(403);
  expect((await call(world, 'GET', '/api/v1/containers')).body.data).toEqual([]);
});

it('applies a change of permissions at once', async () => {
  const world = await start();
  const { id, value } = await mint(world, { permissions: ['chat'] });
  expect((await callWith(world, value, 'GET', '/api/v1/containers')).status).toBe(403);
  await call(world, 'PATCH', `/api/v1/api-keys/${id}`, { permissions: ['apps:read'] });
  expect((await callWith(world, value, 'GET', '/api/v1/containers')).status).toBe(200);
});
