// Organizations from the control plane.

import { expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';
import { callWith } from '../../support/keys.js';

it('control makes an organization with an owner, credits and a key', async () => {
  const world = await startWorld();
  const { status, body } = await call(world, 'POST', '/_emulator/organizations', {
    name: 'Acme & Söhne',
    credits: 12.5,
    plan: 'pro',
  });
  expect(status).toBe(200);
  expect(body).toEqual({
    id: expect.any(String),
    name: 'Acme & Söhne',
    slug: 'acme-sohne',
    plan: 'pro',
    credits: 12.5,
    failNth: null,
    hold: false,
    apiKey: expect.stringMatching(/^ek_test_[0-9a-f]{64}$/),
    userId: expect.any(String),
  });
  expect((await callWith(world, body.apiKey, 'GET', '/api/v1/user')).body.data).toMatchObject({
    id: body.userId,
    role: 'owner',
    organization: { id: body.id },
  });
});

it('control makes an organization as the seeded one is without any input', async () => {
  const world = await startWorld({ credits: { seeded: 7 } });
  const { body } = await call(world, 'POST', '/_emulator/organizations');
  expect(body).toMatchObject({ name: 'Organization 1', slug: 'organization-1', plan: 'free', credits: 7 });
});

it('an organization is listed beside the seeded one', async () => {
  const world = await startWorld();
  const { id } = world.controls.organizations.create({ name: 'Acme' });
  const names = world.controls.organizations.list().map((organization) => organization.name);
  expect(names.sort()).toEqual(['Acme', 'Example Organization']);
  expect(world.controls.organizations.credits(id, { set: 3 }).credits).toBe(3);
});

it('organizations of one name get slugs of their own', async () => {
  const world = await startWorld();
  const slugs = ['Acme', 'acme', ' ACME! ', '日本'].map((name) => world.controls.organizations.create({ name }).slug);
  expect(slugs).toEqual(['acme', 'acme-2', 'acme-3', 'organization']);
});

it('the ledger of an organization begins with its credits, also when there are none', async () => {
  const world = await startWorld();
  const { id } = world.controls.organizations.create({ credits: 0 });
  expect(world.controls.ledger({ organizationId: id })).toMatchObject([{ type: 'seed', amount: 0, balanceAfter: 0 }]);
});

it('a filter of the ledger that can never match is refused, and no other', async () => {
  const { controls } = await startWorld();
  const refusal = (filter: Parameters<typeof controls.ledger>[0]): string => {
    try {
      return `${controls.ledger(filter).length} entries`;
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(refusal({ organizationId: 'nope' })).toBe('There is no organization "nope"');
  expect(refusal({ operation: 'containers.creat' })).toBe(
    'operation must be the id of an operation, such as containers.create, or billing.daily, got "containers.creat"; did you mean containers.create?',
  );
  expect(refusal({ operation: 'billing.dayly' })).toMatch(/; did you mean billing\.daily\?$/);
  for (const operation of ['containers.create', 'billing.daily', 'control.organizations.credits'])
    expect(refusal({ operation })).toBe('0 entries');
});

it.each([
  [{ plan: 'gold' }, 'plan must be one of free, pro, enterprise'],
  [{ credits: -1 }, 'credits must be at least 0'],
  [{ credits: 'many' }, 'credits must be a number'],
  [{ name: '' }, 'name must not be empty'],
])('making an organization refuses %j', async (body, message) => {
  const world = await startWorld();
  const answer = await call(world, 'POST', '/_emulator/organizations', body);
  expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringContaining(message)]);
  expect(() => world.controls.organizations.create(body as never)).toThrow(message);
  expect(world.controls.organizations.list()).toHaveLength(1);
});

it('accounts of one instant are listed in the order in which they were created', async () => {
  const world = await startWorld();
  const names = ['b', 'a', 'd', 'c', 'f', 'e'];
  for (const name of names) {
    await call(world, 'POST', '/_emulator/organizations', { name });
    await call(world, 'POST', '/_emulator/users', { name });
  }
  const { organizations } = (await call(world, 'GET', '/_emulator/organizations')).body;
  expect(organizations.map(({ name }: { name: string }) => name)).toEqual(['Example Organization', ...names]);
  const { users } = (await call(world, 'GET', '/_emulator/users')).body;
  const ofSeeded = users.filter(({ organizationId }: any) => organizationId === organizations[0].id);
  expect(ofSeeded.map(({ name }: { name: string }) => name)).toEqual(['Example Owner', ...names]);
});
