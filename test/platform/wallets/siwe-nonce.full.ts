// Nonces: how they look, how long they live, to whom they are bound.

import { request } from 'node:http';
import { expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { signSiwe } from '../../../src/testing.js';
import { call, startEmulator } from '../../support/emulator.js';
import { getNonce, type NonceAnswer, refusalOf, signIn, verify, wallet } from '../../support/wallets.js';

const path = '/api/auth/siwe/nonce';

/** A nonce for a client that knows the emulator under another name. */
function nonceAt(emulator: Emulator, host: string): Promise<NonceAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ port: emulator.port, host: '127.0.0.1', path, headers: { host } }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve(JSON.parse(text) as NonceAnswer));
    });
    sent.on('error', reject).end();
  });
}

it('a nonce follows from the seed, and never repeats', async () => {
  const [one, same, other] = [await startEmulator(), await startEmulator(), await startEmulator({ seed: 'other' })];
  const mine = [(await getNonce(one)).nonce, (await getNonce(one)).nonce];
  expect([(await getNonce(same)).nonce, (await getNonce(same)).nonce]).toEqual(mine);
  expect(new Set([...mine, (await getNonce(other)).nonce]).size).toBe(3);
});

it.each([
  ['?chainId=8453', 8453, null],
  ['?chainId=0', 1, 'chainId'],
  ['?chainId=-1', 1, 'chainId'],
  ['?chainId=1.5', 1, 'chainId'],
  ['?chainId=main', 1, 'chainId'],
  ['?chainId=', 1, 'chainId'],
  ['?chainId=99999999999999999999', 1, 'chainId'],
])('a nonce takes %s for chain %d', async (query, chainId, warned) => {
  const { status, body, headers } = await call(await startEmulator(), 'GET', path + query);
  expect([status, body.chainId]).toEqual([200, chainId]);
  const warning = headers.get('x-emulator-warning');
  if (warned === null) expect(warning).toBeNull();
  else expect(warning).toContain(warned);
});

it('a nonce lives five minutes of virtual time', async () => {
  const emulator = await startEmulator();
  const [early, late] = [await getNonce(emulator), await getNonce(emulator)];
  await emulator.controls.clock.advance(299_999);
  expect((await verify(emulator, await signSiwe({ ...early, wallet: wallet() }))).status).toBe(200);
  await emulator.controls.clock.advance(1);
  const answer = await verify(emulator, await signSiwe({ ...late, wallet: wallet() }));
  expect(refusalOf(answer)).toEqual([401, 'nonce-expired']);
  expect(answer.body.error.details.expiredAt).toBe('2026-01-01T00:05:00.000Z');
});

it('a new nonce lets wallets sign in after an hour was skipped', async () => {
  const emulator = await startEmulator();
  const before = await getNonce(emulator);
  await emulator.controls.clock.advance('1h');
  expect((await signIn(emulator)).status).toBe(200);
  const answer = await verify(emulator, await signSiwe({ ...before, wallet: wallet() }));
  expect(refusalOf(answer)).toEqual([401, 'nonce-expired']);
});

it('a nonce is bound to the host that the client used', async () => {
  const emulator = await startEmulator();
  for (const host of [
    `localhost:${emulator.port}`,
    'emulator:8787',
    '[::1]:8787',
    'my_host:80',
    'host.docker.internal',
  ]) {
    const nonce = await nonceAt(emulator, host);
    expect(nonce).toMatchObject({ domain: host, uri: `http://${host}` });
    const wrong = await signSiwe({ ...nonce, domain: `127.0.0.1:${emulator.port}`, wallet: wallet() });
    const refused = await verify(emulator, wrong);
    expect(refusalOf(refused)).toEqual([401, 'wrong-domain']);
    expect(refused.body.error.details).toMatchObject({ expected: host, received: `127.0.0.1:${emulator.port}` });
    expect((await verify(emulator, await signSiwe({ ...nonce, wallet: wallet() }))).status).toBe(200);
  }
});

it('a nonce is bound to the public URL where there is one', async () => {
  const emulator = await startEmulator({ publicUrl: 'https://cloud.example.test/' });
  expect(await getNonce(emulator)).toMatchObject({ domain: 'cloud.example.test', uri: 'https://cloud.example.test' });
  expect((await signIn(emulator)).status).toBe(200);
});

it('a nonce belongs to one world', async () => {
  const emulator = await startEmulator();
  const world = await emulator.createWorld({ id: 'other' });
  const nonce = await getNonce(world);
  expect(nonce.uri).toBe(`http://127.0.0.1:${emulator.port}/w/other`);
  const body = JSON.stringify(await signSiwe({ ...nonce, wallet: wallet() }));
  expect(refusalOf(await verify(emulator, body))).toEqual([401, 'nonce-unknown']);
  expect((await world.fetch('/api/auth/siwe/verify', { method: 'POST', body })).status).toBe(200);
});

it('a request for a nonce counts ten times a minute, as verifying does', async () => {
  const emulator = await startEmulator();
  const statuses = [];
  for (let n = 0; n < 11; n++) statuses.push((await call(emulator, 'GET', path)).status);
  expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
  for (let n = 0; n < 10; n++) expect((await verify(emulator, { message: 'x', signature: '0x' })).status).toBe(401);
  expect((await verify(emulator, { message: 'x', signature: '0x' })).status).toBe(429);
});
