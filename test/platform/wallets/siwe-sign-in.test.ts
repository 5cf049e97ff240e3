// Signing in with Ethereum, as real clients do it: the account, its credits, its key.

import { Wallet } from 'ethers';
import { SiweMessage } from 'siwe';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import { expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';
import { getNonce, signIn, verify, wallet } from '../../support/wallets.js';

it('a sign-in lets viem in with what the response to the nonce says', async () => {
  const world = await startWorld();
  const account = privateKeyToAccount(generatePrivateKey());
  const message = createSiweMessage({ ...(await getNonce(world)), address: account.address });
  const { status, body } = await verify(world, { message, signature: await account.signMessage({ message }) });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    success: true,
    apiKey: expect.stringMatching(/^ek_test_[0-9a-f]{64}$/),
    address: account.address,
    isNewAccount: true,
    user: { wallet_address: account.address.toLowerCase(), organization_id: body.organization.id, role: 'owner' },
    organization: {
      name: `Wallet ${account.address.slice(0, 6)}...${account.address.slice(-4)}`.toLowerCase().replace('w', 'W'),
      slug: `wallet-${account.address.toLowerCase()}`,
      credit_balance: 5,
    },
  });
  const user = await call(world, 'GET', '/api/v1/user', undefined, { authorization: `Bearer ${body.apiKey}` });
  expect(user.body.data).toMatchObject({
    id: body.user.id,
    wallet_address: account.address.toLowerCase(),
    wallet_chain_type: 'evm',
    wallet_verified: true,
    organization: { id: body.organization.id, credit_balance: 5 },
  });
});

it('a sign-in lets siwe and ethers in', async () => {
  const world = await startWorld();
  const signer = Wallet.createRandom();
  const { nonce, domain, uri, chainId } = await getNonce(world);
  const message = new SiweMessage({
    domain,
    address: signer.address,
    statement: 'A statement of our own.',
    uri,
    version: '1',
    chainId,
    nonce,
    expirationTime: new Date(Date.now() + 60_000).toISOString(),
    notBefore: new Date(Date.now() - 60_000).toISOString(),
    requestId: 'some-request',
    resources: ['https://example.com/terms', 'ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/'],
  }).prepareMessage();
  const { status, body } = await verify(world, { message, signature: await signer.signMessage(message) });
  expect([status, body.address, body.isNewAccount]).toEqual([200, signer.address, true]);
});

it('a sign-in finds the account again, makes a new key and ends the former one', async () => {
  const world = await startWorld();
  const first = (await signIn(world)).body;
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const other = await call(world, 'POST', '/api/v1/api-keys', { name: 'Another' }, bearer(first.apiKey));
  const second = (await signIn(world)).body;
  expect(second).toMatchObject({ isNewAccount: false, user: first.user, organization: first.organization });
  expect(second.apiKey).not.toBe(first.apiKey);

  const old = await call(world, 'GET', '/api/v1/user', undefined, bearer(first.apiKey));
  expect([old.status, old.body.error.message]).toEqual([401, expect.stringContaining('inactive')]);
  expect((await call(world, 'GET', '/api/v1/user', undefined, bearer(other.body.plainKey))).status).toBe(200);
  const { keys } = (await call(world, 'GET', '/api/v1/api-keys', undefined, bearer(second.apiKey))).body;
  expect(keys.map((key: any) => [key.name, key.is_active, key.permissions])).toEqual([
    ['SIWE sign-in', true, []],
    ['Another', true, []],
    ['SIWE sign-in', false, []],
  ]);
});

it('a sign-in ends the former key whatever it is called by now, and no other of its name', async () => {
  const world = await startWorld();
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const first = (await signIn(world)).body.apiKey;
  const path = '/api/v1/api-keys';
  const [{ id }] = (await call(world, 'GET', path, undefined, bearer(first))).body.keys;
  await call(world, 'PATCH', `${path}/${id}`, { name: 'Laptop' }, bearer(first));
  const own = (await call(world, 'POST', path, { name: 'SIWE sign-in' }, bearer(first))).body.plainKey;
  const second = (await signIn(world)).body.apiKey;
  const statusOf = async (key: string) => (await call(world, 'GET', '/api/v1/user', undefined, bearer(key))).status;
  expect([await statusOf(first), await statusOf(own), await statusOf(second)]).toEqual([401, 200, 200]);
});

it('a sign-in gives a new wallet free credits once, and the ledger says why', async () => {
  const world = await startWorld({ credits: { initialFree: 7.5 } });
  const { organization, user } = (await signIn(world)).body;
  await signIn(world);
  expect(world.controls.ledger({ organizationId: organization.id })).toMatchObject([
    {
      type: 'grant',
      amount: 7.5,
      balanceAfter: 7.5,
      reason: 'Free credits of a new wallet',
      operation: 'auth.siweVerify',
      requestId: expect.stringMatching(/^req_/),
      subject: user.wallet_address,
    },
  ]);
});

it('a sign-in gives no credits where the setting says none', async () => {
  const world = await startWorld({ credits: { initialFree: 0 } });
  const { organization } = (await signIn(world)).body;
  expect(organization.credit_balance).toBe(0);
  expect(world.controls.ledger({ organizationId: organization.id })).toEqual([]);
});

it('a sign-in makes the same account for the same seed and wallet, whoever came first', async () => {
  const one = await startWorld();
  await signIn(one, { wallet: wallet(1) });
  const other = await startWorld();
  const [mine, again] = [await signIn(one), await signIn(other)];
  expect(again.body.user).toEqual(mine.body.user);
  expect(again.body.organization).toEqual(mine.body.organization);
});
