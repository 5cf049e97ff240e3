// Lists of agents: pages, orders and categories.

import { expect, it } from 'vitest';
import {
  agentsPath,
  createAgent,
  createAgents,
  listed,
  marketplacePath,
  namesOf,
  publishPath,
} from '../../support/agents.js';
import { call, startEmulator } from '../../support/emulator.js';

const quick = { rateLimits: { enabled: false } };

it('is an empty page without agents', async () => {
  const emulator = await startEmulator();
  expect((await call(emulator, 'GET', agentsPath)).body).toEqual({
    success: true,
    data: { characters: [], pagination: { page: 1, limit: 30, totalPages: 0, totalCount: 0, hasMore: false } },
  });
});

it('shows items as the agent itself is shown', async () => {
  const emulator = await startEmulator();
  const agent = await createAgent(emulator, { isPublic: true });
  expect((await listed(emulator)).characters).toEqual([agent]);
  expect((await listed(emulator, '', marketplacePath)).characters).toEqual([agent]);
});

it.each(['', '&sortBy=name', '&sortBy=updated', '&order=asc'])(
  'pages through 65 agents of one instant without gap or duplicate (%s)',
  async (query) => {
    const emulator = await startEmulator(quick);
    for (let i = 0; i < 65; i++) await createAgent(emulator, { name: i % 2 === 0 ? 'Even' : 'Odd' });
    const ids = new Set<string>();
    for (const [page, size] of [
      [1, 30],
      [2, 30],
      [3, 5],
    ] as const) {
      const { characters, pagination } = await listed(emulator, `?page=${page}${query}`);
      expect(characters).toHaveLength(size);
      expect(pagination).toEqual({ page, limit: 30, totalPages: 3, totalCount: 65, hasMore: page < 3 });
      for (const agent of characters) ids.add(agent.id);
    }
    expect(ids.size).toBe(65);
  },
);

it('has no more on a last page that is full', async () => {
  const emulator = await startEmulator();
  await createAgents(emulator, ['a', 'b', 'c', 'd']);
  expect((await listed(emulator, '?limit=2&page=2')).pagination).toEqual({
    page: 2,
    limit: 2,
    totalPages: 2,
    totalCount: 4,
    hasMore: false,
  });
});

it('shows a thousand on a page', async () => {
  const emulator = await startEmulator();
  await createAgents(emulator, ['a', 'b']);
  expect((await listed(emulator, '?limit=1000')).characters).toHaveLength(2);
});

it.each(['?page=2', '?page=999999999999999&limit=1000'])('is empty beyond the end (%s)', async (query) => {
  const emulator = await startEmulator();
  await createAgent(emulator);
  const { characters, pagination } = await listed(emulator, query);
  expect(characters).toEqual([]);
  expect(pagination).toMatchObject({ totalCount: 1, hasMore: false });
});

it.each([
  ['page', '?page=0'],
  ['page', '?page=-1'],
  ['page', '?page=1.5'],
  ['page', '?page=one'],
  ['page', '?page='],
  ['limit', '?limit=0'],
  ['limit', '?limit=1001'],
  ['sortBy', '?sortBy=oldest'],
  ['order', '?order=DESC'],
  ['search', '?search=a&search=b'],
])('refuses a bad %s: %s', async (name, query) => {
  const emulator = await startEmulator();
  for (const path of [agentsPath, marketplacePath]) {
    const answer = await call(emulator, 'GET', path + query);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details[0].path).toBe(`query.${name}`);
  }
});

it('is newest first by default', async () => {
  const emulator = await startEmulator();
  await createAgents(emulator, ['b', 'c', 'a']);
  expect(await namesOf(emulator)).toEqual(['a', 'c', 'b']);
  expect(await namesOf(emulator, '?order=asc')).toEqual(['b', 'c', 'a']);
});

it('is A to Z by name, unless told otherwise', async () => {
  const emulator = await startEmulator();
  await createAgents(emulator, ['b', 'C', 'a']);
  expect(await namesOf(emulator, '?sortBy=name')).toEqual(['a', 'b', 'C']);
  expect(await namesOf(emulator, '?sortBy=name&order=desc')).toEqual(['C', 'b', 'a']);
});

it('shows what was changed last first by updated', async () => {
  const emulator = await startEmulator();
  const [first] = await createAgents(emulator, ['first', 'second', 'third']);
  await call(emulator, 'POST', publishPath(first.id));
  expect(await namesOf(emulator, '?sortBy=updated')).toEqual(['first', 'third', 'second']);
  expect(await namesOf(emulator, '?sortBy=updated&order=asc')).toEqual(['second', 'third', 'first']);
});

it.each(['newest', 'updated', 'name'])(
  'orders equals by creation, so that asc is desc reversed (%s)',
  async (sortBy) => {
    const emulator = await startEmulator();
    for (let i = 0; i < 6; i++) await createAgent(emulator, { name: 'Same' });
    const idsOf = async (order: string): Promise<string[]> =>
      (await listed(emulator, `?sortBy=${sortBy}&order=${order}`)).characters.map((agent: { id: string }) => agent.id);
    expect(await idsOf('asc')).toEqual((await idsOf('desc')).reverse());
  },
);

it('filters by category exactly, and not by an empty one', async () => {
  const emulator = await startEmulator();
  await createAgent(emulator, { name: 'a', category: 'help' });
  await createAgent(emulator, { name: 'b', category: 'helpers' });
  await createAgent(emulator, { name: 'c' });
  expect(await namesOf(emulator, '?category=help')).toEqual(['a']);
  expect(await namesOf(emulator, '?category=none')).toEqual([]);
  expect(await namesOf(emulator, '?category=')).toHaveLength(3);
});

it('combines category and search, and counts what is left', async () => {
  const emulator = await startEmulator();
  await createAgent(emulator, { name: 'Alpha', category: 'help' });
  await createAgent(emulator, { name: 'Alpha', category: 'play' });
  await createAgent(emulator, { name: 'Beta', category: 'help' });
  const { characters, pagination } = await listed(emulator, '?category=help&search=alpha&limit=1');
  expect(characters).toHaveLength(1);
  expect(pagination).toMatchObject({ totalCount: 1, totalPages: 1, hasMore: false });
});
