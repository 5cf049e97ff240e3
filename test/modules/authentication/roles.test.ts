// What roles change: a viewer reads and nothing else, however he comes.

import { expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { call, image, startEmulator } from '../../support/emulator.js';
import { callWith } from '../../support/keys.js';
import { user } from '../../support/sessions.js';

const container = { name: 'web', project_name: 'web', ecr_image_uri: image };

/** A session's token, and a key that was made over the command line's login: both of a viewer. */
async function viewer(emulator: Emulator): Promise<[session: string, key: string]> {
  const { token, userId } = emulator.controls.sessions.create({ role: 'viewer' });
  return [token, emulator.controls.keys.create({ userId }).apiKey];
}

it('lets a viewer read', async () => {
  const emulator = await startEmulator();
  for (const credential of await viewer(emulator)) {
    for (const path of [
      user,
      '/api/v1/containers',
      '/api/my-agents/characters',
      '/api/v1/api-keys',
      '/api/quotas/usage',
    ])
      expect((await callWith(emulator, credential, 'GET', path)).status, path).toBe(200);
  }
});

it('lets a viewer write nothing', async () => {
  const emulator = await startEmulator();
  const key = emulator.controls.keys.create();
  for (const credential of await viewer(emulator)) {
    for (const [method, path, body] of [
      ['POST', '/api/v1/app/agents', { name: 'Mine' }],
      ['POST', '/api/v1/containers', container],
      ['POST', '/api/v1/api-keys', { name: 'Mine' }],
      ['POST', `/api/v1/api-keys/${key.id}/regenerate`, undefined],
      ['DELETE', `/api/v1/api-keys/${key.id}`, undefined],
      ['PATCH', user, { name: 'Mine' }],
    ] as const) {
      const answer = await callWith(emulator, credential, method, path, body);
      expect([answer.status, answer.body.error.code], path).toEqual([403, 'FORBIDDEN']);
      expect(answer.body.error.message).toContain('a user with the role viewer may only read');
      expect(answer.headers.get('x-emulator-assumption')).toContain('auth.roles');
    }
  }
  expect((await callWith(emulator, key.apiKey, 'GET', user)).status).toBe(200);
});

it.each(['owner', 'admin', 'member'] as const)('lets %s write', async (role) => {
  const emulator = await startEmulator();
  const { token } = emulator.controls.sessions.create({ role });
  expect((await callWith(emulator, token, 'POST', '/api/v1/containers', container)).status).toBe(202);
  expect((await callWith(emulator, token, 'GET', user)).body.data.role).toBe(role);
});

it('holds where permissions are not enforced, too', async () => {
  const emulator = await startEmulator({ profile: 'elizacloud' });
  const { token } = emulator.controls.sessions.create({ role: 'viewer' });
  const { status, body } = await call(
    emulator,
    'POST',
    '/api/v1/app/agents',
    { name: 'Mine' },
    {
      authorization: `Bearer ${token}`,
    },
  );
  expect([status, body.code]).toEqual([403, 'access_denied']);
});

it('gives a member agents of his own', async () => {
  const emulator = await startEmulator();
  const { token } = emulator.controls.sessions.create({ role: 'member' });
  const { body } = await callWith(emulator, token, 'POST', '/api/v1/app/agents', { name: 'Mine' });
  const path = `/api/my-agents/characters/${body.agent.id}`;
  expect((await callWith(emulator, token, 'GET', path)).status).toBe(200);
  expect((await call(emulator, 'GET', path)).status).toBe(404);
});
