// Many at once, and across a restart: a nonce is good for one sign-in.

import { expect, it, onTestFinished } from 'vitest';
import { createEmulator } from '../../../src/index.js';
import { signSiwe } from '../../../src/testing.js';
import { tempDir } from '../../support/command.js';
import { call, startWorld } from '../../support/emulator.js';
import { getNonce, refusalOf, verify, wallet } from '../../support/wallets.js';

it('exactly one of fifty sign-ins with one nonce is let through', async () => {
  const world = await startWorld({ rateLimits: { enabled: false } });
  const body = await signSiwe({ ...(await getNonce(world)), wallet: wallet() });
  const answers = await Promise.all(Array.from({ length: 50 }, () => verify(world, body)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter((answer) => refusalOf(answer)[1] === 'nonce-reused')).toHaveLength(49);
  const { apiKey } = answers.find(({ status }) => status === 200)?.body ?? {};
  const { keys } = (await call(world, 'GET', '/api/v1/api-keys', undefined, { authorization: `Bearer ${apiKey}` }))
    .body;
  expect(keys).toHaveLength(1);
});

it('one of fifty wallets may use a nonce', async () => {
  const world = await startWorld({ rateLimits: { enabled: false } });
  const nonce = await getNonce(world);
  const bodies = await Promise.all(
    Array.from({ length: 50 }, (_, index) => signSiwe({ ...nonce, wallet: wallet(index) })),
  );
  const answers = await Promise.all(bodies.map((body) => verify(world, body)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(world.controls.organizations.list()).toHaveLength(2);
});

it('fifty first sign-ins of a wallet make one account', async () => {
  const world = await startWorld({ rateLimits: { enabled: false } });
  const bodies = await Promise.all(
    Array.from({ length: 50 }, async () => signSiwe({ ...(await getNonce(world)), wallet: wallet() })),
  );
  const answers = await Promise.all(bodies.map((body) => verify(world, body)));
  expect(answers.map(({ status }) => status)).toEqual(Array<number>(50).fill(200));
  expect(answers.filter(({ body }) => body.isNewAccount)).toHaveLength(1);
  expect(world.controls.ledger({ organizationId: answers[0]?.body.organization.id })).toHaveLength(1);
  const usable = await Promise.all(
    answers.map(({ body }) => call(world, 'GET', '/api/v1/user', undefined, { 'x-api-key': body.apiKey })),
  );
  expect(usable.filter(({ status }) => status === 200)).toHaveLength(1);
});

it('nonces are remembered over a restart: the used one and the one that is not', async () => {
  const dataDir = tempDir();
  const before = await createEmulator({ seed: 'test', dataDir });
  const [used, fresh] = [await getNonce(before), await getNonce(before)];
  const usedBody = await signSiwe({ ...used, wallet: wallet() });
  expect((await verify(before, usedBody)).status).toBe(200);
  await before.close();

  const after = await createEmulator({ dataDir });
  onTestFinished(() => after.close());
  expect(refusalOf(await verify(after, usedBody))).toEqual([401, 'nonce-reused']);
  const answer = await verify(after, await signSiwe({ ...fresh, wallet: wallet() }));
  expect([answer.status, answer.body.isNewAccount]).toEqual([200, false]);
});
