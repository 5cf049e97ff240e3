// Users and sessions under control: made, listed, ended, and told what is wrong.

import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/index.js';
import { call, startEmulator } from '../../support/emulator.js';

function problem(act: () => unknown): [code: string, path: string | undefined] {
  try {
    act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [error.code, (error.options.details as { path: string }[] | undefined)?.[0]?.path];
  }
  throw new Error('it was accepted');
}

it('control creates a session of the user who is named', async () => {
  const { controls, organizationId, userId } = await startEmulator();
  const other = controls.organizations.create({ name: 'Other' });
  const vera = controls.users.create({ role: 'viewer', email: 'vera@example.test', name: 'Vera' });
  expect(vera).toEqual({ id: vera.id, name: 'Vera', email: 'vera@example.test', role: 'viewer', organizationId });
  const { sessions } = controls;
  expect(sessions.create()).toMatchObject({ userId, role: 'owner' });
  expect(sessions.create({ userId: vera.id })).toMatchObject({ userId: vera.id, email: 'vera@example.test' });
  expect(sessions.create({ email: 'VERA@example.test' })).toMatchObject({ userId: vera.id });
  expect(sessions.create({ role: 'viewer' })).toMatchObject({ userId: vera.id });
  expect(sessions.create({ organizationId: other.id })).toMatchObject({ userId: other.userId });
  const made = sessions.create({ organizationId: other.id, role: 'admin' });
  expect(made).toMatchObject({ role: 'admin', email: 'admin-2@example.test', organizationId: other.id });
  expect(sessions.create({ organizationId: other.id, role: 'admin' }).userId).toBe(made.userId);
  const rolesIn = (id: string) =>
    controls.users.list().flatMap((user) => (user.organizationId === id ? user.role : []));
  expect([rolesIn(organizationId), rolesIn(other.id)]).toEqual([
    ['owner', 'viewer'],
    ['owner', 'admin'],
  ]);
});

it('control lists sessions as they are, and reports the tokens of those that it has minted', async () => {
  const emulator = await startEmulator();
  const { sessions, clock } = emulator.controls;
  const short = sessions.create({ expiresIn: '10m' });
  const ended = sessions.create();
  sessions.revoke(ended.id);
  await call(emulator, 'POST', '/auth/login', { email: 'owner@example.test' });
  await clock.advance('10m');
  expect(sessions.list().map(({ state, origin, token }) => [state, origin, token])).toEqual([
    ['expired', 'control', short.token],
    ['revoked', 'control', ended.token],
    ['active', 'login', null],
  ]);
});

it('equal worlds get equal tokens of sessions', async () => {
  const [one, two] = await Promise.all([startEmulator(), startEmulator()]);
  expect(one.controls.sessions.create()).toEqual(two.controls.sessions.create());
});

describe('refuses', () => {
  it.each<[string, [code: string, path?: string], object]>([
    ['two ways to name a user', ['VALIDATION_ERROR', 'options'], { userId: 'x', email: 'y' }],
    ['a role of a user who is named', ['VALIDATION_ERROR', 'options'], { email: 'owner@example.test', role: 'owner' }],
    ['a user who is not there', ['NOT_FOUND'], { userId: 'x' }],
    ['an organization that is not there', ['NOT_FOUND'], { organizationId: 'x' }],
    ['an address of nobody', ['VALIDATION_ERROR', 'email'], { email: 'owner@example.tst' }],
    ['an unknown role', ['VALIDATION_ERROR', 'role'], { role: 'king' }],
    ['an unknown field', ['VALIDATION_ERROR', 'user'], { user: 'x' }],
    ['no time at all', ['VALIDATION_ERROR', 'expiresIn'], { expiresIn: 0 }],
    ['a time that is none', ['VALIDATION_ERROR', 'expiresIn'], { expiresIn: 'soon' }],
  ])('%s', async (_, [code, path], request) => {
    const { controls } = await startEmulator();
    expect(problem(() => controls.sessions.create(request))).toEqual([code, path]);
    expect(controls.sessions.list()).toEqual([]);
  });

  it('users whom it cannot make', async () => {
    const { controls } = await startEmulator();
    const { users } = controls;
    expect(problem(() => users.create({ email: 'OWNER@example.test' }))[0]).toBe('CONFLICT');
    expect(problem(() => users.create({ email: 'nobody' }))).toEqual(['VALIDATION_ERROR', 'email']);
    expect(problem(() => users.create({ organizationId: 'x' }))[0]).toBe('NOT_FOUND');
    expect(users.list()).toHaveLength(1);
  });

  it('to end a session that is not there', async () => {
    const { controls } = await startEmulator();
    expect(problem(() => controls.sessions.revoke('x'))[0]).toBe('NOT_FOUND');
  });

  it('a key of a user of another organization', async () => {
    const { controls, organizationId } = await startEmulator();
    const other = controls.organizations.create();
    expect(problem(() => controls.keys.create({ organizationId, userId: other.userId }))).toEqual([
      'VALIDATION_ERROR',
      'userId',
    ]);
    expect(controls.keys.create({ userId: other.userId }).organizationId).toBe(other.id);
  });
});
