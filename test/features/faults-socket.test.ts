// Faults on the socket, before the handler and after it: what raw clients, Node's fetch and curl see, and what stands.

import { describe, expect, it } from 'vitest';
import type { Emulator } from '../../src/index.js';
import { call, startEmulator } from '../support/emulator.js';
import { create, curl, fetched, hasCurl, watch } from '../support/faults.js';

/** What a created container leaves: in the list, in the ledger, in the balance. */
async function effects(emulator: Emulator): Promise<{ listed: number; charges: number; balance: number }> {
  const listed = (await call(emulator, 'GET', '/api/v1/containers')).body.data.length;
  const charges = emulator.controls.ledger().filter(({ type }) => type === 'charge').length;
  const balance = (await call(emulator, 'GET', '/api/v1/credits/balance')).body.balance;
  return { listed, charges, balance };
}
const nothing = { listed: 0, charges: 0, balance: 1_000 };
const done = { listed: 1, charges: 1, balance: 999.5 };

const post = ['-X', 'POST', '-d', JSON.stringify(create.body)];
const breaks = [
  { network: 'reset', end: 'reset', error: 'ECONNRESET', code: 56 },
  { network: 'close', end: 'closed', error: 'UND_ERR_SOCKET', code: 52 },
  { network: 'hang', end: 'open', error: 'TimeoutError', code: 28 },
] as const;

describe.each(breaks)('$network', ({ network, end, error, code }) => {
  it.each([
    ['before', nothing],
    ['after', done],
  ] as const)('in phase %s', async (phase, left) => {
    const rule = { match: { operation: 'containers.create' }, phase, effect: { network } };
    const raw = await startEmulator();
    raw.controls.faults.add(rule);
    expect(await watch(raw, create)).toEqual({ text: '', end });
    expect(await effects(raw)).toEqual(left);
    expect(raw.controls.faults.list()).toMatchObject([{ seen: 1, hits: 1 }]);

    const withFetch = await startEmulator();
    withFetch.controls.faults.add(rule);
    expect(await fetched(withFetch, create)).toEqual({ error });
    expect(await effects(withFetch)).toEqual(left);

    if (!hasCurl) return;
    const withCurl = await startEmulator();
    withCurl.controls.faults.add(rule);
    expect(await curl(withCurl, post)).toMatchObject({ code, stdout: '' });
    expect(await effects(withCurl)).toEqual(left);
  });

  it('in phase partial, after headers and some bytes', async () => {
    const rule = { match: { operation: 'containers.create' }, phase: 'partial', effect: { network } } as const;
    const raw = await startEmulator();
    raw.controls.faults.add(rule);
    const seen = await watch(raw, create);
    expect(seen.end).toBe(end);
    expect(seen.text).toMatch(/^HTTP\/1\.1 202 Accepted\r\n/);
    expect(seen.text).toContain('X-Emulator-Fault: fault_1\r\n');
    expectHalf(seen.text);
    expect(await effects(raw)).toEqual(done);

    const withFetch = await startEmulator();
    withFetch.controls.faults.add(rule);
    const answer = await fetched(withFetch, create);
    expect(answer).toMatchObject({ status: 202, error });
    expect(await effects(withFetch)).toEqual(done);

    if (!hasCurl) return;
    const withCurl = await startEmulator();
    withCurl.controls.faults.add(rule);
    const { code: exit, stdout } = await curl(withCurl, post);
    // A body that is not whole is what curl tells before how the connection ended.
    expect(exit).toBe(network === 'close' ? 18 : code);
    expect(stdout).toMatch(/^\{"success":true/);
    expect(() => JSON.parse(stdout)).toThrow();
  });
});

function expectHalf(text: string): void {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const length = Number(/Content-Length: (\d+)/.exec(head)?.[1]);
  expect(length).toBeGreaterThan(100);
  expect(body.length).toBe(Math.floor(length / 2));
}

describe.each(['after', 'partial'] as const)('damaged answers, phase %s', (phase) => {
  const rule = (network: 'truncate' | 'malformed' | 'drip', delay?: string) =>
    ({ match: { operation: 'containers.create' }, phase, effect: { network, ...(delay && { delay }) } }) as const;

  it('truncate: the headers of the whole, half of the body, the end', async () => {
    const emulator = await startEmulator();
    emulator.controls.faults.add(rule('truncate'));
    const seen = await watch(emulator, create);
    expect(seen.end).toBe('closed');
    expectHalf(seen.text);
    expect(await effects(emulator)).toEqual(done);

    expect(
      await fetched(emulator, { ...create, body: { ...create.body, name: 'b', project_name: 'b' } }),
    ).toMatchObject({ status: 202, error: 'UND_ERR_SOCKET' });
    if (hasCurl) expect((await curl(emulator, post)).code).toBe(18);
  });

  it('malformed: the true status, and JSON that breaks off', async () => {
    const emulator = await startEmulator();
    emulator.controls.faults.add(rule('malformed'));
    const { status, text = '', error, headers } = await fetched(emulator, create);
    expect([status, error]).toEqual([202, undefined]);
    expect(text.startsWith('{"success":true')).toBe(true);
    expect(() => JSON.parse(text)).toThrow();
    expect(headers?.get('content-length')).toBe(String(Buffer.byteLength(text)));
    expect(headers?.get('x-emulator-fault')).toBe('fault_1');
    expect(await effects(emulator)).toEqual(done);
    if (hasCurl) expect((await curl(emulator, post)).code).toBe(0);
  });

  it('drip: the true answer, in many pieces', async () => {
    const emulator = await startEmulator();
    emulator.controls.faults.add(rule('drip', '600ms'));
    const began = performance.now();
    const response = await emulator.fetch(create.path, {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.apiKey}` },
      body: JSON.stringify(create.body),
    });
    const headersAfter = performance.now() - began;
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) pieces.push(piece);
    expect(headersAfter).toBeLessThan(400);
    expect(performance.now() - began).toBeGreaterThan(500);
    expect(pieces.length).toBeGreaterThan(5);
    expect(JSON.parse(Buffer.concat(pieces).toString()).success).toBe(true);
    expect(response.headers.get('x-emulator-fault')).toBe('fault_1');
    expect(await effects(emulator)).toEqual(done);
    if (!hasCurl) return;
    const dripped = await curl(emulator, post, undefined, 5);
    expect(dripped.code).toBe(0);
    expect(JSON.parse(dripped.stdout).success).toBe(true);
    // Half of the time, half of the bytes.
    expect((await curl(emulator, post, undefined, 0.3)).code).toBe(28);
  });
});
