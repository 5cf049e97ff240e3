// A signature is good for one request; what is refused leaves it, and the account, as they were.

import { expect, it, onTestFinished } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/index.js';
import { signHeaders } from '../../../src/testing.js';
import { tempDir } from '../../support/command.js';
import { type Answer, call, image, startEmulator } from '../../support/emulator.js';
import { refusalOf, signedCall, wallet } from '../../support/wallets.js';

const path = '/api/v1/user';
const deployment = { name: 'web', project_name: 'web', ecr_image_uri: image };

/** Sends the same signed request as often as wanted. */
async function repeatable(
  emulator: Emulator,
  method: string,
  at: string,
  body?: unknown,
): Promise<() => Promise<Answer>> {
  const headers = await signHeaders({ wallet: wallet(), method, path: at });
  return () => call(emulator, method, at, body, { authorization: '', ...headers });
}

it.each([
  ['GET', path, undefined],
  ['POST', '/api/v1/app/agents', { name: 'One' }],
])('a signed %s is taken once', async (method, at, body) => {
  const emulator = await startEmulator();
  const send = await repeatable(emulator, method, at, body);
  expect((await send()).status).toBeLessThan(300);
  expect(refusalOf(await send())).toEqual([401, 'replayed']);
  expect(refusalOf(await send())).toEqual([401, 'replayed']);
});

it('signed requests are distinguished by wallet, timestamp, method and path', async () => {
  const emulator = await startEmulator();
  const timestamp = Date.now();
  expect((await signedCall(emulator, path, { timestamp })).status).toBe(200);
  expect((await signedCall(emulator, path, { timestamp: timestamp + 1 })).status).toBe(200);
  expect((await signedCall(emulator, '/api/v1/credits/balance', { timestamp })).status).toBe(200);
  expect((await signedCall(emulator, path, { timestamp, method: 'PATCH', body: { name: 'N' } })).status).toBe(200);
  expect((await signedCall(emulator, path, { timestamp, signer: wallet(1) })).status).toBe(200);
  expect(refusalOf(await signedCall(emulator, path, { timestamp }))).toEqual([401, 'replayed']);
  expect(refusalOf(await signedCall(emulator, `/w/default${path}`, { timestamp }))).toEqual([401, 'replayed']);
});

it('the signature of an earlier request is recognized under another timestamp', async () => {
  const emulator = await startEmulator();
  const headers = await signHeaders({ wallet: wallet(5), path });
  const send = (timestamp: string) =>
    call(emulator, 'GET', path, undefined, { authorization: '', ...headers, 'X-Timestamp': timestamp });
  expect((await send(headers['X-Timestamp'])).status).toBe(200);
  const answer = await send(String(Number(headers['X-Timestamp']) + 5));
  expect(refusalOf(answer)).toEqual([401, 'tampered']);
  expect(answer.body.error.message).toContain('an earlier request');
});

it('one of fifty equal signed requests is let through', async () => {
  const emulator = await startEmulator();
  const send = await repeatable(emulator, 'POST', '/api/v1/app/agents', { name: 'One' });
  const answers = await Promise.all(Array.from({ length: 50 }, send));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter((answer) => refusalOf(answer)[1] === 'replayed')).toHaveLength(49);
  const list = await signedCall(emulator, '/api/my-agents/characters');
  expect(list.body.data.pagination.totalCount).toBe(1);
});

it('one of fifty equal signed reads is let through', async () => {
  const emulator = await startEmulator();
  const send = await repeatable(emulator, 'GET', path);
  const answers = await Promise.all(Array.from({ length: 50 }, send));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter((answer) => refusalOf(answer)[1] === 'replayed')).toHaveLength(49);
});

it('fifty first requests of a wallet make one account', async () => {
  const emulator = await startEmulator();
  const now = Date.now();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => signedCall(emulator, path, { timestamp: now + n })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array<number>(50).fill(200));
  expect(new Set(answers.map(({ body }) => body.data.organization.id)).size).toBe(1);
  expect(emulator.controls.organizations.list()).toHaveLength(2);
  expect(emulator.controls.ledger({ organizationId: answers[0]?.body.data.organization.id })).toHaveLength(1);
});

