// Requests that a wallet signs: what is signed, how far the clocks may differ, which credentials count.

import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { headerMistakes, signHeaders } from '../../../src/testing.js';
import { call, startEmulator } from '../../support/emulator.js';
import { refusalOf, signedCall, wallet } from '../../support/wallets.js';

const path = '/api/v1/user';

it('a signed request has the four lines of text, signed by viem, and the address in any case', async () => {
  const emulator = await startEmulator();
  const account = privateKeyToAccount(wallet().privateKey);
  const cases = [
    account.address,
    account.address.toLowerCase(),
    `0x${account.address.slice(2).toUpperCase()}`,
    account.address.toUpperCase(),
  ];
  for (const [n, address] of cases.entries()) {
    const timestamp = String(Date.now() + n);
    const message = `Example Cloud Authentication\nTimestamp: ${timestamp}\nMethod: GET\nPath: /api/v1/user`;
    const answer = await call(emulator, 'GET', path, undefined, {
      authorization: '',
      'X-Wallet-Address': address,
      'X-Timestamp': timestamp,
      'X-Wallet-Signature': await account.signMessage({ message }),
    });
    expect([answer.status, answer.body.data?.wallet_address]).toEqual([200, account.address.toLowerCase()]);
    expect(answer.headers.get('x-emulator-assumption')).toContain('wallet.headers');
  }
});

it('a signed request may do everything that a key does', async () => {
  const emulator = await startEmulator();
  const created = await signedCall(emulator, '/api/v1/app/agents', { method: 'POST', body: { name: 'Mine' } });
  expect(created.status).toBe(201);
  const id = created.body.agent.id;
  const agent = `/api/my-agents/characters/${id}`;
  expect((await signedCall(emulator, agent)).body.data.character.name).toBe('Mine');
  expect((await signedCall(emulator, agent, { signer: wallet(1) })).status).toBe(404);
  const key = await signedCall(emulator, '/api/v1/api-keys', { method: 'POST', body: { name: 'Key' } });
  expect(key.status).toBe(201);
  const byKey = await call(emulator, 'GET', agent, undefined, { authorization: `Bearer ${key.body.plainKey}` });
  expect(byKey.status).toBe(200);
  expect((await signedCall(emulator, agent, { method: 'DELETE' })).status).toBe(200);
});

it('a signed request leaves the query out of its path, and is taken with or without the world’s prefix', async () => {
  const emulator = await startEmulator();
  await emulator.createWorld({ id: 'w2' });
  const asked = '/w/w2/api/my-agents/characters';
  for (const [n, signed] of ['/api/my-agents/characters', asked, '/w/w2/w/w2/api/my-agents/characters'].entries()) {
    const sent = n === 2 ? signed : asked;
    const answer = await signedCall(emulator, `${sent}?page=1&limit=2`, { signed, timestamp: Date.now() + n });
    expect([signed, answer.status]).toEqual([signed, 200]);
  }
  const other = await signedCall(emulator, asked, { signed: '/w/default/api/my-agents/characters' });
  expect(refusalOf(other)).toEqual([401, 'tampered']);
});

it('a signature is bound to a method and a path, encoded as it was sent', async () => {
  const emulator = await startEmulator();
  const encoded = '/api/my-agents/characters/%E2%82%AC%20';
  expect((await signedCall(emulator, encoded)).status).toBe(404);
  expect(refusalOf(await signedCall(emulator, encoded, { signed: '/api/my-agents/characters/€ ' }))[0]).toBe(401);
  expect(refusalOf(await signedCall(emulator, `${path}?a=b`, { wrong: 'wrong-method' }))).toEqual([
    401,
    'wrong-method',
  ]);
});

it('a signed request has a timestamp up to five minutes off either way, by the client’s clock', async () => {
  const emulator = await startEmulator();
  const ask = (timestamp: number) => signedCall(emulator, path, { timestamp });
  expect((await ask(Date.now() - 270_000)).status).toBe(200);
  expect((await ask(Date.now() + 299_000)).status).toBe(200);
  expect(refusalOf(await ask(Date.now() - 300_001))).toEqual([401, 'expired']);
  expect(refusalOf(await ask(Date.now() + 330_000))).toEqual([401, 'not-yet-valid']);

  await emulator.controls.clock.advance('30d');
  expect((await ask(Date.now())).status).toBe(200);
  const ahead = Date.now() + 86_400_000;
  emulator.controls.clock.skew({ to: new Date(ahead).toISOString() });
  expect(refusalOf(await ask(Date.now()))).toEqual([401, 'expired']);
  expect((await ask(ahead)).status).toBe(200);
});

