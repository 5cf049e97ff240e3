// A proxy that buffers: nothing of a stream comes before it has ended. Streams of agents that break off half-way.

import { describe, expect, it } from 'vitest';
import { sampleOf } from '../../support/campaign.js';
import { call, type Platform, startWorld } from '../../support/emulator.js';
import { eventually } from '../../support/eventually.js';

const chat = { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'Hello' }] };
const said = { jsonrpc: '2.0', id: 1, method: 'message.send', params: { text: 'Hello' } };

/** Each stream of the platform: its operation, and how it is asked for. */
const streams: [operation: string, ask: (world: Platform) => Promise<[path: string, body: object]>][] = [
  ['chat.completions', async () => ['/api/v1/chat/completions', chat]],
  ['responses.create', async () => ['/api/v1/responses', { model: 'gpt-4o', input: 'Hello', stream: true }]],
  ['messages.create', async () => ['/api/v1/messages', { ...chat, max_tokens: 100 }]],
  ['hostedAgents.stream', async (world) => [`${agentIn(world)}/stream`, said]],
  [
    'hostedAgents.streamMessage',
    async (world) => {
      const conversations = `${agentIn(world)}/api/conversations`;
      const { id } = (await call(world, 'POST', conversations, {})).body.conversation;
      return [`${conversations}/${id}/messages/stream`, { text: 'Hello' }];
    },
  ],
];

const agentIn = (world: Platform): string =>
  `/api/v1/eliza/agents/${world.controls.hostedAgents.create({ name: 'Ada' }).id}`;

type Stream = (typeof streams)[number];

/** A stream in the making: its pieces come when virtual time says so. */
async function begin([operation, ask]: Stream, prepare: (world: Platform) => void = () => {}) {
  const world = await startWorld();
  const [path, body] = await ask(world);
  world.controls.replies.add({ text: 'Hello yourself', chunkSize: 1, delay: 1_000, clock: 'virtual' });
  prepare(world);
  const come = { is: false };
  const asked = call(world, 'POST', path, body).finally(() => {
    come.is = true;
  });
  await eventually(() => world.controls.streams.list().some((stream) => stream.operation === operation));
  return { world, asked, come };
}

const dataIn = (text: string): number => text.split('\n').filter((line) => line.startsWith('data: ')).length;

describe('a stream that a proxy buffers', () => {
  it.each(sampleOf(streams, 3))('%s', async (...one) => {
    const [operation] = one;
    const plain = await begin(one);
    await plain.world.controls.clock.advance('1m');
    const whole = await plain.asked;
    expect(whole.headers.get('x-accel-buffering')).toBe('no');

    const { world, asked, come } = await begin(one, ({ controls }) => {
      controls.faults.add({ match: { operation }, effect: { network: 'buffer' } });
    });
    await world.controls.clock.advance('1s');
    expect([come.is, world.controls.streams.list()[0]?.state]).toEqual([false, 'open']);
    await world.controls.clock.advance('1m');
    const answer = await asked;
    expect([answer.status, answer.headers.get('x-emulator-fault')]).toEqual([200, 'fault_1']);
    expect(dataIn(answer.text)).toBe(dataIn(whole.text));
    expect(world.controls.faults.list()).toMatchObject([{ hits: 1 }]);
    await eventually(() => world.controls.streams.list()[0]?.state === 'complete');
  });

  it('that does not end sends nothing, and its client may leave', async () => {
    const world = await startWorld();
    const image = 'registry.local/web:v1';
    const body = { name: 'web', project_name: 'web', ecr_image_uri: image };
    const { id } = (await call(world, 'POST', '/api/v1/containers', body)).body.data;
    await world.controls.clock.advance('1m');
    world.controls.faults.add({ match: { operation: 'containers.streamLogs' }, effect: { network: 'buffer' } });
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${world.apiKey}` };
    const path = `${world.url}/api/v1/containers/${id}/logs/stream`;
    const asked = fetch(path, { headers, signal: leaving.signal });
    await eventually(() => world.controls.streams.list().length === 1);
    await world.controls.clock.advance('10m');
    expect(world.controls.streams.list()).toMatchObject([{ state: 'open', events: 0 }]);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await eventually(() => world.controls.streams.list()[0]?.state === 'aborted');
  });

  it('is the only thing that the fault concerns', async () => {
    const world = await startWorld();
    world.controls.faults.add({ match: { operation: 'chat.completions' }, effect: { network: 'buffer' } });
    const answer = await call(world, 'POST', '/api/v1/chat/completions', { ...chat, stream: false });
    expect([answer.status, answer.headers.get('x-emulator-fault')]).toEqual([200, null]);
    expect(answer.headers.get('x-emulator-warning')).toContain('the response is no stream');
    expect(world.controls.faults.list()).toMatchObject([{ hits: 0 }]);
    const { faults } = world.controls;
    expect(() => faults.add({ effect: { network: 'buffer', status: 503 } })).toThrow(/effect.network concerns streams/);
    expect(() => faults.add({ phase: 'before', effect: { network: 'buffer' } })).toThrow(/phase must be after/);
    const delayed = { 'x-emulator-fault': JSON.stringify({ effect: { network: 'buffer', delay: 1 } }) };
    expect((await call(world, 'GET', '/api/v1/containers', undefined, delayed)).body.success).toBe(true);
  });
});

it.each(sampleOf(streams, 3))('%s breaks off after as many events as a fault says', async (operation, ask) => {
  const world = await startWorld();
  const [path, body] = await ask(world);
  world.controls.replies.add({ text: 'Hello yourself', chunkSize: 1 });
  world.controls.faults.add({
    match: { operation },
    phase: 'partial',
    effect: { network: 'truncate', afterEvents: 2 },
  });
  await expect(call(world, 'POST', path, body)).rejects.toThrow();
  await eventually(() => world.controls.streams.list()[0]?.state === 'lost');
  expect(world.controls.streams.list()).toMatchObject([{ events: 2 }]);
});
