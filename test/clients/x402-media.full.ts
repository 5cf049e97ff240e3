// Vectors, pictures, videos and speech can be paid by payment clients, in both versions of the protocol.

import { expect, it } from 'vitest';
import { paymentHeader } from '../../src/testing.js';
import { call, startWorld } from '../support/emulator.js';
import { nobody, requirementOf, settlementOf, wallet } from '../support/payments.js';

const operations: [path: string, body: object, price: string][] = [
  ['/api/v1/embeddings', { input: 'word '.repeat(100) }, '3'],
  ['/api/v1/images/generations', { prompt: 'x', n: 2 }, '80000'],
  ['/api/v1/generate-video', { prompt: 'x' }, '500000'],
  ['/api/v1/audio/speech', { input: 'x' }, '1000000'],
];

it.each(
  operations.flatMap(([path, body, price]) =>
    ([1, 2] as const).map((version) => [path, version, body, price] as const),
  ),
)('a client pays for %s, version %i', async (path, version, body, price) => {
  const world = await startWorld({ x402: { challengeAnonymous: true } });
  const requirement = await requirementOf(world, version, path, body);
  expect('maxAmountRequired' in requirement ? requirement.maxAmountRequired : requirement.amount).toBe(price);
  const paid = await paymentHeader({ wallet, requirement });
  const answer = await call(world, 'POST', path, body, { ...nobody, ...paid });
  expect(answer.status).toBe(200);
  expect(settlementOf(answer)).toMatchObject({ success: true });
  expect(world.controls.payments.list()).toMatchObject([{ amount: Number(price) / 1e6, status: 'settled' }]);
});
