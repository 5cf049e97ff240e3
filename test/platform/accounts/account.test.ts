// The user behind a key.

import { expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';
import { callWith } from '../../support/keys.js';

const path = '/api/v1/user';

const everything = {
  name: 'Ada',
  avatar: 'https://example.test/ada.png',
  nickname: 'ada',
  work_function: 'engineering',
  preferences: 'Answer briefly',
  response_notifications: false,
  email_notifications: false,
};

it('a change of the account changes everything that users may say about themselves', async () => {
  const world = await startWorld();
  await world.controls.clock.advance('1m');
  const { status, body } = await call(world, 'PATCH', path, everything);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    success: true,
    message: expect.any(String),
    data: { ...everything, updated_at: '2026-01-01T00:01:00.000Z' },
  });
  expect((await call(world, 'GET', path)).body.data).toEqual(body.data);
});

it('a change of the account leaves what was not named', async () => {
  const world = await startWorld();
  await call(world, 'PATCH', path, everything);
  const { body } = await call(world, 'PATCH', path, { nickname: 'countess' });
  expect(body.data).toMatchObject({ ...everything, nickname: 'countess' });
});

it('a change of the account clears with null', async () => {
  const world = await startWorld();
  await call(world, 'PATCH', path, everything);
  const empty = { avatar: null, nickname: null, work_function: null, preferences: null };
  expect((await call(world, 'PATCH', path, empty)).body.data).toMatchObject({ ...empty, name: 'Ada' });
  expect((await call(world, 'PATCH', path, { nickname: '' })).body.data).toMatchObject({ nickname: '' });
});

it.each([
  [{}, 'body', /at least one of/],
  [{ name: ' ' }, 'name', /not be empty/],
  [{ name: 'n'.repeat(101) }, 'name', /at most 100/],
  [{ avatar: 'ada.png' }, 'avatar', /URL/],
  [{ avatar: 'javascript:alert(1)' }, 'avatar', /URL/],
  [{ nickname: ' ' }, 'nickname', /not be blank/],
  [{ nickname: '\u200b' }, 'nickname', /not be blank/],
  [{ nickname: 'n'.repeat(51) }, 'nickname', /at most 50/],
  [{ preferences: 'p'.repeat(1_001) }, 'preferences', /at most 1000/],
  [{ response_notifications: 'no' }, 'response_notifications', /true or false/],
  [{ email_notifications: 1 }, 'email_notifications', /true or false/],
])('a change of the account refuses %j', async (body, field, message) => {
  const world = await startWorld();
  const answer = await call(world, 'PATCH', path, body);
  expect(answer.status).toBe(400);
  expect(answer.body.error.details).toMatchObject([{ path: field, message: expect.stringMatching(message) }]);
});

it('a change of the account does not let a user choose role, email or organization', async () => {
  const world = await startWorld();
  const answer = await call(world, 'PATCH', path, {
    name: 'Ada',
    role: 'admin',
    email: 'a@example.test',
    organization: { name: 'Mine' },
  });
  expect(answer.headers.get('x-emulator-warning')).toContain('role');
  expect(answer.body.data).toMatchObject({
    role: 'owner',
    email: 'owner@example.test',
    organization: { name: 'Example Organization' },
  });
});

it('the account keeps users of different organizations apart', async () => {
  const world = await startWorld();
  const other = world.controls.organizations.create({ name: 'Other', credits: 2.5 });
  await call(world, 'PATCH', path, { name: 'Ada' });
  const { body } = await callWith(world, other.apiKey, 'GET', path);
  expect(body.data).toMatchObject({
    id: other.userId,
    organization: { id: other.id, name: 'Other', slug: 'other', credit_balance: 2.5 },
  });
  expect(body.data.name).not.toBe('Ada');
});
