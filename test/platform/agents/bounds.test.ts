// Texts of agents that lists and searches repeat are bounded, and so is what is done in one go with them.

import { describe, expect, it } from 'vitest';
import { createAgent, createPath, listed, marketplacePath } from '../../support/agents.js';
import { itFull } from '../../support/campaign.js';
import { call, startWorld } from '../../support/emulator.js';

describe('a bio', () => {
  it.each(['a', '😀', 'é'])('has at most 10,000 characters, here %s', async (letter) => {
    const world = await startWorld();
    const agent = await createAgent(world, { bio: letter.repeat(10_000) });
    expect(agent.bio).toEqual([letter.repeat(10_000)]);
    const refused = await call(world, 'POST', createPath, { name: 'X', bio: letter.repeat(10_001) });
    expect(refused.status).toBe(400);
    expect(refused.body.error.details[0]).toMatchObject({
      path: 'bio',
      message: expect.stringContaining('at most 10000 characters'),
    });
  });

  it('of a megabyte is refused', async () => {
    const refused = await call(await startWorld(), 'POST', createPath, { name: 'X', bio: 'a'.repeat(1_000_000) });
    expect(refused.status).toBe(400);
  });
});

it.each([
  ['search', 200],
  ['category', 100],
])('an agent’s %s has at most %i characters', async (name, most) => {
  const world = await startWorld();
  for (const path of ['/api/my-agents/characters', marketplacePath]) {
    const ask = (length: number) => call(world, 'GET', `${path}?${name}=${'a'.repeat(length)}`);
    expect((await ask(most)).status).toBe(200);
    const refused = await ask(most + 1);
    expect(refused.status).toBe(400);
    expect(refused.body.error.details[0]).toMatchObject({
      path: `query.${name}`,
      message: expect.stringContaining(`at most ${most} characters`),
    });
  }
});

describe('many agents', () => {
  const bio = (n: number): string => `${'a'.repeat(9_000)}b${n}`;
  const agents = Array.from({ length: 300 }, (_, n) => ({ name: `Agent ${n}`, bio: bio(n), isPublic: true }));

  it('are found by a search', async () => {
    const world = await startWorld();
    await world.controls.scenarios.apply({ data: { agents } });
    for (const path of ['/api/my-agents/characters', marketplacePath]) {
      const result = await listed(world, `?search=${'a'.repeat(190)}B29&sortBy=name`, path);
      expect(result.pagination).toMatchObject({ totalCount: 11, totalPages: 1, hasMore: false });
      expect(result.characters.map(({ name }: any) => name)).toEqual([
        'Agent 29',
        ...Array.from({ length: 10 }, (_, n) => `Agent 29${n}`),
      ]);
    }
  });

  itFull('are listed on one page, in order', async () => {
    const world = await startWorld();
    await world.controls.scenarios.apply({ data: { agents } });
    const result = await listed(world, '?limit=1000&order=asc');
    expect(result.characters.map(({ name }: any) => name)).toEqual(agents.map(({ name }) => name));
    expect(result.characters[299].bio).toEqual([bio(299)]);
    expect(result.pagination).toEqual({ page: 1, limit: 1_000, totalPages: 1, totalCount: 300, hasMore: false });
  });
});
