// Paying speech, transcripts and clones with USDC instead of credits.

import { describe, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { paymentHeader } from '../../../src/testing.js';
import { type Answer, call, startWorld } from '../../support/emulator.js';
import { decoded, nobody, settlementOf, wallet } from '../../support/payments.js';
import { base, formOf, sample, sarah, say } from '../../support/voice.js';

const operations: [path: string, body: () => unknown, credits: number][] = [
  [`${base}/tts`, () => ({ text: 'x'.repeat(1_001), voiceId: sarah }), 2],
  [`${base}/stt`, () => formOf({ audio: sample() }), 2],
  [`${base}/clone`, () => formOf({ name: 'Ada', cloneType: 'instant', file0: sample() }), 10],
];

async function challenge(world: EmulatorWorld, version: 1 | 2, path: string, body: unknown) {
  const poor = world.controls.organizations.create({ credits: 0 });
  const answer = await call(world, 'POST', path, body, { authorization: `Bearer ${poor.apiKey}` });
  expect([answer.status, answer.body.error.code]).toEqual([402, 'INSUFFICIENT_CREDITS']);
  return version === 1 ? answer.body.accepts[0] : decoded(answer.headers.get('payment-required')).accepts[0];
}

describe.each(operations)('%s', (path, body, credits) => {
  it.each([1, 2] as const)('is paid in version %i by somebody without credentials', async (version) => {
    const world = await startWorld();
    const requirement = await challenge(world, version, path, body());
    expect(requirement.maxAmountRequired ?? requirement.amount).toBe(String(credits * 1_000_000));
    const paid = await paymentHeader({ wallet, requirement });
    const answer: Answer = await call(world, 'POST', path, body(), { ...nobody, ...paid });
    expect(answer.status).toBe(path.endsWith('clone') ? 201 : 200);
    expect(settlementOf(answer)).toMatchObject({ success: true, payer: wallet.address });
    expect(world.controls.ledger().slice(-2)).toMatchObject([
      { type: 'payment', amount: credits },
      { type: 'charge', amount: -credits, balanceAfter: 0 },
    ]);
    const again = await call(world, 'POST', path, body(), { ...nobody, ...paid });
    expect(again.status).toBe(402);
  });

  it('settles nothing where the request is wrong', async () => {
    const world = await startWorld();
    const requirement = await challenge(world, 1, path, body());
    const paid = await paymentHeader({ wallet, requirement });
    const wrong = path.endsWith('tts')
      ? { text: 'x', voiceId: 'nobody' }
      : formOf({ name: 'A', cloneType: 'instant', audio: Buffer.from('no audio'), file0: Buffer.from('no audio') });
    expect((await call(world, 'POST', path, wrong, { ...nobody, ...paid })).status).toBe(400);
    expect((await call(world, 'POST', path, body(), { ...nobody, ...paid })).status).toBeLessThan(202);
  });
});

it('a payment is not enough for a recording that lasts longer than what was paid for', async () => {
  const world = await startWorld();
  const requirement = await challenge(world, 1, `${base}/stt`, formOf({ audio: sample() }));
  const paid = await paymentHeader({ wallet, requirement });
  const { audio } = await say(world, 'x'.repeat(1_000));
  const answer = await call(world, 'POST', `${base}/stt`, formOf({ audio }), { ...nobody, ...paid });
  expect([answer.status, answer.body.accepts?.[0].maxAmountRequired]).toEqual([402, '4000000']);
});
