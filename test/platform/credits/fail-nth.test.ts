// Credits that are missing on order: the n-th next charge of an organization is refused.

import { expect, it } from 'vitest';
import { paymentHeader } from '../../../src/testing.js';
import { tempDir } from '../../support/command.js';
import { call, deploy, getContainer, type Platform, startEmulator, startWorld } from '../../support/emulator.js';
import { callWith } from '../../support/keys.js';
import { wallet } from '../../support/payments.js';

const path = '/api/v1/containers';
const unlimited = { rateLimits: { enabled: false }, quotas: { enabled: false } };
const body = (n: number | string, more = {}) => ({
  name: `n${n}`,
  project_name: `p${n}`,
  ecr_image_uri: 'r/a:1',
  ...more,
});
const create = (emulator: Platform, n: number | string, more = {}) => call(emulator, 'POST', path, body(n, more));
const failNth = (emulator: Platform, nth: number | null, id = emulator.organizationId) =>
  emulator.controls.organizations.credits(id, { failNth: nth });
const left = (emulator: Platform) => emulator.controls.organizations.list()[0]?.failNth;

it('a refusal of the n-th charge lets those before pass, refuses the n-th as a real 402, and is over then', async () => {
  const emulator = await startWorld();
  expect(left(emulator)).toBeNull();
  expect(failNth(emulator, 3)).toMatchObject({ failNth: 3, credits: 1_000 });
  expect((await create(emulator, 1)).status).toBe(202);
  expect(left(emulator)).toBe(2);
  expect((await create(emulator, 2)).status).toBe(202);
  const refused = await create(emulator, 3, { desired_count: 2 });
  expect(refused.status).toBe(402);
  expect(refused.headers.get('x-emulator-fault')).toBe('failNth');
  expect(refused.body).toMatchObject({
    success: false,
    error: { code: 'INSUFFICIENT_CREDITS', details: { required: 0.55, balance: 999 } },
    requiredCredits: 0.55,
    creditsRemaining: 999,
    x402Version: 1,
    accepts: [{ maxAmountRequired: '550000' }],
  });
  expect(left(emulator)).toBeNull();
  expect((await create(emulator, 3)).body.creditsRemaining).toBe(998.5);
  expect(emulator.controls.ledger().map(({ type }) => type)).toEqual(['seed', 'charge', 'charge', 'charge']);
});

it('a refusal of the n-th charge leaves no trace of what was refused: the same ids come afterwards', async () => {
  const [plain, refusing] = [await startWorld(), await startWorld()];
  failNth(refusing, 1);
  expect((await create(refusing, 'x')).status).toBe(402);
  const [a, b] = [await create(plain, 1), await create(refusing, 1)];
  expect(b.body.data.id).toBe(a.body.data.id);
  expect(refusing.controls.ledger().map(({ id }) => id)).toEqual(plain.controls.ledger().map(({ id }) => id));
});

it('a refusal of the n-th charge counts charges only: neither reads, nor what is refused otherwise, nor free deployments, nor days', async () => {
  const emulator = await startWorld({ timing: 'instant', billing: { daily: true } });
  const { id } = await deploy(emulator);
  failNth(emulator, 1);
  const statuses = [
    await call(emulator, 'GET', path),
    await create(emulator, 1, { port: 0 }),
    await call(emulator, 'POST', path, { ...body(1), name: 'web' }),
    await call(emulator, 'PATCH', `${path}/${id}`, { cpu: 256 }),
  ].map(({ status }) => status);
  expect(statuses).toEqual([200, 400, 409, 200]);
  await emulator.controls.clock.advance('2d');
  expect(emulator.controls.ledger({ operation: 'billing.daily' })).toHaveLength(2);
  emulator.controls.organizations.credits(emulator.organizationId, { set: 0.4 });
  expect((await create(emulator, 1)).headers.get('x-emulator-fault')).toBeNull();
  expect(left(emulator)).toBe(1);
  emulator.controls.organizations.credits(emulator.organizationId, { add: 1 });
  expect((await create(emulator, 1)).headers.get('x-emulator-fault')).toBe('failNth');
});

it('a refusal of the n-th charge refuses exactly one of fifty charges that come at once', async () => {
  const emulator = await startWorld(unlimited);
  failNth(emulator, 25);
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => create(emulator, n)));
  expect(answers.filter(({ status }) => status === 402)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(49);
  expect([left(emulator), emulator.controls.organizations.list()[0]?.credits]).toEqual([null, 975.5]);
});

