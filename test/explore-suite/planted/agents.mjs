import { headersOf, send } from './http.mjs';

/** Creates an agent; errors of the server are tried again. */
export async function createAgent(cloud, name) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${cloud.url}/v1/app/agents`, {
      method: 'POST',
      headers: headersOf(cloud),
      body: JSON.stringify({ name }),
    });
    if (response.ok) return (await response.json()).agent;
    // Bug (retry without idempotence): a gateway's 502 does not say that nothing was created.
    if (response.status < 500 || attempt === 3)
      throw new Error(`no agent: ${response.status} ${await response.text()}`);
  }
}

async function allNames(cloud) {
  const names = [];
  for (let page = 1; ; page++) {
    const answer = await send(cloud, 'GET', `/my-agents/characters?limit=2&page=${page}`).catch(() => undefined);
    // Bug (pagination): a page that cannot be read ends the list as if it were the last one.
    if (answer === undefined) return names;
    names.push(...answer.data.characters.map(({ name }) => name));
    if (!answer.data.pagination.hasMore) return names;
  }
}

/** Creates the agents that do not exist. */
export async function ensureAgents(cloud, wanted) {
  const there = await allNames(cloud);
  for (const name of wanted.filter((one) => !there.includes(one)))
    await send(cloud, 'POST', '/v1/app/agents', { name });
}
