// Wallet headers beside other credentials, and the windows and permissions of wallets.

import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/modules/platform/surface.js';
import { signHeaders } from '../../../src/testing.js';
import { call, startWorld } from '../../support/emulator.js';
import { refusalOf, signedCall, wallet } from '../../support/wallets.js';

const path = '/api/v1/user';

it('looks at the wallet alone when all three headers are there, without falling back to a key', async () => {
  const world = await startWorld();
  const key = { 'x-api-key': world.apiKey, authorization: `Bearer ${world.apiKey}` };
  const answer = await signedCall(world, path, { headers: key });
  expect(answer.body.data.wallet_address).toBe(wallet().address.toLowerCase());
  expect(refusalOf(await signedCall(world, path, { headers: key, wrong: 'malleated' }))).toEqual([401, 'malleated']);
});

describe.each(['X-Wallet-Address', 'X-Timestamp', 'X-Wallet-Signature'] as const)('without %s', (missing) => {
  it('ignores the others, says so, and goes on to the key', async () => {
    const world = await startWorld();
    for (const empty of [true, false]) {
      const headers: Record<string, string> = await signHeaders({ wallet: wallet(), path });
      if (empty) headers[missing] = '';
      else delete headers[missing];
      const answer = await call(world, 'GET', path, undefined, headers);
      expect([answer.status, answer.body.data?.id]).toEqual([200, world.userId]);
      expect(answer.headers.get('x-emulator-warning')).toContain(`${missing} is missing`);
      const none = await call(world, 'GET', path, undefined, { ...headers, authorization: '' });
      expect([none.status, none.body.error.message]).toEqual([401, expect.stringContaining('no credentials')]);
      expect(none.headers.get('x-emulator-warning')).toContain(`${missing} is missing`);
    }
  });
});

it('says nothing about a timestamp alone: others use that header too', async () => {
  const answer = await call(await startWorld(), 'GET', path, undefined, { 'x-timestamp': '1' });
  expect([answer.status, answer.headers.get('x-emulator-warning')]).toEqual([200, null]);
});

it('lets wallets do what keys without restriction may', async () => {
  const world = await startWorld();
  const open = endpoints.filter(
    ({ auth, method, path: at }) => auth === 'caller' && method === 'GET' && !at.includes('{'),
  );
  expect(open.length).toBeGreaterThan(8);
  for (const endpoint of open) {
    const answer = await signedCall(world, endpoint.path);
    expect([endpoint.id, answer.status]).toEqual([endpoint.id, 200]);
  }
});

it('counts each wallet in windows of its own, with the limit of keys', async () => {
  const world = await startWorld({ rateLimits: { perKey: 2 } });
  const ask = async (index: number) => {
    const { status, headers } = await signedCall(world, path, { signer: wallet(index), timestamp: Date.now() });
    return [status, headers.get('x-ratelimit-remaining')];
  };
  expect(await ask(0)).toEqual([200, '1']);
  expect(await ask(0)).toEqual([200, '0']);
  expect((await ask(0))[0]).toBe(429);
  expect(await ask(1)).toEqual([200, '1']);
  expect((await call(world, 'GET', path)).status).toBe(200);
});

it('counts what is wrongly signed by address, not against the wallet that it names', async () => {
  const world = await startWorld({ rateLimits: { perKey: 3 } });
  for (let n = 0; n < 3; n++) expect((await signedCall(world, path, { wrong: 'tampered' })).status).toBe(401);
  expect((await signedCall(world, path, { wrong: 'tampered' })).status).toBe(429);
  expect((await signedCall(world, path)).status).toBe(200);
});

it('explains an unmatched path to a wallet too, and uses nothing up', async () => {
  const world = await startWorld();
  const answer = await signedCall(world, '/api/v1/usr');
  expect([answer.status, answer.body.error.code]).toEqual([404, 'ROUTE_NOT_FOUND']);
  expect(world.controls.organizations.list()).toHaveLength(1);
});

it('documents the three headers as one way in', async () => {
  const { body } = await call(await startWorld(), 'GET', '/openapi.json');
  const way = { walletAddress: [], walletTimestamp: [], walletSignature: [] };
  expect(body.paths[path].get.security).toContainEqual(way);
  for (const name of Object.keys(way)) expect(body.components.securitySchemes).toHaveProperty(name);
});
