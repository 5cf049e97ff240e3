// The gateway relay: an agent that runs elsewhere is connected, polls, answers, and is disconnected; and what goes wrong.

import { describe, expect, it } from 'vitest';
import { tempDir } from '../../support/command.js';
import { type Answer, call, type Platform, startEmulator, startWorld } from '../../support/emulator.js';
import { eventually } from '../../support/eventually.js';
import { callWith } from '../../support/keys.js';

const base = '/api/v1/eliza/gateway-relay/sessions';

const register = async (world: Platform, fields: object = {}): Promise<any> =>
  (await call(world, 'POST', base, { runtimeAgentId: 'ada', agentName: 'Ada', ...fields })).body.data.session;
const next = (world: Platform, id: string, timeoutMs = 25_000): Promise<Answer> =>
  call(world, 'GET', `${base}/${id}/next?timeoutMs=${timeoutMs}`);
const respond = (world: Platform, id: string, requestId: string, response: unknown): Promise<Answer> =>
  call(world, 'POST', `${base}/${id}/responses`, { requestId, response });
const close = (world: Platform, id: string): Promise<Answer> => call(world, 'DELETE', `${base}/${id}`);
const hello = { rpc: { method: 'message.send', params: { text: 'Hello' } } };
const answer = { jsonrpc: '2.0', id: 1, result: { text: 'Hi' } };
const requestsOf = (world: Platform) => world.controls.relay.list()[0]?.requests ?? [];

/** A poll that has arrived: it is the last that was heard of the agent. */
async function pollOf<Result>(world: Platform, poll: () => Promise<Result>): Promise<{ answer: Promise<Result> }> {
  await world.controls.clock.advance('1s');
  const { now } = world.controls.clock.get();
  const answer = poll();
  answer.catch(() => {});
  await eventually(() => world.controls.relay.list()[0]?.lastSeenAt === now);
  return { answer };
}

describe('an agent', () => {
  it('is connected, gets a request from its poll, and answers it', async () => {
    const world = await startWorld();
    const session = await register(world);
    expect(session).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organizationId: world.organizationId,
      userId: world.userId,
      runtimeAgentId: 'ada',
      agentName: 'Ada',
      platform: 'local-runtime',
      createdAt: '2026-01-01T00:00:00.000Z',
      lastSeenAt: '2026-01-01T00:00:00.000Z',
    });
    const poll = next(world, session.id);
    const asked = world.controls.relay.ask(session.id, hello);
    const { status, body } = await poll;
    expect(status).toBe(200);
    const { request } = body.data;
    expect(request).toEqual({
      requestId: expect.any(String),
      rpc: { jsonrpc: '2.0', id: request.requestId, method: 'message.send', params: { text: 'Hello' } },
      queuedAt: '2026-01-01T00:00:00.000Z',
    });
    expect((await respond(world, session.id, request.requestId, answer)).body).toEqual({ success: true });
    expect(await asked).toEqual(answer);
    expect((await close(world, session.id)).body).toEqual({ success: true });
    expect((await next(world, session.id)).status).toBe(404);
    expect((await close(world, session.id)).body).toEqual({ success: true });
  });

  it('that has no name, and none to ask it, gets null: at once, or when virtual time has passed', async () => {
    const world = await startWorld();
    const session = await register(world, { agentName: undefined });
    expect(session.agentName).toBeNull();
    expect((await next(world, session.id, 0)).body).toEqual({ success: true, data: { request: null } });
    // The clock is frozen: the wall ends it.
    expect((await next(world, session.id, 5)).body.data.request).toBeNull();
    const { answer: poll } = await pollOf(world, () => next(world, session.id));
    await world.controls.clock.advance('25s');
    expect((await poll).body.data.request).toBeNull();
    expect(world.controls.relay.list()[0]?.lastSeenAt).toBe('2026-01-01T00:00:26.000Z');
  });

  it('gets each request once, the oldest first, whatever number of polls waits', async () => {
    const world = await startWorld();
    const { id } = await register(world);
    const polls = [next(world, id), next(world, id)];
    const asked = [1, 2, 3].map((n) => world.controls.relay.ask(id, { rpc: { id: n, method: 'heartbeat' } }));
    const got = (await Promise.all([...polls, next(world, id)])).map(({ body }) => body.data.request);
    expect(got.map(({ rpc }) => rpc.id).sort()).toEqual([1, 2, 3]);
    expect((await next(world, id, 0)).body.data.request).toBeNull();
    for (const { requestId, rpc } of got) await respond(world, id, requestId, { id: rpc.id, result: rpc.id });
    expect(await Promise.all(asked)).toEqual([1, 2, 3].map((n) => ({ id: n, result: n })));
  });

  it('loses no request with the connection of a poll', async () => {
    const world = await startWorld();
    const { id } = await register(world);
    const asked = world.controls.relay.ask(id, hello);
    world.controls.faults.add({
      match: { operation: 'relay.next' },
      phase: 'after',
      effect: { network: 'reset' },
      when: { times: 1 },
    });
    await expect(next(world, id)).rejects.toThrow();
    const { request } = (await next(world, id)).body.data;
    await respond(world, id, request.requestId, answer);
    expect(await asked).toEqual(answer);
  });

  it('loses no request to a poll that it has given up', async () => {
    const world = await startWorld();
    const { id } = await register(world);
    const giveUp = new AbortController();
    const headers = { authorization: `Bearer ${world.apiKey}` };
    const poll = await pollOf(world, () => world.fetch(`${base}/${id}/next`, { headers, signal: giveUp.signal }));
    giveUp.abort();
    await expect(poll.answer).rejects.toThrow();
    void world.controls.relay.ask(id, hello).catch(() => {});
    expect((await next(world, id)).body.data.request.rpc.method).toBe('message.send');
  });

  it('takes nothing with a HEAD request', async () => {
    const world = await startWorld();
    const { id } = await register(world);
    void world.controls.relay.ask(id, hello).catch(() => {});
    const headers = { authorization: `Bearer ${world.apiKey}` };
    expect((await world.fetch(`${base}/${id}/next`, { method: 'HEAD', headers })).status).toBe(200);
    expect(requestsOf(world).map(({ state }) => state)).toEqual(['queued']);
  });
});

