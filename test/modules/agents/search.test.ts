// Search matches a part of the name or bio, in any case of any script, and takes every character literally.

import { expect, it } from 'vitest';
import { createAgent, marketplacePath, namesOf } from '../../support/agents.js';
import { startEmulator } from '../../support/emulator.js';

it.each([
  ['ALPHA', ['Alpha Bot']],
  ['pha b', ['Alpha Bot']],
  ['bot', ['Beta', 'Alpha Bot']],
  ['Weather', ['Beta']],
  ['gamma', []],
  ['', ['Beta', 'Alpha Bot']],
])('finds with %j %j', async (search, names) => {
  const emulator = await startEmulator();
  await createAgent(emulator, { name: 'Alpha Bot', bio: 'Knows letters' });
  await emulator.controls.clock.advance('1s');
  await createAgent(emulator, { name: 'Beta', bio: 'A weather bot' });
  expect(await namesOf(emulator, `?search=${encodeURIComponent(search)}`)).toEqual(names);
});

it.each(['%', '_', '\\', "'", '"', '*', '?', '100%', 'a_b'])('takes %s literally', async (search) => {
  const emulator = await startEmulator();
  await createAgent(emulator, { name: `x ${search} y` });
  await createAgent(emulator, { name: 'axb 100' });
  expect(await namesOf(emulator, `?search=${encodeURIComponent(search)}`)).toEqual([`x ${search} y`]);
});

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
])('finds with %s an agent named %s', async (search, name) => {
  const emulator = await startEmulator();
  await createAgent(emulator, { name });
  await createAgent(emulator, { name: 'Other' });
  expect(await namesOf(emulator, `?search=${encodeURIComponent(search)}`)).toEqual([name]);
});

it('does not take accents for nothing', async () => {
  const emulator = await startEmulator();
  await createAgent(emulator, { name: 'Émile' });
  expect(await namesOf(emulator, '?search=emile')).toEqual([]);
});

it('does not match over the end of the name into the bio', async () => {
  const emulator = await startEmulator();
  await createAgent(emulator, { name: 'Alpha', bio: 'Beta' });
  for (const search of ['alphabeta', 'alpha\nbeta', 'alpha beta']) {
    expect(await namesOf(emulator, `?search=${encodeURIComponent(search)}`)).toEqual([]);
  }
});

it('does not match how a bio is stored', async () => {
  const emulator = await startEmulator();
  await createAgent(emulator, { name: 'Alpha', bio: 'say "hi"\\n' });
  expect(await namesOf(emulator, `?search=${encodeURIComponent('["')}`)).toEqual([]);
  expect(await namesOf(emulator, `?search=${encodeURIComponent('"HI"\\N')}`)).toEqual(['Alpha']);
});

it('searches the marketplace likewise', async () => {
  const emulator = await startEmulator();
  await createAgent(emulator, { name: 'Ärger', isPublic: true });
  await createAgent(emulator, { name: 'Ärgernis' });
  expect(await namesOf(emulator, `?search=${encodeURIComponent('ÄRGER')}`, marketplacePath)).toEqual(['Ärger']);
});
