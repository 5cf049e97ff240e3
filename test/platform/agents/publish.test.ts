// Publishing agents, and the marketplace.

import { expect, it } from 'vitest';
import { as, createAgent, getAgent, marketplacePath, namesOf, publishPath } from '../../support/agents.js';
import { call, startEmulator } from '../../support/emulator.js';

it('publishing an agent makes the agent public, with addresses of this emulator', async () => {
  const emulator = await startEmulator();
  const { id } = await createAgent(emulator, { name: 'Bot' });
  const { origin } = new URL((await emulator.fetch('/openapi.json')).url);
  const answer = await call(emulator, 'POST', publishPath(id));
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    success: true,
    message: expect.any(String),
    agent: {
      id,
      name: 'Bot',
      isPublic: true,
      monetizationEnabled: false,
      markupPercentage: 0,
      a2aEnabled: true,
      mcpEnabled: true,
      a2aEndpoint: `${origin}/api/agents/${id}/a2a`,
      mcpEndpoint: `${origin}/api/agents/${id}/mcp`,
    },
  });
  expect(await getAgent(emulator, id)).toMatchObject({ isPublic: true, is_public: true });
});

it('publishing an agent builds the addresses from the public URL', async () => {
  const emulator = await startEmulator({ publicUrl: 'https://cloud.example.test' });
  const { id } = await createAgent(emulator);
  const { agent } = (await call(emulator, 'POST', publishPath(id))).body;
  expect(agent.a2aEndpoint).toBe(`https://cloud.example.test/api/agents/${id}/a2a`);
});

it('publishing an agent takes the terms of the offer', async () => {
  const emulator = await startEmulator();
  const { id } = await createAgent(emulator);
  const terms = { enableMonetization: true, markupPercentage: 12.5, payoutWalletAddress: '0xabc', a2aEnabled: false };
  expect((await call(emulator, 'POST', publishPath(id), terms)).body.agent).toMatchObject({
    monetizationEnabled: true,
    markupPercentage: 12.5,
    a2aEnabled: false,
    a2aEndpoint: null,
    mcpEndpoint: expect.any(String),
  });
});

it.each([
  ['markupPercentage', { markupPercentage: -1 }],
  ['markupPercentage', { markupPercentage: 1_001 }],
  ['markupPercentage', { markupPercentage: '5' }],
  ['enableMonetization', { enableMonetization: 1 }],
  ['a2aEnabled', { a2aEnabled: null }],
])('publishing an agent refuses a bad %s and stays private: %j', async (path, body) => {
  const emulator = await startEmulator();
  const { id } = await createAgent(emulator);
  const answer = await call(emulator, 'POST', publishPath(id), body);
  expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path]);
  expect((await getAgent(emulator, id)).isPublic).toBe(false);
});

it.each([0, 1_000])('publishing an agent accepts a markup of %d', async (markupPercentage) => {
  const emulator = await startEmulator();
  const { id } = await createAgent(emulator);
  expect((await call(emulator, 'POST', publishPath(id), { markupPercentage })).body.agent.markupPercentage).toBe(
    markupPercentage,
  );
});

it('publishing an agent can be repeated, and then updates nothing', async () => {
  const emulator = await startEmulator();
  const { id } = await createAgent(emulator);
  const first = await call(emulator, 'POST', publishPath(id), { markupPercentage: 5 });
  await emulator.controls.clock.advance('1m');
  const second = await call(emulator, 'POST', publishPath(id));
  expect(second.status).toBe(200);
  expect(second.body.agent).toEqual(first.body.agent);
  expect((await getAgent(emulator, id)).updatedAt).toBe('2026-01-01T00:00:00.000Z');
});

it('publishing an agent again changes only the terms that are named', async () => {
  const emulator = await startEmulator();
  const { id } = await createAgent(emulator);
  await call(emulator, 'POST', publishPath(id), { enableMonetization: true, markupPercentage: 5 });
  await emulator.controls.clock.advance('1m');
  const again = await call(emulator, 'POST', publishPath(id), { markupPercentage: 7 });
  expect(again.body.agent).toMatchObject({ monetizationEnabled: true, markupPercentage: 7 });
  expect((await getAgent(emulator, id)).updatedAt).toBe('2026-01-01T00:01:00.000Z');
});

it('unpublishing an agent makes it private again', async () => {
  const emulator = await startEmulator();
  const { id } = await createAgent(emulator, { isPublic: true });
  const answer = await call(emulator, 'DELETE', publishPath(id));
  expect([answer.status, answer.body.success]).toEqual([200, true]);
  expect(answer.body.agent).toMatchObject({ id, isPublic: false, a2aEndpoint: null, mcpEndpoint: null });
  expect((await getAgent(emulator, id)).isPublic).toBe(false);
});

it('unpublishing an agent can be done twice', async () => {
  const emulator = await startEmulator();
  const { id } = await createAgent(emulator);
  for (let i = 0; i < 2; i++) {
    const answer = await call(emulator, 'DELETE', publishPath(id));
    expect([answer.status, answer.body.agent.isPublic]).toEqual([200, false]);
  }
});

it('the marketplace lists the public agents of everybody, and one’s own list nobody else’s', async () => {
  const emulator = await startEmulator();
  const other = emulator.controls.organizations.create();
  await createAgent(emulator, { name: 'Mine', isPublic: true });
  await createAgent(emulator, { name: 'Mine, private' });
  await createAgent(emulator, { name: 'Theirs', isPublic: true }, as(other.apiKey));
  await createAgent(emulator, { name: 'Theirs, private' }, as(other.apiKey));
  for (const headers of [{}, as(other.apiKey)]) {
    expect(await namesOf(emulator, '?sortBy=name', marketplacePath, headers)).toEqual(['Mine', 'Theirs']);
  }
  expect(await namesOf(emulator, '?sortBy=name')).toEqual(['Mine', 'Mine, private']);
  expect(await namesOf(emulator, '?sortBy=name', undefined, as(other.apiKey))).toEqual(['Theirs', 'Theirs, private']);
});

it('an unpublished agent leaves the marketplace', async () => {
  const emulator = await startEmulator();
  const { id } = await createAgent(emulator, { name: 'Bot' });
  await call(emulator, 'POST', publishPath(id));
  expect(await namesOf(emulator, '', marketplacePath)).toEqual(['Bot']);
  await call(emulator, 'DELETE', publishPath(id));
  expect(await namesOf(emulator, '', marketplacePath)).toEqual([]);
});

it('unpublishing and the marketplace are refused when guesses are: they rest on them wholly', async () => {
  const emulator = await startEmulator({ strict: { guesses: true } });
  const { id } = await createAgent(emulator);
  expect((await call(emulator, 'GET', marketplacePath)).status).toBe(501);
  expect((await call(emulator, 'DELETE', publishPath(id))).status).toBe(501);
  expect((await call(emulator, 'POST', publishPath(id))).status).toBe(200);
});
