import { send } from './http.mjs';

/** Creates an agent, and looks for it when nobody knows whether it was created. */
export async function createAgent(cloud, name) {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await send(cloud, 'POST', '/v1/app/agents', { name })).agent;
    } catch (error) {
      if (error.refused) throw error;
      const query = new URLSearchParams({ search: name });
      const { data } = await send(cloud, 'GET', `/my-agents/characters?${query}`);
      const found = data.characters.find((one) => one.name === name);
      if (found !== undefined) return found;
      if (attempt === 3) throw error;
    }
  }
}

async function allNames(cloud) {
  const names = [];
  for (let page = 1; ; page++) {
    const { data } = await send(cloud, 'GET', `/my-agents/characters?limit=2&page=${page}`);
    names.push(...data.characters.map(({ name }) => name));
    if (!data.pagination.hasMore) return names;
  }
}

/** Creates the agents that do not exist. */
export async function ensureAgents(cloud, wanted) {
  const there = await allNames(cloud);
  for (const name of wanted.filter((one) => !there.includes(one))) await createAgent(cloud, name);
}