it('a refusal of the n-th charge leaves the container of a refused update as it was', async () => {
  const emulator = await startWorld();
  const { id } = await deploy(emulator);
  await emulator.controls.clock.advance('1m');
  const before = [await getContainer(emulator, id), (await call(emulator, 'GET', `${path}/${id}/deployments`)).body];
  failNth(emulator, 1);
  const update = { name: 'other', project_name: 'web', ecr_image_uri: 'r/b:2', description: 'new', cpu: 256 };
  expect((await call(emulator, 'POST', path, update)).status).toBe(402);
  const after = [await getContainer(emulator, id), (await call(emulator, 'GET', `${path}/${id}/deployments`)).body];
  expect(after).toEqual(before);
  await emulator.controls.clock.advance('1m');
  expect((await getContainer(emulator, id)).status).toBe('running');
});

it('a refusal of the n-th charge does not settle a payment whose charge it refuses', async () => {
  const emulator = await startWorld();
  failNth(emulator, 1);
  const { accepts } = (await create(emulator, 1)).body;
  const paid = await paymentHeader({ wallet, requirement: accepts[0] });
  failNth(emulator, 1);
  expect((await call(emulator, 'POST', path, body(1), paid)).status).toBe(402);
  expect(emulator.controls.payments.list()).toEqual([]);
  expect((await call(emulator, 'POST', path, body(1), paid)).status).toBe(202);
  expect(emulator.controls.payments.list()).toHaveLength(1);
});

it('a refusal of the n-th charge concerns one organization, and is called off with null', async () => {
  const emulator = await startWorld();
  const other = emulator.controls.organizations.create();
  failNth(emulator, 1, other.id);
  expect((await create(emulator, 1)).status).toBe(202);
  expect((await callWith(emulator, other.apiKey, 'POST', path, body(1))).status).toBe(402);
  expect(failNth(emulator, 1).failNth).toBe(1);
  expect(failNth(emulator, null).failNth).toBeNull();
  expect((await create(emulator, 2)).status).toBe(202);
});

it('a refusal of the n-th charge outlives restarts and comes back with a snapshot', async () => {
  const dataDir = tempDir();
  const first = await startEmulator({ dataDir });
  failNth(first, 2);
  first.controls.snapshots.take({ name: 'two' });
  expect((await create(first, 1)).status).toBe(202);
  await first.close();
  const second = await startEmulator({ dataDir });
  expect(left(second)).toBe(1);
  expect((await create(second, 2)).status).toBe(402);
  await second.controls.snapshots.restore('two');
  expect(left(second)).toBe(2);
  expect((await create(second, 1)).status).toBe(202);
  expect((await create(second, 2)).status).toBe(402);
  await second.close();
});

it.each<[object, string, string]>([
  [{}, 'body', 'one of `set`, `add`, `failNth` and `hold`'],
  [{ set: 1, failNth: 1 }, 'body', 'one of `set`, `add`, `failNth` and `hold`'],
  [{ failNth: 0 }, 'failNth', '1'],
  [{ failNth: 1.5 }, 'failNth', ''],
  [{ failNth: '2' }, 'failNth', ''],
  [{ failNth: 1e9 }, 'failNth', ''],
  [{ failnth: 2 }, 'failnth', 'unknown'],
  [{ set: -1 }, 'set', ''],
  [{ set: null }, 'set', ''],
  [{ add: 1e300 }, 'add', ''],
])('a refusal of the n-th charge says what is wrong with %j, by HTTP and in process', async (change, field, words) => {
  const emulator = await startWorld();
  const answer = await call(emulator, 'POST', `/_emulator/organizations/${emulator.organizationId}/credits`, change);
  expect(answer.status).toBe(400);
  expect(answer.body.error.details[0]).toMatchObject({ path: field, message: expect.stringContaining(words) });
  const act = () => emulator.controls.organizations.credits(emulator.organizationId, change);
  expect(act).toThrow(`${field === 'body' ? 'options' : field} `);
  expect([left(emulator), emulator.controls.ledger()]).toEqual([null, [expect.objectContaining({ type: 'seed' })]]);
});
