// Hostile payment headers: whatever stands there, the answer is 402 with a reason, and nothing is settled.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { reasons } from '../../src/platform/payments/refusals.js';
import { paymentPayload } from '../../src/testing.js';
import { call, startWorld } from '../support/emulator.js';
import { nobody, requirementOf, topUp, wallet } from '../support/payments.js';
import { oddText, oddValue } from './support/hostile-values.js';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value) ?? '').toString('base64');

/** A good payment with one field, at any depth, that is no longer what it was. */
function spoilt(payment: any, [depth, place, remove, odd]: [number, number, boolean, unknown]): unknown {
  const copy = structuredClone(payment);
  let at = copy;
  for (let i = 0; i < depth; i++) {
    const inside = Object.values(at).filter((value) => value !== null && typeof value === 'object');
    if (inside.length > 0) at = inside[place % inside.length];
  }
  const names = Object.keys(at);
  const name = names[place % names.length] ?? 'x';
  if (remove) delete at[name];
  else at[name] = odd;
  return copy;
}

it.each([1, 2] as const)('hostile payments of version %i are refused (TEST_SEED replays)', async (version) => {
  const world = await startWorld({ rateLimits: { enabled: false } });
  const requirement = await requirementOf(world, version);
  const good = await paymentPayload({ wallet, requirement });
  const body = { walletAddress: wallet.address };
  const printable = fc.string({ unit: fc.constantFrom(...'abcXYZ019+/=-_ {}":,'), maxLength: 200 });
  const numbers = fc.constantFrom('9'.repeat(78), '9'.repeat(79), '-1', '1e9', '0x10', '0', '', ' 1', '1.0', '１');
  const headers = fc.oneof(
    printable,
    oddText.map((text) => Buffer.from(text).toString('base64')),
    oddValue.map(encode),
    fc.tuple(fc.nat(3), fc.nat(9), fc.boolean(), fc.oneof(oddValue, numbers)).map((how) => encode(spoilt(good, how))),
  );
  const name = version === 1 ? 'X-PAYMENT' : 'PAYMENT-SIGNATURE';
  await fc.assert(
    fc.asyncProperty(headers, async (value) => {
      // Node takes no header beyond 16 KB, and a header without content is none.
      fc.pre(value.length < 12_000 && value.trim() !== '');
      const answer = await call(world, 'POST', topUp, body, { ...nobody, [name]: value });
      if (answer.status === 200) {
        // The spoilt part was of no importance: a resource, a time limit.
        expect(world.controls.payments.list().length).toBeGreaterThan(0);
        return;
      }
      expect([answer.status, answer.body.error.code]).toEqual([402, 'PAYMENT_REQUIRED']);
      expect(reasons).toContain(answer.body.error.details.reason);
      expect(answer.body.accepts).toHaveLength(1);
    }),
    { numRuns: 400 },
  );
  expect(world.controls.payments.list().length).toBeLessThanOrEqual(1);
});

it('two headers of a payment’s name are taken for none that can be read', async () => {
  const world = await startWorld();
  const value = encode(await paymentPayload({ wallet, requirement: await requirementOf(world) }));
  const answer = await call(
    world,
    'POST',
    topUp,
    { walletAddress: wallet.address },
    { ...nobody, 'x-payment': `${value}, ${value}` },
  );
  expect([answer.status, answer.body.error.details.reason]).toEqual([402, 'invalid_payload']);
});