describe('time', () => {
  it('ends a session 90 seconds after the agent was last heard of', async () => {
    const world = await startWorld();
    const { id } = await register(world);
    await world.controls.clock.advance('89s');
    expect((await next(world, id, 0)).status).toBe(200);
    expect(world.controls.relay.list()[0]).toMatchObject({ state: 'open', expiresAt: '2026-01-01T00:02:59.000Z' });
    await world.controls.clock.advance('90s');
    for (const { status, body } of [await next(world, id, 0), await respond(world, id, 'one', answer)])
      expect([status, body.error.message]).toEqual([404, 'Session not found']);
    expect(world.controls.relay.list()[0]).toMatchObject({ state: 'expired' });
    await expect(world.controls.relay.ask(id, hello)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('it expired at 2026-01-01T00:02:59.000Z'),
    });
  });

  it('ends a request after 120 seconds, and the patience of who asks after 30', async () => {
    const world = await startWorld();
    const { id } = await register(world);
    const asked = world.controls.relay.ask(id, hello).catch((error: unknown) => error);
    await world.controls.clock.advance('30s');
    expect(await asked).toMatchObject({
      code: 'REQUEST_TIMEOUT',
      message: 'After 30 s, no poll of the agent has fetched the request',
      options: { details: { requestId: expect.any(String), fetched: false } },
    });
    const { request } = (await next(world, id)).body.data;
    await world.controls.clock.advance('89s');
    expect((await respond(world, id, request.requestId, answer)).status).toBe(200);
    expect(requestsOf(world)).toMatchObject([{ state: 'answered', method: 'message.send', answer }]);
    const again = await respond(world, id, request.requestId, { error: { code: 1, message: 'No' } });
    expect(again.headers.get('x-emulator-warning')).toContain('the first answer counts');
    expect(requestsOf(world)).toMatchObject([{ answer }]);
    await world.controls.clock.advance('1s');
    expect((await respond(world, id, request.requestId, answer)).body.error.message).toContain('Request not found');
    expect(requestsOf(world)).toEqual([]);
  });

  it('tells who asks that the agent has fetched the request and not answered it', async () => {
    const world = await startWorld();
    const { id } = await register(world);
    const asked = world.controls.relay.ask(id, hello).catch((error: unknown) => error);
    await next(world, id);
    await world.controls.clock.advance('30s');
    expect(await asked).toMatchObject({ code: 'REQUEST_TIMEOUT', options: { details: { fetched: true } } });
  });
});

