// Agents are created, shown, counted and deleted.

import { expect, it } from 'vitest';
import { agentsPath, createAgent, createPath, listed } from '../../support/agents.js';
import { sampleOf } from '../../support/campaign.js';
import { call, startWorld } from '../../support/emulator.js';

it('a GET of an agent by its id shows what was created', async () => {
  const emulator = await startWorld();
  const agent = await createAgent(emulator, {
    category: 'help',
    avatarUrl: 'https://example.test/a.png',
    isPublic: true,
  });
  const answer = await call(emulator, 'GET', `${agentsPath}/${agent.id}`);
  expect(answer.body).toEqual({ success: true, data: { character: agent } });
  expect(agent).toMatchObject({
    category: 'help',
    avatarUrl: 'https://example.test/a.png',
    avatar_url: 'https://example.test/a.png',
    isPublic: true,
    is_public: true,
  });
});

it('creating an agent gives a missing bio a default text, and keeps an empty one', async () => {
  const emulator = await startWorld();
  expect((await createAgent(emulator)).bio).toEqual([expect.stringMatching(/\w+/)]);
  expect((await createAgent(emulator, { bio: '' })).bio).toEqual(['']);
});

it('creating an agent trims the name', async () => {
  const emulator = await startWorld();
  expect((await createAgent(emulator, { name: '\t  Bot \n' })).name).toBe('Bot');
});

it('creating an agent counts the name in characters, after trimming', async () => {
  const emulator = await startWorld();
  const name = '😀'.repeat(100);
  expect((await createAgent(emulator, { name: `  ${name}  ` })).name).toBe(name);
});

const wrong = [
  ['name', {}],
  ['name', { name: '' }],
  ['name', { name: '   ' }],
  ['name', { name: 'x'.repeat(101) }],
  ['name', { name: null }],
  ['bio', { name: 'a', bio: ['a'] }],
  ['isPublic', { name: 'a', isPublic: 'yes' }],
  ['category', { name: 'a', category: '' }],
  ['tokenAddress', { name: 'a', tokenAddress: 'x'.repeat(257) }],
  ['tokenChain', { name: 'a', tokenChain: 'x'.repeat(65) }],
  ['tokenName', { name: 'a', tokenName: 'x'.repeat(129) }],
  ['tokenTicker', { name: 'a', tokenTicker: 'x'.repeat(33) }],
] as const;
it.each(sampleOf(wrong, 4))('creating an agent refuses a bad %s and creates nothing: %j', async (path, body) => {
  const emulator = await startWorld();
  const answer = await call(emulator, 'POST', createPath, body);
  expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(answer.body.error.details.map((detail: { path: string }) => detail.path)).toEqual([path]);
  expect((await listed(emulator)).pagination.totalCount).toBe(0);
});

it('deleting an agent succeeds once', async () => {
  const emulator = await startWorld();
  const { id } = await createAgent(emulator);
  const gone = await call(emulator, 'DELETE', `${agentsPath}/${id}`);
  expect([gone.status, gone.body]).toEqual([200, { success: true, data: { message: expect.any(String) } }]);
  expect((await call(emulator, 'GET', `${agentsPath}/${id}`)).status).toBe(404);
  expect((await call(emulator, 'DELETE', `${agentsPath}/${id}`)).body.error.code).toBe('NOT_FOUND');
  expect((await listed(emulator)).characters).toEqual([]);
});

it('the id of a deleted agent is never given again', async () => {
  const emulator = await startWorld();
  const first = await createAgent(emulator);
  await call(emulator, 'DELETE', `${agentsPath}/${first.id}`);
  expect((await createAgent(emulator)).id).not.toBe(first.id);
});
