// Usernames follow from names, and are unique in the world.

import { describe, expect, it } from 'vitest';
import { freeUsername, usernameOf } from '../../../src/platform/agents/create.js';
import { usernamePattern } from '../../../src/platform/agents/schema.js';
import { agentsPath, as, createAgent } from '../../support/agents.js';
import { call, startWorld } from '../../support/emulator.js';

describe('usernameOf', () => {
  it.each([
    ['Support Bot', 'support-bot'],
    ['support_bot', 'support-bot'],
    ['  A -- B__C  ', 'a-b-c'],
    ['-dash-', 'dash'],
    ['Émile Zola', 'emile-zola'],
    ['Straße', 'strasse'],
    ['İstanbul', 'istanbul'],
    ['R2-D2!?', 'r2-d2'],
    ['Bot (Copy)', 'bot-copy'],
    ['日本語', 'agent'],
    ['日本語 bot', 'bot'],
    ['😀', 'agent'],
    ['ab', 'ab-agent'],
    ['A', 'a-agent'],
    ['x'.repeat(100), 'x'.repeat(30)],
    [`${'x'.repeat(29)} y`, 'x'.repeat(29)],
  ])('makes of %j %s', (name, username) => {
    expect(usernameOf(name)).toBe(username);
  });

  it.each(['\u0000', '﷽'.repeat(100), '-', '___', 'a-', '-a', 'ﬁ', '\ud800', 'A\u0301'.repeat(50), '١٢٣'])(
    'makes of %j a proper username',
    (name) => {
      const username = usernameOf(name);
      expect(username).toMatch(usernamePattern);
      expect(username.length).toBeGreaterThanOrEqual(3);
      expect(username.length).toBeLessThanOrEqual(30);
    },
  );
});

describe('freeUsername', () => {
  it('stays within 30 characters, whatever the number', () => {
    const long = 'x'.repeat(30);
    const taken = new Set([long]);
    for (let n = 2; n <= 120; n++) {
      const username = freeUsername(long, (name) => taken.has(name));
      expect(username).toBe(`${'x'.repeat(30 - `-${n}`.length)}-${n}`);
      taken.add(username);
    }
  });

  it('leaves no two dashes where it cuts', () => {
    const name = `${'x'.repeat(27)}-yy`;
    expect(freeUsername(name, (username) => username === name)).toBe(`${'x'.repeat(27)}-2`);
  });
});

it('usernames of agents of one name are numbered', async () => {
  const world = await startWorld();
  const usernames = [];
  for (let i = 0; i < 4; i++) usernames.push((await createAgent(world, { name: 'Bot' })).username);
  expect(usernames).toEqual(['bot', 'bot-2', 'bot-3', 'bot-4']);
});

it('numbering of usernames passes over a number that another name took', async () => {
  const world = await startWorld();
  await createAgent(world, { name: 'Bot 2' });
  await createAgent(world, { name: 'Bot' });
  expect((await createAgent(world, { name: 'Bot' })).username).toBe('bot-3');
});

it('numbering names of 30 characters does not make them longer', async () => {
  const world = await startWorld();
  const name = 'abcdefghij'.repeat(3);
  await createAgent(world, { name });
  expect((await createAgent(world, { name })).username).toBe(`${name.slice(0, 28)}-2`);
});

it('an agent’s username is unique over organizations', async () => {
  const world = await startWorld();
  await createAgent(world, { name: 'Bot' });
  const other = world.controls.organizations.create();
  expect((await createAgent(world, { name: 'Bot' }, as(other.apiKey))).username).toBe('bot-2');
});

it('an agent’s username is free again after the agent was deleted', async () => {
  const world = await startWorld();
  const { id } = await createAgent(world, { name: 'Bot' });
  await call(world, 'DELETE', `${agentsPath}/${id}`);
  expect((await createAgent(world, { name: 'Bot' })).username).toBe('bot');
});
