// Faults on the socket, before the handler and after it: what raw clients, Node's fetch and curl see, and what stands.

import { describe, expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import type { FaultRequest } from '../../../src/tools/faults/rule.js';
import { call, startEmulator } from '../../support/emulator.js';
import { create, curl, fetched, watch } from '../../support/faults.js';
import { itNeeds } from '../../support/tools.js';

/** The traces of a created container: in the list, in the ledger, in the balance. */
async function effects(emulator: Emulator): Promise<{ listed: number; charges: number; balance: number }> {
  const listed = (await call(emulator, 'GET', '/api/v1/containers')).body.data.length;
  const charges = emulator.controls.ledger().filter(({ type }) => type === 'charge').length;
  const balance = (await call(emulator, 'GET', '/api/v1/credits/balance')).body.balance;
  return { listed, charges, balance };
}
const nothing = { listed: 0, charges: 0, balance: 1_000 };
const done = { listed: 1, charges: 1, balance: 999.5 };

const post = ['-X', 'POST', '-d', JSON.stringify(create.body)];
const withCurl = itNeeds('curl');

async function startWith(phase: FaultRequest['phase'], effect: FaultRequest['effect']): Promise<Emulator> {
  const emulator = await startEmulator();
  emulator.controls.faults.add({ match: { operation: 'containers.create' }, phase, effect });
  return emulator;
}

/** Half of the body that the headers announce. */
function expectHalf(text: string): void {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const length = Number(/Content-Length: (\d+)/.exec(head)?.[1]);
  expect(length).toBeGreaterThan(100);
  expect(body.length).toBe(Math.floor(length / 2));
}

const breaks = [
  { network: 'reset', end: 'reset', error: 'ECONNRESET', code: 56, patience: 5_000 },
  { network: 'close', end: 'closed', error: 'UND_ERR_SOCKET', code: 52, patience: 5_000 },
  { network: 'hang', end: 'open', error: 'TimeoutError', code: 28, patience: 3_000 },
] as const;

describe.each(breaks)('$network', ({ network, end, error, code, patience }) => {
  describe.each([
    ['before', nothing],
    ['after', done],
  ] as const)('in phase %s', (phase, left) => {
    it('on a raw socket', async () => {
      const emulator = await startWith(phase, { network });
      expect(await watch(emulator, create, patience)).toEqual({ text: '', end });
      expect(await effects(emulator)).toEqual(left);
      expect(emulator.controls.faults.list()).toMatchObject([{ seen: 1, hits: 1 }]);
    });

    it('to Node’s fetch', async () => {
      const emulator = await startWith(phase, { network });
      expect(await fetched(emulator, create, patience)).toEqual({ error });
      expect(await effects(emulator)).toEqual(left);
    });

    withCurl('to curl', async () => {
      const emulator = await startWith(phase, { network });
      expect(await curl(emulator, post, undefined, patience)).toMatchObject({ code, stdout: '' });
      expect(await effects(emulator)).toEqual(left);
    });
  });

  describe('in phase partial, after headers and half of the body', () => {
    it('on a raw socket', async () => {
      const emulator = await startWith('partial', { network });
      const seen = await watch(emulator, create, patience);
      expect(seen.end).toBe(end);
      expect(seen.text).toMatch(/^HTTP\/1\.1 202 Accepted\r\n/);
      expect(seen.text).toContain('X-Emulator-Fault: fault_1\r\n');
      expectHalf(seen.text);
      expect(await effects(emulator)).toEqual(done);
    });

    it('to Node’s fetch', async () => {
      const emulator = await startWith('partial', { network });
      expect(await fetched(emulator, create, patience)).toMatchObject({ status: 202, error });
      expect(await effects(emulator)).toEqual(done);
    });

    withCurl('to curl', async () => {
      const emulator = await startWith('partial', { network });
      const { code: exit, stdout } = await curl(emulator, post, undefined, patience);
      // That a body is not whole is what curl tells first.
      expect(exit).toBe(network === 'close' ? 18 : code);
      expect(stdout).toMatch(/^\{"success":true/);
      expect(() => JSON.parse(stdout)).toThrow();
      expect(await effects(emulator)).toEqual(done);
    });
  });
});

describe.each(['after', 'partial'] as const)('damaged answers, phase %s', (phase) => {
  describe('truncate: the headers of the whole, half of the body, the end', () => {
    it('on a raw socket', async () => {
      const emulator = await startWith(phase, { network: 'truncate' });
      const seen = await watch(emulator, create);
      expect(seen.end).toBe('closed');
      expectHalf(seen.text);
      expect(await effects(emulator)).toEqual(done);
    });

    it('to Node’s fetch', async () => {
      const emulator = await startWith(phase, { network: 'truncate' });
      expect(await fetched(emulator, create)).toMatchObject({ status: 202, error: 'UND_ERR_SOCKET' });
      expect(await effects(emulator)).toEqual(done);
    });

    withCurl('to curl', async () => {
      expect((await curl(await startWith(phase, { network: 'truncate' }), post)).code).toBe(18);
    });
  });

  describe('malformed: the true status, and JSON that breaks off', () => {
    it('to Node’s fetch', async () => {
      const emulator = await startWith(phase, { network: 'malformed' });
      const { status, text = '', error, headers } = await fetched(emulator, create);
      expect([status, error]).toEqual([202, undefined]);
      expect(text.startsWith('{"success":true')).toBe(true);
      expect(() => JSON.parse(text)).toThrow();
      expect(headers?.get('content-length')).toBe(String(Buffer.byteLength(text)));
      expect(headers?.get('x-emulator-fault')).toBe('fault_1');
      expect(await effects(emulator)).toEqual(done);
    });

    withCurl('to curl', async () => {
      const { code, stdout } = await curl(await startWith(phase, { network: 'malformed' }), post);
      expect(code).toBe(0);
      expect(() => JSON.parse(stdout)).toThrow();
    });
  });

  describe('drip: the true answer, in many pieces', () => {
    it('to Node’s fetch', async () => {
      const emulator = await startWith(phase, { network: 'drip', delay: '600ms' });
      const headers = { authorization: `Bearer ${emulator.apiKey}` };
      const body = JSON.stringify(create.body);
      const response = await emulator.fetch(create.path, { method: 'POST', headers, body });
      const began = performance.now();
      const pieces: Uint8Array[] = [];
      for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) pieces.push(piece);
      expect(performance.now() - began).toBeGreaterThan(350);
      expect(pieces.length).toBeGreaterThan(5);
      expect(JSON.parse(Buffer.concat(pieces).toString()).success).toBe(true);
      expect(response.headers.get('x-emulator-fault')).toBe('fault_1');
      expect(await effects(emulator)).toEqual(done);
    });

    withCurl('to curl, which gets it all, or some of it when it does not wait', async () => {
      const emulator = await startWith(phase, { network: 'drip', delay: '1s' });
      const whole = await curl(emulator, post, undefined, 20_000);
      expect(whole.code).toBe(0);
      expect(JSON.parse(whole.stdout).success).toBe(true);
      const part = await curl(emulator, post, undefined, 500);
      expect(part.code).toBe(28);
      expect(part.stdout.length).toBeLessThan(whole.stdout.length);
    });
  });

  it('have nothing to damage in a response to HEAD', async () => {
    const emulator = await startEmulator();
    for (const network of ['truncate', 'malformed', 'drip'] as const) {
      emulator.controls.faults.clear();
      emulator.controls.faults.add({ phase, effect: { network, delay: 1 } });
      const response = await emulator.fetch('/api/health', { method: 'HEAD' });
      expect([response.status, response.headers.get('x-emulator-fault')]).toEqual([
        200,
        expect.stringMatching(/^fault/),
      ]);
    }
  });
});
