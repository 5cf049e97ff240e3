// Sign-ins that are wrong in one way: one code and status, the reason in the details, nothing used up.

import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { signSiwe, siweMessage, siweMistakes } from '../../../src/testing.js';
import { startEmulator } from '../../support/emulator.js';
import { getNonce, refusalOf, signIn, verify, wallet } from '../../support/wallets.js';

describe.each(siweMistakes)('%s', (mistake) => {
  it('is refused for that reason, and the nonce is still good', async () => {
    const emulator = await startEmulator();
    const nonce = await getNonce(emulator);
    const wrong = await signSiwe({ ...nonce, wallet: wallet(), wrong: mistake });
    const answer = await verify(emulator, wrong);
    expect(refusalOf(answer)).toEqual([401, mistake]);
    expect(answer.body.error).toMatchObject({
      code: 'UNAUTHORIZED',
      message: expect.stringMatching(/^SIWE verification failed: .{20}/),
    });
    expect(answer.text).not.toContain(wrong.signature.slice(4, 60));
    expect(emulator.controls.organizations.list()).toHaveLength(1);
    expect((await verify(emulator, await signSiwe({ ...nonce, wallet: wallet() }))).status).toBe(200);
  });
});

it('names what a changed message was before', async () => {
  const emulator = await startEmulator();
  const account = privateKeyToAccount(wallet().privateKey);
  const nonce = await getNonce(emulator);
  const message = siweMessage({ ...nonce, address: account.address });
  const signature = await account.signMessage({ message });
  const changed: [change: string, was: string][] = [
    [message.replace('Sign in to', 'Give everything to'), 'the statement "Sign in to Example Cloud"'],
    [message.replace(/URI: .*/, 'URI: https://evil.example'), `the URI ${nonce.uri}`],
    [message.replace('Chain ID: 1', 'Chain ID: 10'), 'the chain id 1'],
    [message.replace(nonce.nonce, (await getNonce(emulator)).nonce), 'another nonce'],
    [message.replace(account.address, account.address.toLowerCase()), 'its checksum case'],
  ];
  for (const [sent, was] of changed) {
    const answer = await verify(emulator, { message: sent, signature });
    expect([...refusalOf(answer), answer.body.error.message]).toEqual([401, 'tampered', expect.stringContaining(was)]);
  }
  const old = message.replace(/Issued At: .*/, 'Issued At: 2020-01-01T00:00:00Z');
  expect(refusalOf(await verify(emulator, { message: old, signature }))).toEqual([401, 'tampered']);
});

it('names the wallet that signed for another', async () => {
  const emulator = await startEmulator();
  const stranger = privateKeyToAccount(`0x${'ab'.repeat(32)}`);
  const nonce = await getNonce(emulator);
  const message = siweMessage({ ...nonce, address: wallet().address });
  const answer = await verify(emulator, { message, signature: await stranger.signMessage({ message }) });
  expect(refusalOf(answer)).toEqual([401, 'wrong-address']);
  expect(answer.body.error.details).toMatchObject({
    address: wallet().address.toLowerCase(),
    recovered: stranger.address.toLowerCase(),
  });
});

it('refuses the same sign-in twice', async () => {
  const emulator = await startEmulator();
  const body = await signSiwe({ ...(await getNonce(emulator)), wallet: wallet() });
  expect((await verify(emulator, body)).status).toBe(200);
  expect(refusalOf(await verify(emulator, body))).toEqual([401, 'nonce-reused']);
});

it('judges the message’s times by the client’s clock', async () => {
  const emulator = await startEmulator();
  const now = Date.now();
  const expirationTime = new Date(now + 60_000).toISOString();
  const notBefore = new Date(now + 3_600_000).toISOString();
  expect((await signIn(emulator, { expirationTime })).status).toBe(200);
  expect(refusalOf(await signIn(emulator, { notBefore }))).toEqual([401, 'not-yet-valid']);
  emulator.controls.clock.skew({ to: new Date(now + 3_601_000).toISOString() });
  expect(refusalOf(await signIn(emulator, { expirationTime }))).toEqual([401, 'expired']);
  expect((await signIn(emulator, { notBefore })).status).toBe(200);
});

it('asks for message and signature, without repeating the signature', async () => {
  const emulator = await startEmulator();
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
    const answer = await verify(emulator, body);
    expect([answer.status, answer.body.error.code, answer.body.error.details[0].path]).toEqual([
      400,
      'VALIDATION_ERROR',
      path,
    ]);
    expect(answer.text).not.toContain('c0ffee');
  }
});
