// Purchases of credits by card: begun by a client, paid on a page or by a control operation, credited once, verified.

import { describe, expect, it } from 'vitest';
import { runHere } from '../../support/command-here.js';
import { call, startEmulator, startWorld } from '../../support/emulator.js';

const begin = '/api/v1/credits/checkout';
const verify = '/api/v1/credits/verify';
const purchase = {
  credits: 25,
  success_url: 'http://localhost:3000/paid?from=test&session_id={CHECKOUT_SESSION_ID}',
  cancel_url: 'http://127.0.0.1:3000/credits',
};

type World = Awaited<ReturnType<typeof startWorld>>;

const balanceOf = async (world: World): Promise<number> =>
  (await call(world, 'GET', '/api/v1/credits/balance')).body.balance;
const beginOne = async (world: World, more: object = {}) => {
  const { status, body } = await call(world, 'POST', begin, { ...purchase, ...more });
  expect(status).toBe(200);
  return body as { url: string; sessionId: string };
};
const pageOf = (url: string, init: RequestInit = {}) =>
  fetch(url, { redirect: 'manual', ...init, headers: { accept: 'text/html', ...init.headers } });
const verified = async (world: World, sessionId: string) =>
  (await call(world, 'GET', `${verify}?session_id=${sessionId}`)).body;

it('a purchase is paid on its page, which leads to the client’s own; verifying it credits nothing more', async () => {
  const world = await startWorld();
  const before = await balanceOf(world);
  const { url, sessionId } = await beginOne(world);
  expect(url).toBe(`${world.url}/checkout/sessions/${sessionId}`);
  expect(sessionId).toMatch(/^cs_test_[\da-f]{56,}$/);
  expect(await verified(world, sessionId)).toEqual({
    success: false,
    error: 'Payment not completed',
    status: 'unpaid',
  });
  const page = await pageOf(url);
  const text = await page.text();
  expect([page.status, page.headers.get('x-frame-options')]).toEqual([200, 'DENY']);
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://localhost:3000;");
  expect(text).toContain('Pay $25');
  expect(text).toContain('href="http://127.0.0.1:3000/credits"');
  const action = /<form method="post" action="([^"]+)">/.exec(text)?.[1] ?? '';
  const paid = await pageOf(new URL(action, url).href, { method: 'POST' });
  expect([paid.status, paid.headers.get('location')]).toEqual([
    303,
    `http://localhost:3000/paid?from=test&session_id=${sessionId}`,
  ]);
  expect(await balanceOf(world)).toBe(before + 25);
  for (let i = 0; i < 2; i++)
    expect(await verified(world, sessionId)).toEqual({
      success: true,
      amount: 25,
      message: 'Payment verified successfully',
    });
  expect(await balanceOf(world)).toBe(before + 25);
  const again = await pageOf(url, { method: 'POST' });
  expect([again.status, await balanceOf(world)]).toEqual([409, before + 25]);
  expect(await (await pageOf(url)).text()).toContain('This was paid.');
  const [movement] = (await call(world, 'GET', '/api/credits/transactions?limit=1')).body.transactions;
  expect(movement).toMatchObject({ type: 'topup', amount: 25, subject: sessionId, operation: 'credits.payCheckout' });
});

it('a control pays a purchase as its page does', async () => {
  const world = await startWorld({ credits: { perDollar: 100, seeded: 0 } });
  const { sessionId } = await beginOne(world, { credits: undefined, amountUsd: 2.5 });
  expect(world.controls.checkouts.list()).toMatchObject([{ sessionId, status: 'open', amount: 2.5, paidAt: null }]);
  expect(world.controls.checkouts.paid(sessionId)).toMatchObject({
    status: 'paid',
    paidAt: '2026-01-01T00:00:00.000Z',
    successUrl: `http://localhost:3000/paid?from=test&session_id=${sessionId}`,
  });
  expect(await balanceOf(world)).toBe(250);
  expect(await verified(world, sessionId)).toMatchObject({ success: true, amount: 2.5 });
  expect(() => world.controls.checkouts.paid(sessionId)).toThrow('was paid before');
  expect(() => world.controls.checkouts.paid('cs_test_none')).toThrow('There is no checkout');
  expect(world.controls.ledger({ operation: 'control.checkouts.paid' })).toMatchObject([{ amount: 250 }]);
});

it('the command pays the session that it names', async () => {
  const emulator = await startEmulator();
  const { sessionId } = (await call(emulator, 'POST', begin, purchase)).body;
  const paid = await runHere(['checkout', 'paid', sessionId, '--url', emulator.url]);
  expect([paid.code, paid.stdout]).toEqual([0, expect.stringContaining('paid')]);
  const again = await runHere(['checkout', 'paid', sessionId, '--url', emulator.url]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('was paid before')]);
});

it('a purchase that nobody pays within a day expires', async () => {
  const world = await startWorld();
  const { url, sessionId } = await beginOne(world);
  await world.controls.clock.advance('23h59m59s');
  expect(world.controls.checkouts.list()).toMatchObject([{ status: 'open' }]);
  await world.controls.clock.advance('1s');
  expect(world.controls.checkouts.list()).toMatchObject([{ status: 'expired' }]);
  expect(() => world.controls.checkouts.paid(sessionId)).toThrow('expired at 2026-01-02T00:00:00.000Z');
  expect((await pageOf(url, { method: 'POST' })).status).toBe(409);
  expect(await (await pageOf(url)).text()).toContain('Nobody has paid this');
  expect(await verified(world, sessionId)).toMatchObject({ success: false });
});

