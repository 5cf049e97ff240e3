// Talking to a hosted agent: JSON-RPC, streams, conversations; what its answers are, and what they cost.

import { describe, expect, it } from 'vitest';
import { type Answer, call, type Platform, startWorld } from '../../support/emulator.js';
import { callWith } from '../../support/keys.js';

const at = (agentId: string, path: string): string => `/api/v1/eliza/agents/${agentId}/${path}`;
const agentIn = (world: Platform, tier: 'shared' | 'dedicated-always' = 'shared'): string =>
  world.controls.hostedAgents.create({ name: 'Ada', tier }).id;
const bridge = (world: Platform, agentId: string, method: string, params?: object): Promise<Answer> =>
  call(world, 'POST', at(agentId, 'bridge'), { jsonrpc: '2.0', id: 7, method, params });
const creditsOf = (world: Platform): number => world.controls.organizations.list()[0]?.credits ?? 0;

/** The events of a stream: their types, and their data. */
function eventsOf({ text }: Answer): [type: string | undefined, data: any][] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => [/^event: (.*)$/m.exec(block)?.[1], JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null')]);
}

describe('the bridge', () => {
  it('answers a message with a reply, and charges it as a chat completion', async () => {
    const world = await startWorld();
    const agentId = agentIn(world);
    world.controls.replies.add({ model: 'Ada', text: 'Hello yourself' });
    const before = creditsOf(world);
    const { status, body } = await bridge(world, agentId, 'message.send', { text: 'Hello', mode: 'power' });
    expect([status, body]).toEqual([
      200,
      { jsonrpc: '2.0', id: 7, result: { text: 'Hello yourself', agentName: 'Ada', messageId: expect.any(String) } },
    ]);
    const [charge] = world.controls.ledger().slice(-1);
    expect(charge).toMatchObject({ type: 'charge', reason: 'Message to an agent', operation: 'hostedAgents.bridge' });
    expect(creditsOf(world)).toBeCloseTo(before + (charge?.amount ?? 0), 9);
    const chat = { model: 'unheard-of', messages: [{ role: 'user', content: 'Hello' }] };
    world.controls.replies.add('Hello yourself');
    await call(world, 'POST', '/api/v1/chat/completions', chat);
    expect(world.controls.ledger().at(-1)?.amount).toBe(charge?.amount);
  });

  it('says who it is when nobody has set a reply', async () => {
    const world = await startWorld();
    const { text } = (await bridge(world, agentIn(world), 'message.send', { text: 'Hello' })).body.result;
    expect(text).toContain('I am Ada');
    expect(text).toContain('You said "Hello" to Ada.');
  });

  it('answers heartbeat and status.get, and refuses what it does not know', async () => {
    const world = await startWorld();
    const agentId = agentIn(world);
    const resultOf = async (method: string, params?: object) => (await bridge(world, agentId, method, params)).body;
    expect((await resultOf('heartbeat')).result).toEqual({ status: 'ok', timestamp: Date.parse('2026-01-01') });
    expect((await resultOf('status.get')).result).toEqual({ state: 'running', agentName: 'Ada', canRespond: true });
    expect((await resultOf('message.read')).error.code).toBe(-32_601);
    const { error } = await resultOf('message.send', { text: '' });
    expect([error.code, error.message]).toEqual([-32_602, 'Invalid params: params.text must not be empty, got ""']);
    expect((await resultOf('message.send')).error.message).toContain('params.text is required');
  });

  it('remembers a room', async () => {
    const world = await startWorld();
    const agentId = agentIn(world);
    world.controls.replies.add({ text: 'First' });
    const first = await bridge(world, agentId, 'message.send', { text: 'One', roomId: 'lobby' });
    expect(first.body.result).toMatchObject({ text: 'First', roomId: 'lobby' });
    await bridge(world, agentId, 'message.send', { text: 'Two', roomId: 'lobby' });
    await bridge(world, agentId, 'message.send', { text: 'Alone' });
    const { conversations } = (await call(world, 'GET', at(agentId, 'api/conversations'))).body;
    expect(conversations).toMatchObject([{ title: 'lobby', roomId: 'lobby' }]);
    const path = at(agentId, `api/conversations/${conversations[0].id}/messages`);
    const { messages } = (await call(world, 'GET', path)).body;
    expect(messages.map(({ role, text }: any) => [role, text.slice(0, 5)])).toEqual([
      ['user', 'One'],
      ['assistant', 'First'],
      ['user', 'Two'],
      ['assistant', 'I am '],
    ]);
  });

  it('tells that a dedicated agent does not run', async () => {
    const world = await startWorld();
    const agentId = agentIn(world, 'dedicated-always');
    expect((await bridge(world, agentId, 'heartbeat')).body.result.status).toBe('ok');
    world.controls.hostedAgents.set(agentId, { status: 'stopped' });
    const why = 'Agent is not running: it is stopped';
    for (const method of ['heartbeat', 'message.send'])
      expect((await bridge(world, agentId, method, { text: 'Hello' })).body.error).toEqual({
        code: -32_000,
        message: why,
      });
    const rest = await call(world, 'GET', at(agentId, 'api/health'));
    expect([rest.status, rest.body.error.message]).toEqual([409, why]);
  });

  it('keeps nothing and takes nothing when the credits do not suffice', async () => {
    const world = await startWorld();
    const agentId = agentIn(world);
    world.controls.organizations.credits(world.organizationId, { set: 0 });
    const refused = await bridge(world, agentId, 'message.send', { text: 'Hello', roomId: 'lobby' });
    expect([refused.status, refused.body.error.code]).toEqual([402, 'INSUFFICIENT_CREDITS']);
    expect((await call(world, 'GET', at(agentId, 'api/conversations'))).body.conversations).toEqual([]);
  });
});

