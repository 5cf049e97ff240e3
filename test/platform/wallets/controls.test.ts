// Test wallets under control: equal for equal seeds, the same in the testing helpers, at two control operations.

import { expect, it } from 'vitest';
import { testWallet } from '../../../src/testing.js';
import { call, startWorld } from '../../support/emulator.js';
import { signedCall, signIn, wallet } from '../../support/wallets.js';

const door = '/_emulator/wallets';

it('control makes more wallets, each another', async () => {
  const world = await startWorld();
  const { wallets } = world.controls;
  const made = await Promise.all([wallets.create(), wallets.create(), wallets.create()]);
  expect(made.map(({ index }) => index)).toEqual([10, 11, 12]);
  expect((await call(world, 'POST', door)).body).toEqual({ ...wallet(13), organizationId: null });
  expect((await wallets.list()).map(({ index }) => index)).toEqual([...Array(14).keys()]);
});

it('control finds the wallet of an index, and lists it from then on', async () => {
  const world = await startWorld();
  const { wallets } = world.controls;
  expect(await wallets.create({ index: 3 })).toMatchObject(wallet(3));
  expect((await call(world, 'POST', door, { index: 77 })).body).toMatchObject(wallet(77));
  expect(await wallets.create({ index: 77 })).toMatchObject(wallet(77));
  expect((await wallets.list()).map(({ index }) => index)).toEqual([...Array(10).keys(), 77]);
  expect((await wallets.create()).index).toBe(78);
});

it('control says which account a wallet has signed up for', async () => {
  const world = await startWorld();
  const { organization } = (await signIn(world, { wallet: wallet(2) })).body;
  const { data } = (await signedCall(world, '/api/v1/user', { signer: wallet(4) })).body;
  const list = await world.controls.wallets.list();
  expect(
    list.flatMap(({ index, organizationId }) => (organizationId === null ? [] : [[index, organizationId]])),
  ).toEqual([
    [2, organization.id],
    [4, data.organization.id],
  ]);
});

it.each([
  [{ index: -1 }, 'index'],
  [{ index: 1.5 }, 'index'],
  [{ index: '1' }, 'index'],
  [{ index: 1_000_000_001 }, 'index'],
])('the control operation of wallets refuses %j', async (body, path) => {
  const world = await startWorld();
  const answer = await call(world, 'POST', door, body);
  expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path]);
  await expect(world.controls.wallets.create(body as never)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

it('the control operation of wallets refuses a field that it does not know', async () => {
  const { wallets } = (await startWorld()).controls;
  await expect(wallets.create({ indx: 1 } as never)).rejects.toMatchObject({
    options: { details: [{ path: 'indx', suggestion: 'index' }] },
  });
});

it('control names a wallet that signs for another as such, once it is known', async () => {
  const world = await startWorld();
  const stranger = testWallet('elsewhere');
  const wrong = { signer: stranger, wrong: 'wrong-address' as const };
  expect((await signedCall(world, '/api/v1/user', wrong)).body.error.details.reason).toBe('tampered');
  await signedCall(world, '/api/v1/user', { signer: stranger });
  expect((await signedCall(world, '/api/v1/user', wrong)).body.error.details.reason).toBe('wrong-address');
});
