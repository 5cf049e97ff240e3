// Copies of agents.

import { expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { agentsPath, createAgent, getAgent, publishPath } from '../../support/agents.js';
import { type Answer, call, startWorld } from '../../support/emulator.js';

function clone(world: EmulatorWorld, id: string, body?: unknown): Promise<Answer> {
  return call(world, 'POST', `${agentsPath}/${id}/clone`, body);
}

it('cloning an agent copies what the agent is, under a name of its own', async () => {
  const world = await startWorld();
  const original = await createAgent(world, {
    name: 'Bot',
    bio: 'Helps',
    category: 'help',
    avatarUrl: 'https://example.test/a.png',
    isPublic: true,
  });
  await world.controls.clock.advance('1m');
  const answer = await clone(world, original.id);
  expect(answer.status).toBe(200);
  const { character, message } = answer.body.data;
  expect(message).toEqual(expect.any(String));
  expect(character).toEqual({
    ...original,
    id: character.id,
    name: 'Bot (Copy)',
    username: 'bot-copy',
    isPublic: false,
    is_public: false,
    createdAt: '2026-01-01T00:01:00.000Z',
    created_at: '2026-01-01T00:01:00.000Z',
    updatedAt: '2026-01-01T00:01:00.000Z',
    updated_at: '2026-01-01T00:01:00.000Z',
  });
  expect(character.id).not.toBe(original.id);
});

it('cloning an agent leaves the original as it was, and lives without it', async () => {
  const world = await startWorld();
  const original = await createAgent(world);
  const copy = (await clone(world, original.id)).body.data.character;
  expect(await getAgent(world, original.id)).toEqual(original);
  await call(world, 'DELETE', `${agentsPath}/${original.id}`);
  expect(await getAgent(world, copy.id)).toEqual(copy);
});

it('cloning an agent takes a name, a username and makePublic', async () => {
  const world = await startWorld();
  const { id } = await createAgent(world);
  const answer = await clone(world, id, { name: ' Night Bot ', username: 'night-1', makePublic: true });
  expect(answer.body.data.character).toMatchObject({ name: 'Night Bot', username: 'night-1', isPublic: true });
});

it('cloning an agent makes the username from the new name', async () => {
  const world = await startWorld();
  const { id } = await createAgent(world, { name: 'Bot' });
  expect((await clone(world, id, { name: 'Night Bot' })).body.data.character.username).toBe('night-bot');
});

it('a username does not depend on what was deleted', async () => {
  const world = await startWorld();
  const named = async (name: string) => (await createAgent(world, { name })).username;
  expect([await named('Agent 1'), await named('Agent 1')]).toEqual(['agent-1', 'agent-1-2']);
  for (const name of ['Agent 0', 'Agent 00', 'Agent 1']) {
    const { id } = await createAgent(world, { name });
    await call(world, 'DELETE', `/api/my-agents/characters/${id}`);
  }
  expect(await named('Agent 1')).toBe('agent-1-3');
});

it('cloning an agent numbers the usernames of further copies', async () => {
  const world = await startWorld();
  const { id } = await createAgent(world, { name: 'Bot' });
  await clone(world, id, {});
  expect((await clone(world, id, {})).body.data.character).toMatchObject({
    name: 'Bot (Copy)',
    username: 'bot-copy-2',
  });
});

it.each([
  ['x'.repeat(93), `${'x'.repeat(93)} (Copy)`],
  ['x'.repeat(94), `${'x'.repeat(93)} (Copy)`],
  ['😀'.repeat(100), `${'😀'.repeat(93)} (Copy)`],
  [`${'x'.repeat(92)} ${'y'.repeat(7)}`, `${'x'.repeat(92)} (Copy)`],
])('cloning an agent keeps the default name within 100 characters: %s', async (name, copied) => {
  const world = await startWorld();
  const { id } = await createAgent(world, { name });
  expect((await clone(world, id)).body.data.character.name).toBe(copied);
});

it.each(['ab', 'x'.repeat(31), 'Bot', 'a b', 'a_b', '-ab', 'ab-', 'a--b', 'äbc', ''])(
  'cloning an agent refuses the username %j',
  async (username) => {
    const world = await startWorld();
    const { id } = await createAgent(world);
    const answer = await clone(world, id, { username });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(answer.body.error.details.map((detail: { path: string }) => detail.path)).toEqual(['username']);
  },
);

it('cloning an agent refuses a name that is none', async () => {
  const world = await startWorld();
  const { id } = await createAgent(world);
  expect((await clone(world, id, { name: ' ' })).status).toBe(400);
});

it('cloning an agent does not copy the terms of the offer', async () => {
  const world = await startWorld();
  const { id } = await createAgent(world);
  await call(world, 'POST', publishPath(id), { enableMonetization: true, markupPercentage: 20 });
  const copy = (await clone(world, id)).body.data.character;
  const published = await call(world, 'POST', publishPath(copy.id));
  expect(published.body.agent).toMatchObject({ monetizationEnabled: false, markupPercentage: 0 });
});