describe('a session', () => {
  it('of another organization is forbidden', async () => {
    const world = await startWorld();
    const { id } = await register(world);
    const { apiKey } = world.controls.organizations.create();
    for (const [method, path, body] of [
      ['GET', `${base}/${id}/next`, undefined],
      ['POST', `${base}/${id}/responses`, { requestId: 'one', response: answer }],
      ['DELETE', `${base}/${id}`, undefined],
    ] as const) {
      const { status, body: told } = await callWith(world, apiKey, method, path, body);
      expect([status, told.error.message]).toEqual([403, 'Forbidden']);
    }
    expect((await next(world, id, 0)).status).toBe(200);
  });

  it('that is closed ends the poll of its agent, and the wait of who asks', async () => {
    const world = await startWorld();
    const { id } = await register(world);
    const asked = world.controls.relay.ask(id, hello).catch((error: unknown) => error);
    await next(world, id);
    const { answer: poll } = await pollOf(world, () => next(world, id));
    await close(world, id);
    expect((await poll).status).toBe(404);
    expect(await asked).toMatchObject({
      code: 'CONFLICT',
      message: 'The session was closed before the agent answered',
    });
  });

  it('is in a snapshot with its requests; a restore ends the polls and waits that are under way', async () => {
    const world = await startWorld();
    const { id } = await register(world);
    const first = world.controls.relay.ask(id, hello).catch((error: unknown) => error);
    world.controls.snapshots.take({ name: 'asked' });
    await next(world, id);
    const { answer: poll } = await pollOf(world, () => next(world, id));
    world.controls.snapshots.restore('asked');
    expect(await first).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect((await poll).status).toBe(503);
    expect((await next(world, id, 0)).body.data.request.rpc.params).toEqual({ text: 'Hello' });
    expect(world.controls.relay.list()).toMatchObject([{ id, state: 'open' }]);
  });

  it('outlasts a restart of the emulator', async () => {
    const dataDir = tempDir();
    const before = await startEmulator({ dataDir });
    const { id } = await register(before);
    const asked = before.controls.relay.ask(id, hello).catch((error: unknown) => error);
    await before.close();
    expect(await asked).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    const after = await startEmulator({ dataDir });
    expect((await next(after, id)).body.data.request.rpc.method).toBe('message.send');
  });

  it('takes twenty requests that are not done', async () => {
    const world = await startWorld();
    const { id } = await register(world);
    for (let i = 0; i < 20; i++) void world.controls.relay.ask(id, hello).catch(() => {});
    await expect(world.controls.relay.ask(id, hello)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('is suggested where its id is mistyped', async () => {
    const world = await startWorld();
    const { id } = await register(world);
    await expect(world.controls.relay.ask(`${id.slice(0, -1)}x`, hello)).rejects.toThrow(`did you mean "${id}"?`);
  });
});

it.each<[string, string, unknown, string]>([
  ['GET', '/next?timeoutMs=25001', undefined, 'query.timeoutMs'],
  ['GET', '/next?timeoutMs=soon', undefined, 'query.timeoutMs'],
  ['POST', '/responses', { requestId: 'one', response: {} }, 'response must have a `result` or an `error`'],
  ['POST', '/responses', { response: answer }, 'requestId'],
])('%s %s with %j is 400 and names the field', async (method, path, body, field) => {
  const world = await startWorld();
  const { id } = await register(world);
  const told = await call(world, method, `${base}/${id}${path}`, body);
  expect([told.status, told.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(told.body.error.message).toContain(field);
});

it.each([{}, { runtimeAgentId: '' }, { runtimeAgentId: 'x'.repeat(201) }, { runtimeAgentId: 'a', agentName: 5 }])(
  'a registration with %j is refused',
  async (body) => {
    const world = await startWorld();
    expect((await call(world, 'POST', base, body)).status).toBe(400);
  },
);
