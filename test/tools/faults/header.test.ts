// The header X-Emulator-Fault: a fault for the request that carries it, without a control call.

import { expect, it } from 'vitest';
import { call, startEmulator } from '../../support/emulator.js';
import { create, fetched, watch } from '../../support/faults.js';

const list = '/api/v1/containers';
const header = (rule: unknown): Record<string, string> => ({
  'X-Emulator-Fault': typeof rule === 'string' ? rule : JSON.stringify(rule),
});

it('the header X-Emulator-Fault does what it says to its own request, and to no other', async () => {
  const emulator = await startEmulator();
  const answer = await call(emulator, 'GET', list, undefined, header({ effect: { status: 429, retryAfter: 5 } }));
  expect([answer.status, answer.body.error.retryAfter]).toEqual([429, 5]);
  expect(answer.headers.get('x-emulator-fault')).toBe('header');
  expect((await call(emulator, 'GET', list)).headers.get('x-emulator-fault')).toBeNull();
});

it('the header X-Emulator-Fault loses a response whose effect stands', async () => {
  const emulator = await startEmulator();
  const headers = header({ phase: 'after', effect: { network: 'reset' } });
  expect(await fetched(emulator, { ...create, headers })).toEqual({ error: 'ECONNRESET' });
  expect(emulator.controls.containers.list()).toHaveLength(1);
});

it('the header X-Emulator-Fault overrides stored rules, which do not see the request', async () => {
  const emulator = await startEmulator();
  emulator.controls.faults.add({ effect: { status: 500 } });
  expect((await call(emulator, 'GET', list, undefined, header({ effect: { status: 503 } }))).status).toBe(503);
  expect(emulator.controls.faults.list()).toMatchObject([{ seen: 0, hits: 0 }]);
});

it('the header X-Emulator-Fault may carry text in UTF-8, as curl sends it', async () => {
  const emulator = await startEmulator();
  const seen = await watch(emulator, { headers: header({ effect: { body: 'grüße' } }) });
  expect(Buffer.from(seen.text, 'latin1').toString()).toMatch(/grüße$/);
});

it.each([
  ['{', 'X-Emulator-Fault', /JSON.*ends too early/],
  ['[]', 'X-Emulator-Fault', /must be an object/],
  ['503', 'X-Emulator-Fault', /must be an object/],
  ['{}', 'X-Emulator-Fault.effect', /is required/],
  [{ effect: {} }, 'X-Emulator-Fault.effect', /must say what happens/],
  [{ effect: { error: 'RATE_LIMIT' } }, 'X-Emulator-Fault.effect.error', /one of/],
  [{ effect: { status: 999 } }, 'X-Emulator-Fault.effect.status', /at most 599/],
  [{ effect: { statsu: 503 } }, 'X-Emulator-Fault.effect.statsu', /unknown/],
  [{ effect: { status: 503 }, when: { nth: 2 } }, 'X-Emulator-Fault.when', /no place here/],
  [{ effect: { status: 503 }, match: {} }, 'X-Emulator-Fault.match', /no place here/],
  [{ effect: { network: 'drip' }, phase: 'before' }, 'X-Emulator-Fault.phase', /must be after for drip/],
  [`{"effect":{"body":"${'x'.repeat(4_100)}"}}`, 'X-Emulator-Fault', /at most 4 KB/],
  ['{"__proto__":{},"effect":{"status":503}}', 'X-Emulator-Fault', /__proto__/],
])('the header X-Emulator-Fault refuses %j, naming %s', async (rule, path, message) => {
  const emulator = await startEmulator();
  const answer = await call(emulator, 'GET', list, undefined, header(rule));
  expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  const problem = answer.body.error.details.find((one: { path: string }) => one.path === path);
  expect(problem?.message, JSON.stringify(answer.body.error.details)).toMatch(message);
  expect(answer.headers.get('x-emulator-fault')).toBeNull();
});

it('the header X-Emulator-Fault is let through by a page of another origin', async () => {
  const emulator = await startEmulator();
  const preflight = await call(emulator, 'OPTIONS', list, undefined, {
    origin: 'https://app.example',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'x-emulator-fault',
  });
  expect(preflight.headers.get('access-control-allow-headers')).toContain('X-Emulator-Fault');
  const answer = await call(emulator, 'GET', list, undefined, {
    origin: 'https://app.example',
    ...header({ effect: { status: 503 } }),
  });
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('access-control-expose-headers')).toContain('X-Emulator-Fault');
});
