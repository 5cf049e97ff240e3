// The account of a wallet that only signs requests.

import { expect, it } from 'vitest';
import { startWorld } from '../../support/emulator.js';
import { signedCall, signIn, wallet } from '../../support/wallets.js';

const path = '/api/v1/user';

it('the account of a wallet comes with the first request that succeeds, with free credits', async () => {
  const emulator = await startWorld();
  const { body } = await signedCall(emulator, path);
  const { id, credit_balance } = body.data.organization;
  expect(credit_balance).toBe(5);
  expect(emulator.controls.ledger({ organizationId: id })).toMatchObject([
    { type: 'grant', amount: 5, operation: 'account.user', subject: wallet().address.toLowerCase() },
  ]);
  const again = await signedCall(emulator, path, { timestamp: Date.now() + 1 });
  expect(again.body.data).toEqual(body.data);
  expect(emulator.controls.ledger({ organizationId: id })).toHaveLength(1);
});

it('the account of a wallet is the one that signing in finds', async () => {
  const emulator = await startWorld();
  const { data } = (await signedCall(emulator, path)).body;
  const { isNewAccount, user, organization } = (await signIn(emulator)).body;
  expect([isNewAccount, user.id, organization.id]).toEqual([false, data.id, data.organization.id]);
});

it('the account of a wallet shows the same after a read as one that was there before', async () => {
  const emulator = await startWorld();
  for (const [index, at] of ['/api/v1/credits/balance', '/api/v1/containers', '/api/quotas/usage'].entries()) {
    const first = await signedCall(emulator, at, { signer: wallet(index) });
    const second = await signedCall(emulator, at, { signer: wallet(index), timestamp: Date.now() + 1 });
    if (at !== '/api/quotas/usage') expect(second.body).toEqual(first.body);
    expect([first.status, second.status]).toEqual([200, 200]);
  }
});

it('the account of a wallet comes about through the first valid signed request, also where that finds nothing', async () => {
  const emulator = await startWorld();
  const nothing = '/api/my-agents/characters/00000000-0000-4000-8000-000000000000';
  expect((await signedCall(emulator, path, { wrong: 'wrong-path' })).status).toBe(401);
  expect(emulator.controls.organizations.list()).toHaveLength(1);
  expect((await signedCall(emulator, nothing)).status).toBe(404);
  expect(emulator.controls.organizations.list()).toHaveLength(2);
});

it('the account of a wallet has a slug of its own when somebody took it', async () => {
  const emulator = await startWorld();
  const slug = `wallet-${wallet().address.toLowerCase()}`;
  expect(emulator.controls.organizations.create({ name: slug }).slug).toBe(slug);
  expect((await signedCall(emulator, path)).body.data.organization.slug).toBe(`${slug}-2`);
});