it('a signature is not used up by a 402, and the account is not made by it', async () => {
  const emulator = await startEmulator({ credits: { initialFree: 0 } });
  const send = await repeatable(emulator, 'POST', '/api/v1/containers', deployment);
  const poor = await send();
  expect([poor.status, poor.body.error.code]).toEqual([402, 'INSUFFICIENT_CREDITS']);
  expect(emulator.controls.organizations.list()).toHaveLength(1);

  const rich = await startEmulator();
  const [again, other] = [
    await repeatable(rich, 'POST', '/api/v1/containers', deployment),
    await signedCall(rich, path, { timestamp: Date.now() - 1 }),
  ];
  rich.controls.organizations.credits(other.body.data.organization.id, { set: 0 });
  expect((await again()).status).toBe(402);
  rich.controls.organizations.credits(other.body.data.organization.id, { set: 5 });
  expect((await again()).status).toBe(202);
  expect(refusalOf(await again())).toEqual([401, 'replayed']);
});

it('a signature is not used up by a 429', async () => {
  const emulator = await startEmulator({ rateLimits: { perKey: 1 } });
  expect((await signedCall(emulator, path, { timestamp: Date.now() - 1 })).status).toBe(200);
  const send = await repeatable(emulator, 'GET', path);
  expect((await send()).status).toBe(429);
  await emulator.controls.clock.advance('1m');
  expect((await send()).status).toBe(200);
});

it('a signature is not used up by a fault before the request, and is by one after it', async () => {
  const emulator = await startEmulator();
  const body = { name: 'One' };
  const headers = await signHeaders({ wallet: wallet(), method: 'POST', path: '/api/v1/app/agents' });
  const send = (fault?: object) =>
    call(emulator, 'POST', '/api/v1/app/agents', body, {
      authorization: '',
      ...headers,
      ...(fault && { 'X-Emulator-Fault': JSON.stringify(fault) }),
    });
  expect((await send({ effect: { error: 'SERVICE_UNAVAILABLE' } })).status).toBe(503);
  expect(emulator.controls.organizations.list()).toHaveLength(1);
  expect((await send({ phase: 'after', effect: { status: 500 } })).status).toBe(500);
  expect(emulator.controls.organizations.list()).toHaveLength(2);
  expect(refusalOf(await send())).toEqual([401, 'replayed']);
});

it('a signature is used up by a request that is refused for what it says, which creates the account', async () => {
  const emulator = await startEmulator();
  const send = await repeatable(emulator, 'POST', '/api/v1/app/agents', { name: '' });
  expect((await send()).status).toBe(400);
  expect(emulator.controls.organizations.list()).toHaveLength(2);
  expect(refusalOf(await send())).toEqual([401, 'replayed']);
});

it('a signature is used up once by two equal requests that come together and are refused', async () => {
  const emulator = await startEmulator();
  const send = await repeatable(emulator, 'POST', '/api/v1/app/agents', { name: '' });
  const statuses = (await Promise.all([send(), send()])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([400, 401]);
  expect(emulator.controls.organizations.list()).toHaveLength(2);
});

it('a signature is remembered over a restart and while the client’s clock is moved', async () => {
  const dataDir = tempDir();
  const before = await createEmulator({ seed: 'test', dataDir });
  const headers = await signHeaders({ wallet: wallet(), path });
  const send = (to: Emulator) => call(to, 'GET', path, undefined, { authorization: '', ...headers });
  expect((await send(before)).status).toBe(200);
  await before.close();

  const after = await createEmulator({ dataDir });
  onTestFinished(() => after.close());
  expect(refusalOf(await send(after))).toEqual([401, 'replayed']);
  const ahead = Date.now() + 3_600_000;
  after.controls.clock.skew({ to: new Date(ahead).toISOString() });
  expect(refusalOf(await send(after))).toEqual([401, 'expired']);
  expect((await signedCall(after, path, { timestamp: ahead })).status).toBe(200);
  after.controls.clock.skew({ to: null });
  expect(refusalOf(await send(after))).toEqual([401, 'replayed']);
});
