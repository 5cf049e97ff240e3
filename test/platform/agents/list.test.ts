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
import { sampleOf } from '../../support/campaign.js';
import { call, startWorld } from '../../support/emulator.js';

const quick = { rateLimits: { enabled: false } };

it('the list of agents shows items as the agent itself is shown', async () => {
  const world = await startWorld();
  const agent = await createAgent(world, { isPublic: true });
  expect((await listed(world)).characters).toEqual([agent]);
  expect((await listed(world, '', marketplacePath)).characters).toEqual([agent]);
});

it.each(sampleOf(['&sortBy=name', '', '&sortBy=updated', '&order=asc']))(
  'the list of agents pages through 65 agents of one instant without gap or duplicate (%s)',
  async (query) => {
    const world = await startWorld(quick);
    for (let i = 0; i < 65; i++) await createAgent(world, { name: i % 2 === 0 ? 'Even' : 'Odd' });
    const ids = new Set<string>();
    for (const [page, size] of [
      [1, 30],
      [2, 30],
      [3, 5],
    ] as const) {
      const { characters, pagination } = await listed(world, `?page=${page}${query}`);
      expect(characters).toHaveLength(size);
      expect(pagination).toEqual({ page, limit: 30, totalPages: 3, totalCount: 65, hasMore: page < 3 });
      for (const agent of characters) ids.add(agent.id);
    }
    expect(ids.size).toBe(65);
  },
);

it('the list of agents has no more on a last page that is full', async () => {
  const world = await startWorld();
  await createAgents(world, ['a', 'b', 'c', 'd']);
  expect((await listed(world, '?limit=2&page=2')).pagination).toEqual({
    page: 2,
    limit: 2,
    totalPages: 2,
    totalCount: 4,
    hasMore: false,
  });
});

it('the list of agents shows a thousand on a page', async () => {
  const world = await startWorld();
  await createAgents(world, ['a', 'b']);
  expect((await listed(world, '?limit=1000')).characters).toHaveLength(2);
});

it.each(['?page=2', '?page=999999999999999&limit=1000'])(
  'the list of agents is empty beyond the end (%s)',
  async (query) => {
    const world = await startWorld();
    await createAgent(world);
    const { characters, pagination } = await listed(world, query);
    expect(characters).toEqual([]);
    expect(pagination).toMatchObject({ totalCount: 1, hasMore: false });
  },
);

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
])('the list of agents refuses a bad %s: %s', async (name, query) => {
  const world = await startWorld();
  for (const path of [agentsPath, marketplacePath]) {
    const answer = await call(world, 'GET', path + query);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details[0].path).toBe(`query.${name}`);
  }
});

it('the list of agents is newest first by default', async () => {
  const world = await startWorld();
  await createAgents(world, ['b', 'c', 'a']);
  expect(await namesOf(world)).toEqual(['a', 'c', 'b']);
  expect(await namesOf(world, '?order=asc')).toEqual(['b', 'c', 'a']);
});

it('the list of agents is A to Z by name, unless told otherwise', async () => {
  const world = await startWorld();
  await createAgents(world, ['b', 'C', 'a']);
  expect(await namesOf(world, '?sortBy=name')).toEqual(['a', 'b', 'C']);
  expect(await namesOf(world, '?sortBy=name&order=desc')).toEqual(['C', 'b', 'a']);
});

it('the list of agents shows what was changed last first when it is sorted by updated', async () => {
  const world = await startWorld();
  const [first] = await createAgents(world, ['first', 'second', 'third']);
  await call(world, 'POST', publishPath(first.id));
  expect(await namesOf(world, '?sortBy=updated')).toEqual(['first', 'third', 'second']);
  expect(await namesOf(world, '?sortBy=updated&order=asc')).toEqual(['second', 'third', 'first']);
});

it.each(['newest', 'updated', 'name'])(
  'the list of agents orders equals by creation, so that asc is desc reversed (%s)',
  async (sortBy) => {
    const world = await startWorld();
    for (let i = 0; i < 6; i++) await createAgent(world, { name: 'Same' });
    const idsOf = async (order: string): Promise<string[]> =>
      (await listed(world, `?sortBy=${sortBy}&order=${order}`)).characters.map((agent: { id: string }) => agent.id);
    expect(await idsOf('asc')).toEqual((await idsOf('desc')).reverse());
  },
);

it('the list of agents filters by category exactly, and not by an empty one', async () => {
  const world = await startWorld();
  await createAgent(world, { name: 'a', category: 'help' });
  await createAgent(world, { name: 'b', category: 'helpers' });
  await createAgent(world, { name: 'c' });
  expect(await namesOf(world, '?category=help')).toEqual(['a']);
  expect(await namesOf(world, '?category=none')).toEqual([]);
  expect(await namesOf(world, '?category=')).toHaveLength(3);
});

it('the list of agents combines category and search, and counts what is left', async () => {
  const world = await startWorld();
  await createAgent(world, { name: 'Alpha', category: 'help' });
  await createAgent(world, { name: 'Alpha', category: 'play' });
  await createAgent(world, { name: 'Beta', category: 'help' });
  const { characters, pagination } = await listed(world, '?category=help&search=alpha&limit=1');
  expect(characters).toHaveLength(1);
  expect(pagination).toMatchObject({ totalCount: 1, totalPages: 1, hasMore: false });
});
