// A hundred log streams while the clock jumps: each delivers every line once and in order.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { call, deploy, startWorld } from '../../support/emulator.js';

const streams = 100;
const jumps = 12;
const containers = 10;

/** The yield of a stream, without keeping it all: the digest and the number of its events. */
interface Reader {
  digest: () => string;
  events: number;
}

it('a hundred log streams deliver the same lines, once and in order, over twelve jumps of ten minutes', async () => {
  const world = await startWorld({ frozen: true, rateLimits: { enabled: false }, quotas: { enabled: false } });
  const agent = new Agent({ maxSockets: Infinity });
  onTestFinished(() => agent.destroy());
  const ids: string[] = [];
  for (let index = 0; index < containers; index++)
    ids.push((await deploy(world, { name: `many-${index}`, project_name: `many-${index}` })).id);

  const texts = new Map<string, string>();
  const open = async (id: string, keeps: boolean): Promise<Reader> => {
    const sent = request(`${world.url}/api/v1/containers/${id}/logs/stream`, {
      agent,
      headers: { authorization: `Bearer ${world.apiKey}` },
    }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.on('error', () => {});
    const hash = createHash('sha256');
    const reader: Reader = { digest: () => hash.copy().digest('hex'), events: 0 };
    if (keeps) texts.set(id, '');
    let rest = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() ?? '';
      // Comments, which keep the connection open, come by the wall clock.
      const events = blocks.filter((block) => !block.startsWith(':')).map((block) => `${block}\n\n`);
      hash.update(events.join(''));
      reader.events += events.length;
      if (keeps) texts.set(id, texts.get(id) + events.join(''));
    });
    return reader;
  };
  const readers = await Promise.all(
    Array.from({ length: streams }, (_, index) => open(ids[index % containers] ?? '', index < containers)),
  );

  const expected = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (let jump = 0; jump < jumps; jump++) {
    await world.controls.clock.advance('10m');
    for (const id of ids) {
      const { logs } = (await call(world, 'GET', `/api/v1/containers/${id}/logs?tail=10000`)).body;
      const known = expected.get(id) ?? [];
      const lines: string[] = logs.map((line: unknown) => JSON.stringify(line));
      // The log holds what is kept; what comes after the last line known is new.
      known.push(...lines.slice(lines.lastIndexOf(known.at(-1) ?? '') + 1));
    }
  }
  // Advancing waits until the lines are written; the last of them may still be on their way.
  const isThere = (): boolean => readers.every(({ events }, index) => events === readers[index % containers]?.events);
  for (let turn = 0; turn < 10_000 && !isThere(); turn++) await new Promise((resolve) => setImmediate(resolve));

  for (const [index, id] of ids.entries()) {
    const got = [...(texts.get(id) ?? '').matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
    const lines = got.filter(({ type }) => type === 'log').map(({ data }) => JSON.stringify(data));
    expect(lines).toEqual(expected.get(id));
    expect(lines.length).toBeGreaterThan(jumps * 50);
    const digests = readers.filter((_, other) => other % containers === index).map(({ digest }) => digest());
    expect(new Set(digests).size).toBe(1);
  }
});
