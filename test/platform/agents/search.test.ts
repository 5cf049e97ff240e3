// Search matches a part of the name or bio, in any case of any script, and takes every character literally.

import { expect, it } from 'vitest';
import { createAgent, marketplacePath, namesOf } from '../../support/agents.js';
import { startWorld } from '../../support/emulator.js';

it.each([
  ['ALPHA', ['Alpha Bot']],
  ['pha b', ['Alpha Bot']],
  ['bot', ['Beta', 'Alpha Bot']],
  ['Weather', ['Beta']],
  ['gamma', []],
  ['', ['Beta', 'Alpha Bot']],
])('a search for agents finds with %j %j', async (search, names) => {
  const world = await startWorld();
  await createAgent(world, { name: 'Alpha Bot', bio: 'Knows letters' });
  await world.controls.clock.advance('1s');
  await createAgent(world, { name: 'Beta', bio: 'A weather bot' });
  expect(await namesOf(world, `?search=${encodeURIComponent(search)}`)).toEqual(names);
});

it.each(['%', '_', '\\', "'", '"', '*', '?', '100%', 'a_b'])(
  'a search for agents takes %s literally',
  async (search) => {
    const world = await startWorld();
    await createAgent(world, { name: `x ${search} y` });
    await createAgent(world, { name: 'axb 100' });
    expect(await namesOf(world, `?search=${encodeURIComponent(search)}`)).toEqual([`x ${search} y`]);
  },
);

it.each([
  ['ÉMILE', 'Émile'],
  ['émile', 'ÉMILE'],
  ['Émile', 'E\u0301mile'],
  ['привет', 'ПРИВЕТ мир'],
  ['STRASSE', 'Straße'],
  ['straße', 'STRASSE'],
  ['οδός', 'ΟΔΌΣ'],
  ['ΟΔΌΣ', 'οδός'],
  ['日本', '日本語エージェント'],
  ['😀', 'Bot 😀'],
])('a search for agents finds with %s an agent named %s', async (search, name) => {
  const world = await startWorld();
  await createAgent(world, { name });
  await createAgent(world, { name: 'Other' });
  expect(await namesOf(world, `?search=${encodeURIComponent(search)}`)).toEqual([name]);
});

it('a search for agents does not take accents for nothing', async () => {
  const world = await startWorld();
  await createAgent(world, { name: 'Émile' });
  expect(await namesOf(world, '?search=emile')).toEqual([]);
});

it('a search for agents does not match across the end of the name and the beginning of the bio', async () => {
  const world = await startWorld();
  await createAgent(world, { name: 'Alpha', bio: 'Beta' });
  for (const search of ['alphabeta', 'alpha\nbeta', 'alpha beta']) {
    expect(await namesOf(world, `?search=${encodeURIComponent(search)}`)).toEqual([]);
  }
});

it('a search for agents does not match how a bio is stored', async () => {
  const world = await startWorld();
  await createAgent(world, { name: 'Alpha', bio: 'say "hi"\\n' });
  expect(await namesOf(world, `?search=${encodeURIComponent('["')}`)).toEqual([]);
  expect(await namesOf(world, `?search=${encodeURIComponent('"HI"\\N')}`)).toEqual(['Alpha']);
});

it('a search of the marketplace finds agents likewise', async () => {
  const world = await startWorld();
  await createAgent(world, { name: 'Ärger', isPublic: true });
  await createAgent(world, { name: 'Ärgernis' });
  expect(await namesOf(world, `?search=${encodeURIComponent('ÄRGER')}`, marketplacePath)).toEqual(['Ärger']);
});
