// Tokens that agents stand for: shown, and one agent each.

import { expect, it } from 'vitest';
import { agentsPath, as, createAgent, createPath } from '../../support/agents.js';
import { call, startWorld } from '../../support/emulator.js';

const token = { tokenAddress: '0xAbC0000000000000000000000000000000000001', tokenChain: 'base' };

it('an agent’s token is shown in snake_case', async () => {
  const world = await startWorld();
  expect(await createAgent(world, { ...token, tokenName: 'Coin', tokenTicker: 'CN' })).toMatchObject({
    token_address: token.tokenAddress,
    token_chain: 'base',
    token_name: 'Coin',
    token_ticker: 'CN',
  });
});

it('a second agent of one token is refused, naming the first', async () => {
  const world = await startWorld();
  const { id } = await createAgent(world, token);
  const answer = await call(world, 'POST', createPath, { name: 'Second', ...token });
  expect(answer.status).toBe(409);
  expect(answer.body.error).toMatchObject({ code: 'CONFLICT', details: { existingAgentId: id } });
});

it('a token that is taken is refused to other organizations too', async () => {
  const world = await startWorld();
  await createAgent(world, token);
  const other = world.controls.organizations.create();
  expect((await call(world, 'POST', createPath, { name: 'Second', ...token }, as(other.apiKey))).status).toBe(409);
});

it('an agent’s token takes the case of a hexadecimal address for its checksum', async () => {
  const world = await startWorld();
  await createAgent(world, token);
  const same = { name: 'Second', ...token, tokenAddress: token.tokenAddress.toLowerCase() };
  expect((await call(world, 'POST', createPath, same)).status).toBe(409);
});

it.each([
  ['another chain', { ...token, tokenChain: 'ethereum' }],
  ['no chain', { tokenAddress: token.tokenAddress }],
  ['another address', { ...token, tokenAddress: '0xabc0000000000000000000000000000000000002' }],
  ['no address', { tokenChain: 'base', tokenName: 'Coin' }],
])('an agent’s token with %s is another token', async (_, other) => {
  const world = await startWorld();
  await createAgent(world, token);
  await createAgent(world, { name: 'Second', ...other });
});

it('agents’ tokens that are not hexadecimal are distinguished by case', async () => {
  const world = await startWorld();
  await createAgent(world, { tokenAddress: 'So1Abc', tokenChain: 'solana' });
  await createAgent(world, { tokenAddress: 'so1abc', tokenChain: 'solana' });
});

it('many agents may have no token', async () => {
  const world = await startWorld();
  await createAgent(world, { tokenAddress: null });
  await createAgent(world, { tokenAddress: null });
});

it('an agent’s token is free again after the agent was deleted', async () => {
  const world = await startWorld();
  const { id } = await createAgent(world, token);
  await call(world, 'DELETE', `${agentsPath}/${id}`);
  await createAgent(world, token);
});

it('an agent’s token stays with the original of a copy', async () => {
  const world = await startWorld();
  const { id } = await createAgent(world, token);
  const copy = await call(world, 'POST', `${agentsPath}/${id}/clone`);
  expect(copy.body.data.character.token_address).toBeNull();
});