it('programs pay by the page’s address, too', async () => {
  const world = await startWorld();
  const { sessionId } = await beginOne(world);
  const { status, body } = await call(world, 'POST', `/checkout/sessions/${sessionId}`);
  expect([status, body]).toEqual([
    200,
    {
      success: true,
      sessionId,
      status: 'paid',
      successUrl: `http://localhost:3000/paid?from=test&session_id=${sessionId}`,
    },
  ]);
});

it('a page of another site cannot pay a purchase', async () => {
  const world = await startWorld();
  const { url } = await beginOne(world);
  const forged = await pageOf(url, { method: 'POST', headers: { origin: 'https://evil.example' } });
  expect(forged.status).toBe(403);
  expect(world.controls.checkouts.list()).toMatchObject([{ status: 'open' }]);
});

describe('refused is', () => {
  it.each([
    ['success_url', { success_url: 'https://elsewhere.example/paid' }],
    ['cancel_url', { cancel_url: 'https://elsewhere.example/paid' }],
    ['success_url', { success_url: '/paid' }],
    ['success_url', { success_url: 'javascript:alert(1)' }],
    ['success_url', { success_url: 'http://user:secret@localhost/' }],
    ['success_url', { success_url: 'http://localhost.evil.example/' }],
    ['credits', { credits: 0 }],
    ['credits', { credits: 1_001 }],
    ['credits', { credits: 1.001 }],
    ['credits', { credits: undefined }],
    ['credits', { amountUsd: 24 }],
  ])('a purchase with another %s: %j', async (path, more) => {
    const { status, body } = await call(await startWorld(), 'POST', begin, { ...purchase, ...more });
    expect([status, body.error.details[0].path]).toEqual([400, path]);
  });

  it('to verify what is not named, not there, or somebody else’s', async () => {
    const world = await startWorld();
    const { sessionId } = await beginOne(world);
    expect((await call(world, 'GET', verify)).status).toBe(400);
    expect((await call(world, 'GET', `${verify}?session_id=cs_test_none`)).status).toBe(404);
    const stranger = { authorization: `Bearer ${world.controls.organizations.create({}).apiKey}` };
    expect((await call(world, 'GET', `${verify}?session_id=${sessionId}`, undefined, stranger)).status).toBe(403);
    expect((await pageOf(`${world.url}/checkout/sessions/cs_test_none`)).status).toBe(404);
  });
});

it('a purchase may lead to an origin that the settings list', async () => {
  const world = await startWorld({ config: { server: { corsOrigins: ['https://app.example'] } } } as never);
  const { sessionId } = await beginOne(world, { success_url: 'https://app.example/paid' });
  expect(world.controls.checkouts.paid(sessionId).successUrl).toBe(`https://app.example/paid?session_id=${sessionId}`);
});

describe('with an idempotency key', () => {
  const keyed = (world: World, key: string, more: object = {}, headers: object = {}) =>
    call(world, 'POST', begin, { ...purchase, ...more }, { 'idempotency-key': key, ...headers });

  it('the same purchase is begun once, and another one is refused', async () => {
    const world = await startWorld();
    const first = await keyed(world, 'order-1');
    const answers = await Promise.all(Array.from({ length: 4 }, () => keyed(world, 'order-1')));
    for (const { status, body } of answers) expect([status, body]).toEqual([200, first.body]);
    expect((await keyed(world, 'order-2')).body.sessionId).not.toBe(first.body.sessionId);
    expect(world.controls.checkouts.list()).toHaveLength(2);
    for (const [path, more] of [
      ['credits', { credits: 26 }],
      ['success_url', { success_url: 'http://localhost:3000/other' }],
      ['agent_id', { agent_id: '7b6d1c3e-0f0a-4a55-9a9b-2f6f3c8f5d10' }],
    ] as const) {
      const other = await keyed(world, 'order-1', more);
      expect([other.status, other.body.error.code, other.body.error.details[0].path]).toEqual([409, 'CONFLICT', path]);
    }
    const long = await keyed(world, 'x'.repeat(256));
    expect([long.status, long.body.error.details[0].path]).toEqual([400, 'headers.idempotency-key']);
    expect((await keyed(world, 'x'.repeat(255))).status).toBe(200);
  });

  it('it stays the same once it is paid, until the session is a day old; other users have keys of their own', async () => {
    const world = await startWorld();
    const { sessionId } = (await keyed(world, 'order')).body;
    const stranger = { authorization: `Bearer ${world.controls.organizations.create({}).apiKey}` };
    expect((await keyed(world, 'order', {}, stranger)).body.sessionId).not.toBe(sessionId);
    world.controls.checkouts.paid(sessionId);
    await world.controls.clock.advance('23h59m59s');
    expect((await keyed(world, 'order')).body.sessionId).toBe(sessionId);
    await world.controls.clock.advance('1s');
    const next = (await keyed(world, 'order', { credits: 30 })).body.sessionId;
    expect(next).not.toBe(sessionId);
    expect((await keyed(world, 'order', { credits: 30 })).body.sessionId).toBe(next);
  });
});
