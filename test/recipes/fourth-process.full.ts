// A fourth process behind the proxies of docs/scale: the worlds that its hash now leads there are moved to it by one
// command for each process, while clients write. What they were told is there afterwards, and only a quarter moves.

import { afterAll, expect, it } from 'vitest';
import { connect, type RemoteWorld } from '../../src/client.js';
import { run } from '../support/command.js';
import { eventually } from '../support/eventually.js';
import { endProxies, programs, startNode, startProxy } from '../support/proxied.js';
import { spread } from '../support/spread.js';

const worldCount = 60;

afterAll(endProxies);

it.each(Object.keys(programs) as (keyof typeof programs)[])(
  'the proxy %s leads a quarter of the worlds to a fourth process, with every write that was acknowledged',
  async (program) => {
    const nodes = await Promise.all([0, 1, 2].map(() => startNode()));
    const ports = nodes.map(({ port }) => port);
    const { url: former } = await startProxy(program, ports);
    const { createWorld } = connect({ url: former });
    const worlds = new Map<string, RemoteWorld>();
    await spread(
      Array.from({ length: worldCount }, (_, n) => `m-${n}`),
      async (id) => {
        worlds.set(id, await createWorld({ id }));
      },
    );

    // Clients write all the time, wait where they are told to, and go to the address that is in force.
    let front = former;
    let stopped = false;
    const acknowledged = new Map<string, string[]>([...worlds.keys()].map((id) => [id, []]));
    const waits = new Map<string, number>();
    const odd = new Set<string>();
    const load = spread(
      [...worlds.values()],
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
          else if (answer.status !== 503 || answer.headers.get('retry-after') !== '1')
            odd.add(`${id}: ${answer.status}`);
          else waits.set(id, (waits.get(id) ?? 0) + 1);
        }
      },
      worldCount,
    );

    const fourth = await startNode();
    const { url: next } = await startProxy(program, [...ports, fourth.port]);
    const moved: string[] = [];
    for (const { port } of nodes) {
      const { code, stdout, stderr } = await run([
        'world',
        'move',
        '--url',
        `http://127.0.0.1:${port}`,
        '--to',
        next,
        '--json',
      ]);
      const outcome = JSON.parse(stdout);
      expect([outcome.failed, code, stderr]).toEqual([[], 0, '']);
      moved.push(...outcome.moved);
    }
    front = next;
    const before = new Map([...acknowledged].map(([id, written]) => [id, written.length]));
    await eventually(() => [...acknowledged].every(([id, written]) => written.length > (before.get(id) ?? 0)));
    stopped = true;
    await load;

    expect([...odd]).toEqual([]);
    // Only those that moved were ever refused.
    expect([...waits.keys()].filter((id) => !moved.includes(id))).toEqual([]);
    expect(moved.length).toBeGreaterThan(worldCount / 8);
    expect(moved.length).toBeLessThan(worldCount / 2);
    const there = await connect({ url: `http://127.0.0.1:${fourth.port}` }).controls.worlds.list();
    expect(there.map(({ id }) => id).filter((id) => id !== 'default')).toEqual([...moved].sort());
    await spread([...worlds.keys()], async (id) => {
      const { apiKey } = worlds.get(id) as RemoteWorld;
      const answer = await fetch(`${next}/w/${id}/api/my-agents/characters?limit=1000`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      const { data } = (await answer.json()) as { data: { characters: { name: string }[] } };
      const written = acknowledged.get(id) as string[];
      expect(written.length).toBeGreaterThan(0);
      expect(data.characters.map(({ name }) => name).sort()).toEqual([...written].sort());
    });
    await Promise.all([...nodes, fourth].map(({ running }) => running.end('SIGTERM')));
  },
);
