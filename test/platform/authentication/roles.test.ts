// Roles: a viewer reads and nothing else, however he comes.

import { expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { call, image, startWorld } from '../../support/emulator.js';
import { callWith } from '../../support/keys.js';
import { user } from '../../support/sessions.js';

const container = { name: 'web', project_name: 'web', ecr_image_uri: image };

/** A session's token, and a key that was made over the command line's login: both of a viewer. */
async function viewer(world: EmulatorWorld): Promise<[session: string, key: string]> {
  const { token, userId } = world.controls.sessions.create({ role: 'viewer' });
  return [token, world.controls.keys.create({ userId }).apiKey];
}

it('the role of viewer may read', async () => {
  const world = await startWorld();
  for (const credential of await viewer(world)) {
    for (const path of [
      user,
      '/api/v1/containers',
      '/api/my-agents/characters',
      '/api/v1/api-keys',
      '/api/quotas/usage',
    ])
      expect((await callWith(world, credential, 'GET', path)).status, path).toBe(200);
  }
});

it('the role of viewer may write nothing', async () => {
  const world = await startWorld();
  const key = world.controls.keys.create();
  for (const credential of await viewer(world)) {
    for (const [method, path, body] of [
      ['POST', '/api/v1/app/agents', { name: 'Mine' }],
      ['POST', '/api/v1/containers', container],
      ['POST', '/api/v1/api-keys', { name: 'Mine' }],
      ['POST', `/api/v1/api-keys/${key.id}/regenerate`, undefined],
      ['DELETE', `/api/v1/api-keys/${key.id}`, undefined],
      ['PATCH', user, { name: 'Mine' }],
    ] as const) {
      const answer = await callWith(world, credential, method, path, body);
      expect([answer.status, answer.body.error.code], path).toEqual([403, 'FORBIDDEN']);
      expect(answer.body.error.message).toContain('a user with the role viewer may only read');
      expect(answer.headers.get('x-emulator-assumption')).toContain('auth.roles');
    }
  }
  expect((await callWith(world, key.apiKey, 'GET', user)).status).toBe(200);
});

it.each(['owner', 'admin', 'member'] as const)('the role of %s may write', async (role) => {
  const world = await startWorld();
  const { token } = world.controls.sessions.create({ role });
  expect((await callWith(world, token, 'POST', '/api/v1/containers', container)).status).toBe(202);
  expect((await callWith(world, token, 'GET', user)).body.data.role).toBe(role);
});

it('the role of viewer holds where permissions are not enforced, too', async () => {
  const world = await startWorld({ profile: 'elizacloud-v1' });
  const { token } = world.controls.sessions.create({ role: 'viewer' });
  const { status, body } = await call(
    world,
    'POST',
    '/api/v1/app/agents',
    { name: 'Mine' },
    {
      authorization: `Bearer ${token}`,
    },
  );
  expect([status, body.code]).toEqual([403, 'access_denied']);
});

it('the role of member has agents of its own', async () => {
  const world = await startWorld();
  const { token } = world.controls.sessions.create({ role: 'member' });
  const { body } = await callWith(world, token, 'POST', '/api/v1/app/agents', { name: 'Mine' });
  const path = `/api/my-agents/characters/${body.agent.id}`;
  expect((await callWith(world, token, 'GET', path)).status).toBe(200);
  expect((await call(world, 'GET', path)).status).toBe(404);
});
