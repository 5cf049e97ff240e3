// The events of every stream of the platform: each has a form that its operation declares, and each declared form comes.

import { describe, expect, it } from 'vitest';
import { declaredEndpoints } from '../../src/platform/surface.js';
import { ask } from '../support/chat.js';
import { call, deploy, startWorld } from '../support/emulator.js';
import { openStream } from '../support/sse.js';

interface Event {
  event: string | undefined;
  data: string;
}

function eventsOf(text: string): Event[] {
  const blocks = text.split('\n\n').filter((block) => /^data: /m.test(block));
  return blocks.map((block) => ({
    event: /^event: (.*)$/m.exec(block)?.[1],
    data: /^data: (.*)$/m.exec(block)?.[1] ?? '',
  }));
}

const replies: { fields?: object; reply: object }[] = [
  { reply: { text: 'Two words', toolCalls: [{ name: 'look', arguments: { at: 'it' } }] } },
  { fields: { stream_options: { include_usage: true } }, reply: { text: 'Counted' } },
  { reply: { refusal: 'I would rather not.' } },
  { reply: { text: 'Cut off', finishReason: 'length' } },
  { reply: { text: 'One two three four', error: { code: 'MODEL_UNAVAILABLE', after: 1 } } },
];

async function logEvents(): Promise<Event[]> {
  const world = await startWorld();
  const { id } = await deploy(world);
  await world.controls.clock.advance('1m');
  world.controls.snapshots.take({ name: 'now' });
  const url = `${world.url}/api/v1/containers/${id}/logs/stream`;
  const open = await openStream(url, { authorization: `Bearer ${world.apiKey}` });
  await open.until(10);
  await world.controls.snapshots.restore('now');
  while (!open.messages.some(({ data }) => data.type === 'reset')) await open.until(open.messages.length + 1);
  open.close();
  return open.messages.map(({ data }) => ({ event: undefined, data: JSON.stringify(data) }));
}

async function talkEvents(path: string, body: object): Promise<Event[]> {
  const texts = replies.map(async ({ reply }) => {
    const world = await startWorld();
    const base = `/api/v1/eliza/agents/${world.controls.hostedAgents.create().id}`;
    const { conversation } = (await call(world, 'POST', `${base}/api/conversations`)).body;
    world.controls.replies.add(reply);
    return (await call(world, 'POST', `${base}/${path.replace('{id}', conversation.id)}`, body)).text;
  });
  return (await Promise.all(texts)).flatMap(eventsOf);
}

const streams: Record<string, () => Promise<Event[]>> = {
  'chat.completions': async () => {
    const texts = replies.map(async ({ fields, reply }) => {
      const world = await startWorld();
      world.controls.replies.add(reply);
      const tools = [{ type: 'function', function: { name: 'look' } }];
      return (await ask(world, 'Go', { stream: true, tools, ...fields })).text;
    });
    return (await Promise.all(texts)).flatMap(eventsOf);
  },
  'responses.create': async () => {
    const texts = replies.map(async ({ reply }) => {
      const world = await startWorld();
      world.controls.replies.add(reply);
      const tools = [{ type: 'function', name: 'look' }];
      const body = { model: 'gpt-4o', input: 'Go', stream: true, tools };
      return (await call(world, 'POST', '/api/v1/responses', body)).text;
    });
    return (await Promise.all(texts)).flatMap(eventsOf);
  },
  'chat.ui': async () => {
    const damaged = { reply: { toolCalls: [{ name: 'look', arguments: '{' }] } };
    const texts = [...replies, damaged].map(async ({ reply }) => {
      const world = await startWorld();
      world.controls.replies.add(reply);
      return (await call(world, 'POST', '/api/v1/chat', { messages: [{ role: 'user', content: 'Go' }] })).text;
    });
    return (await Promise.all(texts)).flatMap(eventsOf);
  },
  'messages.create': async () => {
    const texts = replies.map(async ({ reply }) => {
      const world = await startWorld();
      world.controls.replies.add(reply);
      const tools = [{ name: 'look', input_schema: { type: 'object' } }];
      const messages = [{ role: 'user', content: 'Go' }];
      const body = { model: 'claude-haiku-4-5', max_tokens: 100, messages, stream: true, tools };
      return (await call(world, 'POST', '/api/v1/messages', body)).text;
    });
    return (await Promise.all(texts)).flatMap(eventsOf);
  },
  'hostedAgents.stream': () =>
    talkEvents('stream', { jsonrpc: '2.0', id: 1, method: 'message.send', params: { text: 'Go' } }),
  'hostedAgents.streamMessage': () => talkEvents('api/conversations/{id}/messages/stream', { text: 'Go' }),
  'containers.streamLogs': logEvents,
};

describe('the declared events', () => {
  const declared = declaredEndpoints.filter(({ responses }) =>
    Object.values(responses).some(({ contentTypes }) => contentTypes?.includes('text/event-stream')),
  );

  it('are those of every operation that streams', () => {
    expect(declared.map(({ id }) => id).sort()).toEqual(Object.keys(streams).sort());
  });

  it.each(Object.entries(streams))('of %s are all that it sends, and all come', async (id, stream) => {
    const known = declared.find((one) => one.id === id)?.responses[200]?.events ?? [];
    const met = new Set<unknown>();
    for (const { event, data } of await stream()) {
      const match = known.find((one) => {
        if (one.event !== event) return false;
        if (one.data === undefined) return data === '[DONE]';
        if (data === '[DONE]') return false;
        const value = JSON.parse(data);
        const read = one.data.safeParse(value);
        // A field that is not declared would be gone.
        return read.success && JSON.stringify(sorted(read.data)) === JSON.stringify(sorted(value));
      });
      expect(match, `${event}: ${data}`).toBeDefined();
      met.add(match);
    }
    expect(known.filter((one) => !met.has(one)).map(({ event, description }) => event ?? description)).toEqual([]);
  });
});

/** A value with the keys of its objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}
