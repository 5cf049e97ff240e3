// A fourth process behind the proxies of docs/scale: the worlds that its hash now leads there are moved to it by one
// command for each process, while clients write. What they were told is there afterwards, and only a quarter moves.

import { afterAll, expect, it } from 'vitest';
import { connect, type RemoteWorld } from '../../src/client.js';
import { run } from '../support/command.js';
import { eventually } from '../support/eventually.js';
import { endProxies, type Node, programs, startNode, startProxy } from '../support/proxied.js';
import { spread } from '../support/spread.js';

const worldCount = 60;

afterAll(endProxies);

async function makeWorlds(url: string): Promise<Map<string, RemoteWorld>> {
  const { createWorld } = connect({ url });
  const ids = Array.from({ length: worldCount }, (_, n) => `m-${n}`);
  const worlds = new Map<string, RemoteWorld>();
  await spread(ids, async (id) => {
    worlds.set(id, await createWorld({ id }));
  });
  return worlds;
}

/** Clients that write to worlds all the time, wait where they are told to, and go to the address that is in force. */
interface Writing {
  /** The names that were acknowledged, by world. */
  readonly acknowledged: ReadonlyMap<string, string[]>;
  /** The worlds that have told a client to wait. */
  readonly waited: ReadonlySet<string>;
  /** The answers that no client should get. */
  readonly odd: ReadonlySet<string>;
  goTo(address: string): void;
  stop(): Promise<void>;
}

function startWriting(worlds: readonly RemoteWorld[], address: string): Writing {
  let front = address;
  let stopped = false;
  const acknowledged = new Map<string, string[]>(worlds.map(({ id }) => [id, []]));
  const waited = new Set<string>();
  const odd = new Set<string>();
  const load = spread(
    worlds,
    async ({ id, apiKey }) => {
      for (let n = 0; !stopped; n++) {
        const name = `write-${n}`;
        const answer = await fetch(`${front}/w/${id}/api/v1/app/agents`, {
          method: 'POST',
          headers: { authorization: `Bearer ${apiKey}` },
          body: JSON.stringify({ name, bio: 'x' }),
        });
        await answer.text();
        if (answer.status === 201) acknowledged.get(id)?.push(name);
        else if (answer.status === 503 && answer.headers.get('retry-after') === '1') waited.add(id);
        else odd.add(`${id}: ${answer.status}`);
      }
    },
    worldCount,
  );
  return {
    acknowledged,
    waited,
    odd,
    goTo(next) {
      front = next;
    },
    stop() {
      stopped = true;
      return load;
    },
  };
}

/** Moves the worlds of processes to where a proxy leads them now; returns the ids of those that moved. */
async function moveWorlds(nodes: readonly Node[], to: string): Promise<string[]> {
  const moved: string[] = [];
  for (const { port } of nodes) {
    const from = `http://127.0.0.1:${port}`;
    const { code, stdout, stderr } = await run(['world', 'move', '--url', from, '--to', to, '--json']);
    const outcome = JSON.parse(stdout);
    expect([outcome.failed, code, stderr]).toEqual([[], 0, '']);
    moved.push(...outcome.moved);
  }
  return moved;
}

/** The names of the agents in a world, which its clients have written. */
async function namesIn(url: string, { id, apiKey }: RemoteWorld): Promise<string[]> {
  const answer = await fetch(`${url}/w/${id}/api/my-agents/characters?limit=1000`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  const { data } = (await answer.json()) as { data: { characters: { name: string }[] } };
  return data.characters.map(({ name }) => name);
}

it.each(Object.keys(programs) as (keyof typeof programs)[])(
  'the proxy %s leads a quarter of the worlds to a fourth process, with every write that was acknowledged',
  async (program) => {
    const nodes = await Promise.all([0, 1, 2].map(() => startNode()));
    const ports = nodes.map(({ port }) => port);
    const { url: former } = await startProxy(program, ports);
    const worlds = await makeWorlds(former);
    const writing = startWriting([...worlds.values()], former);

    const fourth = await startNode();
    const { url: next } = await startProxy(program, [...ports, fourth.port]);
    const moved = await moveWorlds(nodes, next);
    const { acknowledged, waited, odd } = writing;
    writing.goTo(next);
    const before = new Map([...acknowledged].map(([id, written]) => [id, written.length]));
    await eventually(() => [...acknowledged].every(([id, written]) => written.length > (before.get(id) ?? 0)));
    await writing.stop();

    expect([...odd]).toEqual([]);
    // Only those that moved were ever refused.
    expect([...waited].filter((id) => !moved.includes(id))).toEqual([]);
    expect(moved.length).toBeGreaterThan(worldCount / 8);
    expect(moved.length).toBeLessThan(worldCount / 2);
    const there = await connect({ url: `http://127.0.0.1:${fourth.port}` }).controls.worlds.list();
    expect(there.map(({ id }) => id).filter((id) => id !== 'default')).toEqual([...moved].sort());
    await spread([...worlds.values()], async (world) => {
      const written = acknowledged.get(world.id) as string[];
      expect(written.length).toBeGreaterThan(0);
      expect((await namesIn(next, world)).sort()).toEqual([...written].sort());
    });
    await Promise.all([...nodes, fourth].map(({ running }) => running.end('SIGTERM')));
  },
);