describe('a stream', () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'message.send', params: { text: 'Hello', roomId: 'lobby' } };

  it('sends chunks and the whole', async () => {
    const world = await startWorld();
    world.controls.replies.add({ text: 'Hello yourself', chunkSize: 1 });
    const answer = await call(world, 'POST', at(agentIn(world), 'stream'), body);
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const events = eventsOf(answer);
    expect(events.map(([type]) => type)).toEqual([...events.slice(1).map(() => 'chunk'), 'done']);
    const chunks = events.slice(0, -1).map(([, data]) => data);
    expect(chunks.map(({ chunk }) => chunk).join('')).toBe('Hello yourself');
    expect(chunks.every(({ chunk, text, timestamp }) => chunk === text && timestamp > 0)).toBe(true);
    expect(events.at(-1)).toEqual(['done', { messageId: chunks[0].messageId, text: 'Hello yourself' }]);
  });

  it('ends with an error event where a reply orders one', async () => {
    const world = await startWorld();
    const error = { code: 'GENERATION_FAILED', message: 'Lost the thread', after: 1 } as const;
    world.controls.replies.add({ text: 'Hello yourself', chunkSize: 1, error });
    const events = eventsOf(await call(world, 'POST', at(agentIn(world), 'stream'), body));
    expect(events.at(-1)).toEqual(['error', { message: 'Lost the thread' }]);
  });

  it.each([
    { ...body, method: 'heartbeat' },
    { ...body, params: {} },
    { ...body, params: undefined },
  ])('is refused for %j', async (wrong) => {
    const world = await startWorld();
    expect((await call(world, 'POST', at(agentIn(world), 'stream'), wrong)).status).toBe(400);
  });
});

describe('a conversation', () => {
  it('is begun, continued and shown', async () => {
    const world = await startWorld();
    const agentId = agentIn(world);
    const begun = await call(world, 'POST', at(agentId, 'api/conversations'), { title: 'Plans' });
    const { conversation } = begun.body;
    expect(conversation).toEqual({
      id: expect.any(String),
      title: 'Plans',
      roomId: expect.any(String),
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
    });
    const path = at(agentId, `api/conversations/${conversation.id}/messages`);
    await world.controls.clock.advance('1s');
    world.controls.replies.add({ text: 'Hello yourself' });
    expect((await call(world, 'POST', path, { text: 'Hello' })).body).toEqual({
      text: 'Hello yourself',
      agentName: 'Ada',
    });
    world.controls.replies.add({ text: 'Bye' });
    const events = eventsOf(await call(world, 'POST', `${path}/stream`, { text: 'Bye' }));
    expect(events.at(-1)?.[1].text).toBe('Bye');
    const { messages } = (await call(world, 'GET', path)).body;
    expect(messages.map(({ text }: any) => text)).toEqual(['Hello', 'Hello yourself', 'Bye', 'Bye']);
    expect(messages.at(-1).id).toBe(events.at(-1)?.[1].messageId);
    const { conversations } = (await call(world, 'GET', at(agentId, 'api/conversations'))).body;
    expect(conversations).toMatchObject([{ updatedAt: '2026-01-01T00:00:01.000Z' }]);
  });

  it('needs a text, an agent and a conversation of the organization', async () => {
    const world = await startWorld();
    const agentId = agentIn(world);
    const { conversation } = (await call(world, 'POST', at(agentId, 'api/conversations'))).body;
    expect(conversation.title).toBe('New conversation');
    const path = at(agentId, `api/conversations/${conversation.id}/messages`);
    const empty = await call(world, 'POST', path, {});
    expect([empty.status, empty.body.error.message]).toEqual([400, 'Invalid request data: text is required']);
    expect((await call(world, 'GET', at(agentId, 'api/conversations/none/messages'))).status).toBe(404);
    expect((await call(world, 'GET', at(agentIn(world), `api/conversations/${conversation.id}/messages`))).status).toBe(
      404,
    );
    const { apiKey } = world.controls.organizations.create();
    expect((await callWith(world, apiKey, 'GET', path)).status).toBe(404);
  });

  it('keeps its last 200 messages', async () => {
    const world = await startWorld();
    const agentId = agentIn(world);
    const { conversation } = (await call(world, 'POST', at(agentId, 'api/conversations'))).body;
    const path = at(agentId, `api/conversations/${conversation.id}/messages`);
    for (let i = 0; i <= 100; i++) await call(world, 'POST', path, { text: `${i}` });
    const { messages } = (await call(world, 'GET', path)).body;
    expect([messages.length, messages[0].text]).toEqual([200, '1']);
  });
});

it('a fixture answers by the agent’s name and the turn', async () => {
  const world = await startWorld({
    replies: { fixtures: [{ match: { model: 'Ada', turn: 2 }, reply: 'Again?' }] },
  });
  const agentId = agentIn(world);
  const say = async (): Promise<string> =>
    (await bridge(world, agentId, 'message.send', { text: 'Hello', roomId: 'lobby' })).body.result.text;
  expect(await say()).toContain('I am Ada');
  expect(await say()).toBe('Again?');
});
