// How many agents an organization may have, by its balance.

import { expect, it } from 'vitest';
import { agentsPath, as, createAgent, createPath } from '../../support/agents.js';
import { isFull } from '../../support/campaign.js';
import { call, startWorld } from '../../support/emulator.js';
import { startWithSecondCaller } from '../../support/second-caller.js';

const quotas = [
  [0, 5],
  [0.99, 5],
  [1, 20],
  [9.99, 20],
  [10, 100],
  [99.99, 100],
  [100, 500],
] as const;

// More than a few agents are created in the full run only.
it.each(quotas.filter(([, max]) => isFull || max < 20))(
  'the quota of agents with %d credits allows %d',
  async (seeded, max) => {
    const emulator = await startWorld({ rateLimits: { enabled: false }, credits: { seeded } });
    await Promise.all(Array.from({ length: max }, (_, i) => createAgent(emulator, { name: `Bot ${i}` })));
    const answer = await call(emulator, 'POST', createPath, { name: 'One more' });
    expect(answer.status).toBe(403);
    expect(answer.body.error).toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: expect.stringContaining('Agent quota'),
      details: { current: max, max },
    });
  },
);

const small = { quotas: { agents: [1, 1, 1, 1] as [number, number, number, number] } };

it('the quota of agents counts copies', async () => {
  const emulator = await startWorld(small);
  const { id } = await createAgent(emulator);
  const answer = await call(emulator, 'POST', `${agentsPath}/${id}/clone`);
  expect([answer.status, answer.body.error.code]).toEqual([403, 'QUOTA_EXCEEDED']);
});

it('the quota of agents gives back the place of a deleted agent', async () => {
  const emulator = await startWorld(small);
  const { id } = await createAgent(emulator);
  await call(emulator, 'DELETE', `${agentsPath}/${id}`);
  await createAgent(emulator);
});

it('the quota of agents follows the balance as it changes', async () => {
  const emulator = await startWorld({ quotas: { agents: [1, 2, 3, 4] }, credits: { seeded: 0 } });
  await createAgent(emulator);
  expect((await call(emulator, 'POST', createPath, { name: 'a' })).status).toBe(403);
  emulator.controls.organizations.credits(emulator.organizationId, { set: 1 });
  await createAgent(emulator);
});

it('the quota of agents counts each organization for itself', async () => {
  const emulator = await startWorld(small);
  const other = emulator.controls.organizations.create();
  await createAgent(emulator);
  await createAgent(emulator, {}, as(other.apiKey));
});

it('the quota of agents counts the agents of all users of an organization', async () => {
  const { emulator, second } = await startWithSecondCaller(small);
  await createAgent(emulator);
  const answer = await call(emulator, 'POST', createPath, { name: 'a' }, as(second.apiKey));
  expect(answer.body.error).toMatchObject({ code: 'QUOTA_EXCEEDED', details: { current: 1, max: 1 } });
});

it('the quota of agents is not asked when quotas are off', async () => {
  const emulator = await startWorld({ quotas: { ...small.quotas, enabled: false } });
  await createAgent(emulator);
  await createAgent(emulator);
});

it('the quota of agents lets exactly as many concurrent creations through as there are places', async () => {
  const emulator = await startWorld({ credits: { seeded: 0.5 } });
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => call(emulator, 'POST', createPath, { name: 'Bot' })),
  );
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(5);
  expect(answers.filter((answer) => answer.status === 403)).toHaveLength(25);
  expect(
    new Set(answers.filter((answer) => answer.status === 201).map((answer) => answer.body.agent.username)).size,
  ).toBe(5);
});

it('a token that is taken is reported before the quota of agents', async () => {
  const emulator = await startWorld(small);
  await createAgent(emulator, { tokenAddress: 'T', tokenChain: 'solana' });
  expect(
    (await call(emulator, 'POST', createPath, { name: 'a', tokenAddress: 'T', tokenChain: 'solana' })).status,
  ).toBe(409);
});