it.each(['', '0x', 'soon', '-5', '1e12', '12.5', '99999999999999999999', ' 5 5'])(
  'a signed request with the timestamp "%s" is refused',
  async (timestamp) => {
    const emulator = await startEmulator();
    const headers = { ...(await signHeaders({ wallet: wallet(), path })), authorization: '', 'X-Timestamp': timestamp };
    const answer = await call(emulator, 'GET', path, undefined, headers);
    expect(answer.status).toBe(401);
    if (timestamp !== '') expect(refusalOf(answer)).toEqual([401, 'malformed-timestamp']);
  },
);

it('a refusal of a signed request says that seconds are not milliseconds', async () => {
  const answer = await signedCall(await startEmulator(), path, { timestamp: Math.floor(Date.now() / 1_000) });
  expect(refusalOf(answer)).toEqual([401, 'malformed-timestamp']);
  expect(answer.body.error.message).toContain('in seconds');
});

describe.each(headerMistakes)('%s', (wrong) => {
  it('in a signed request is refused for that reason, and nothing is used up', async () => {
    const emulator = await startEmulator();
    const timestamp = Date.now();
    const answer = await signedCall(emulator, path, { wrong, timestamp });
    expect(refusalOf(answer)).toEqual([401, wrong]);
    expect(answer.body.error).toMatchObject({
      code: 'UNAUTHORIZED',
      message: expect.stringMatching(/^Invalid wallet signature: .{20}/),
    });
    expect(emulator.controls.organizations.list()).toHaveLength(1);
    expect((await signedCall(emulator, path, { timestamp })).status).toBe(200);
  });
});

it('a signed request carries the name of the service that is set', async () => {
  const emulator = await startEmulator({ service: { name: 'Acme' } });
  const answer = await signedCall(emulator, path);
  expect(refusalOf(answer)).toEqual([401, 'wrong-service']);
  expect(answer.body.error.details.expectedText).toMatch(/^Acme Cloud Authentication\nTimestamp: \d+\nMethod: GET\n/);
  const headers = await signHeaders({ wallet: wallet(), path, serviceName: 'Acme' });
  expect((await call(emulator, 'GET', path, undefined, { authorization: '', ...headers })).status).toBe(200);
});

it('the refusal of a signed request names a path that was signed with its query', async () => {
  const emulator = await startEmulator();
  const account = privateKeyToAccount(wallet().privateKey);
  const timestamp = String(Date.now());
  const message = `Example Cloud Authentication\nTimestamp: ${timestamp}\nMethod: GET\nPath: ${path}?verbose=1`;
  const answer = await call(emulator, 'GET', `${path}?verbose=1`, undefined, {
    authorization: '',
    'X-Wallet-Address': account.address,
    'X-Timestamp': timestamp,
    'X-Wallet-Signature': await account.signMessage({ message }),
  });
  expect(refusalOf(answer)).toEqual([401, 'wrong-path']);
  expect(answer.body.error.message).toContain(`${path}?verbose=1: sign ${path}`);
});

it('a signed request opens only the top-up under the settings of the public server', async () => {
  const emulator = await startEmulator({ profile: 'elizacloud-v1' });
  const headers = await signHeaders({ wallet: wallet(), path, serviceName: 'Eliza' });
  const answer = await call(emulator, 'GET', path, undefined, { authorization: '', ...headers });
  expect([answer.status, answer.body.details.reason]).toEqual([401, 'not-here']);
  const open = await startEmulator({ profile: 'elizacloud-v1', auth: { walletPaths: null } });
  expect((await call(open, 'GET', path, undefined, { authorization: '', ...headers })).status).toBe(200);
});

it('a signed path that encodes what needs no encoding is taken for the plain one', async () => {
  const emulator = await startEmulator({ auth: { walletPaths: [path] } });
  const encoded = path.replace('user', '%75ser');
  const headers = await signHeaders({ wallet: wallet(), path: encoded });
  expect((await call(emulator, 'GET', encoded, undefined, { authorization: '', ...headers })).status).toBe(200);
});
