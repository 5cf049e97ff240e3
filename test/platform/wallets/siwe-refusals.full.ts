// Sign-ins that are wrong in one way: one code and status, the reason in the details, nothing used up.

import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { signSiwe, siweMessage, siweMistakes } from '../../../src/testing.js';
import { startWorld } from '../../support/emulator.js';
import { getNonce, refusalOf, signIn, verify, wallet } from '../../support/wallets.js';

describe.each(siweMistakes)('%s', (mistake) => {
  it('in a sign-in is refused for that reason, and the nonce is still good', async () => {
    const world = await startWorld();
    const nonce = await getNonce(world);
    const wrong = await signSiwe({ ...nonce, wallet: wallet(), wrong: mistake });
    const answer = await verify(world, wrong);
    expect(refusalOf(answer)).toEqual([401, mistake]);
    expect(answer.body.error).toMatchObject({
      code: 'UNAUTHORIZED',
      message: expect.stringMatching(/^SIWE verification failed: .{20}/),
    });
    expect(answer.text).not.toContain(wrong.signature.slice(4, 60));
    expect(world.controls.organizations.list()).toHaveLength(1);
    expect((await verify(world, await signSiwe({ ...nonce, wallet: wallet() }))).status).toBe(200);
  });
});

it('a refused sign-in names what a changed message was before', async () => {
  const world = await startWorld();
  const account = privateKeyToAccount(wallet().privateKey);
  const nonce = await getNonce(world);
  const message = siweMessage({ ...nonce, address: account.address });
  const signature = await account.signMessage({ message });
  const changed: [change: string, was: string][] = [
    [message.replace('Sign in to', 'Give everything to'), 'the statement "Sign in to Example Cloud"'],
    [message.replace(/URI: .*/, 'URI: https://evil.example'), `the URI ${nonce.uri}`],
    [message.replace('Chain ID: 1', 'Chain ID: 10'), 'the chain id 1'],
    [message.replace(nonce.nonce, (await getNonce(world)).nonce), 'another nonce'],
    [message.replace(account.address, account.address.toLowerCase()), 'its checksum case'],
  ];
  for (const [sent, was] of changed) {
    const answer = await verify(world, { message: sent, signature });
    expect([...refusalOf(answer), answer.body.error.message]).toEqual([401, 'tampered', expect.stringContaining(was)]);
  }
  const old = message.replace(/Issued At: .*/, 'Issued At: 2020-01-01T00:00:00Z');
  expect(refusalOf(await verify(world, { message: old, signature }))).toEqual([401, 'tampered']);
});

it('a refused sign-in names the wallet that signed for another', async () => {
  const world = await startWorld();
  const stranger = privateKeyToAccount(`0x${'ab'.repeat(32)}`);
  const nonce = await getNonce(world);
  const message = siweMessage({ ...nonce, address: wallet().address });
  const answer = await verify(world, { message, signature: await stranger.signMessage({ message }) });
  expect(refusalOf(answer)).toEqual([401, 'wrong-address']);
  expect(answer.body.error.details).toMatchObject({
    address: wallet().address.toLowerCase(),
    recovered: stranger.address.toLowerCase(),
  });
});

it('the same sign-in is refused twice', async () => {
  const world = await startWorld();
  const body = await signSiwe({ ...(await getNonce(world)), wallet: wallet() });
  expect((await verify(world, body)).status).toBe(200);
  expect(refusalOf(await verify(world, body))).toEqual([401, 'nonce-reused']);
});

it('a sign-in judges the message’s times by the client’s clock', async () => {
  const world = await startWorld();
  const now = Date.now();
  const expirationTime = new Date(now + 60_000).toISOString();
  const notBefore = new Date(now + 3_600_000).toISOString();
  expect((await signIn(world, { expirationTime })).status).toBe(200);
  expect(refusalOf(await signIn(world, { notBefore }))).toEqual([401, 'not-yet-valid']);
  world.controls.clock.skew({ to: new Date(now + 3_601_000).toISOString() });
  expect(refusalOf(await signIn(world, { expirationTime }))).toEqual([401, 'expired']);
  expect((await signIn(world, { notBefore })).status).toBe(200);
});

it('a sign-in asks for message and signature, without repeating the signature', async () => {
  const world = await startWorld();
  const signature = `0x${'c0ffee'.repeat(20)}`;
  for (const [body, path] of [
    [{ signature }, 'message'],
    [{ message: 'x' }, 'signature'],
    [{ message: '', signature }, 'message'],
    [{ message: 'x'.repeat(10_001), signature }, 'message'],
    [{ message: 'x', signature: [signature] }, 'signature'],
    [{ message: 'x', signature: 5 }, 'signature'],
    [{ mesage: 'x', signature }, 'message'],
  ] as const) {
    const answer = await verify(world, body);
    expect([answer.status, answer.body.error.code, answer.body.error.details[0].path]).toEqual([
      400,
      'VALIDATION_ERROR',
      path,
    ]);
    expect(answer.text).not.toContain('c0ffee');
  }
});
