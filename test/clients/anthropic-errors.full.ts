// Errors of messages as Anthropic's own client meets them: their classes, retries, and streams that break.

import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { anthropicOf, model, question } from '../support/anthropic.js';
import { expectCases, problemText } from '../support/cases.js';
import { call, startWorld } from '../support/emulator.js';
import { eventually } from '../support/eventually.js';

const ask = question('ping');
const thrownBy = (act: Promise<unknown>): Promise<any> => act.then(() => undefined).catch((thrown) => thrown);

describe('an error has its class and its type', () => {
  it.each([
    ['CONTENT_POLICY', Anthropic.BadRequestError, 400, 'invalid_request_error'],
    ['CONTEXT_LENGTH', Anthropic.BadRequestError, 400, 'invalid_request_error'],
    ['RATE_LIMITED', Anthropic.RateLimitError, 429, 'rate_limit_error'],
    ['GENERATION_FAILED', Anthropic.InternalServerError, 500, 'api_error'],
    ['INTERNAL_ERROR', Anthropic.InternalServerError, 500, 'api_error'],
    ['MODEL_UNAVAILABLE', Anthropic.APIError, 503, 'overloaded_error'],
    ['SERVICE_UNAVAILABLE', Anthropic.APIError, 503, 'api_error'],
  ] as const)('that a reply orders: %s', async (code, type, status, word) => {
    const world = await startWorld();
    world.controls.replies.add({ error: { code, message: 'boom' } });
    const error = await thrownBy(anthropicOf(world).messages.create(ask));
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ status, type: word, error: { type: 'error', error: { message: 'boom', code } } });
    expect(error.requestID).toMatch(/^req_/);
    expect(error.error.request_id).toBe(error.requestID);
  });

  it.each([
    ['a bad key', 401, 'authentication_error'],
    ['a key for other things', 403, 'permission_error'],
    ['no credits', 402, 'billing_error'],
    ['too many requests', 429, 'rate_limit_error'],
    ['an unknown model', 404, 'not_found_error'],
    ['a wrong field', 400, 'invalid_request_error'],
    ['a large body', 413, 'request_too_large'],
  ])('that comes before the answer: %s', async (what, status, type) => {
    for (const profile of ['spec', 'elizacloud-v1']) {
      const world = await startWorld({
        profile,
        auth: { enforcePermissions: true },
        models: { unknown: 'refuse' },
        server: { maxBody: 2_048 },
      });
      const { keys, organizations, limits } = world.controls;
      if (what === 'too many requests') limits.exhaust({ feature: 'chat', retryAfter: 1 });
      const apiKeys: Record<string, () => string> = {
        'a bad key': () => 'none',
        'a key for other things': () => keys.create({ permissions: ['voice'] }).apiKey,
        'no credits': () => organizations.create({ credits: 0 }).apiKey,
      };
      const wrong: Record<string, object> = {
        'an unknown model': { model: 'claude-0' },
        'a wrong field': { temperature: 3 },
        'a large body': { system: 'x'.repeat(3_000) },
      };
      const apiKey = apiKeys[what]?.() ?? world.apiKey;
      const error = await thrownBy(anthropicOf(world, { apiKey }).messages.create({ ...ask, ...wrong[what] }));
      expect([profile, error.status, error.type]).toEqual([profile, status, type]);
      expect(error.error.type).toBe('error');
      expect(error.error.error.message).toMatch(/^[A-Zm]/);
      expect(error.requestID).toMatch(/^req_/);
    }
  });

  it('names a model that is not there in the words of the platform', async () => {
    const world = await startWorld({ models: { unknown: 'refuse' } });
    const asked = anthropicOf(world).messages.create({ ...ask, model: 'claude-haiku-4-6' });
    await expect(asked).rejects.toThrow(
      /model 'claude-haiku-4-6' is not available on this deployment.*claude-haiku-4-5/,
    );
  });
});

it('a request is refused with the field that is wrong, as in messages-refused.txt', async () => {
  const world = await startWorld();
  const without = await call(world, 'POST', '/api/v1/messages', { ...ask, max_tokens: undefined });
  expect([without.status, without.body.error.details[0].path]).toEqual([400, 'max_tokens']);
  await expectCases('clients/messages-refused.txt', async ([fields = '']) => {
    const answer = await call(world, 'POST', '/api/v1/messages', { ...ask, ...JSON.parse(fields) });
    expect([answer.status, answer.body.error?.type], fields).toEqual([400, 'invalid_request_error']);
    expect(answer.body.error.message).toContain(answer.body.error.details[0].path);
    return answer.body.error.details.map(problemText);
  });
});

describe('a request is accepted with', () => {
  const use = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} };
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'warm' };
  const mark = { cache_control: { type: 'ephemeral' } };
  it.each<[string, object, string?]>([
    ['an empty begun answer', { messages: [...ask.messages, { role: 'assistant', content: '' }] }],
    [
      'a text after a result',
      {
        messages: [
          ...ask.messages,
          { role: 'assistant', content: [use] },
          { role: 'user', content: [result, { type: 'text', text: 'b' }] },
        ],
      },
    ],
    [
      'four marks for the cache',
      { ...mark, system: Array.from({ length: 3 }, () => ({ type: 'text', text: 'a', ...mark })) },
    ],
    ['a budget below max_tokens', { max_tokens: 2_000, thinking: { type: 'enabled', budget_tokens: 1_999 } }],
    [
      'a budget for many answers',
      { max_tokens: 2_000, thinking: { type: 'enabled', budget_tokens: 4_000 } },
      'interleaved-thinking-2025-05-14',
    ],
  ])('%s', async (_, fields, beta) => {
    const world = await startWorld();
    const headers = beta === undefined ? {} : { 'anthropic-beta': beta };
    const answer = await anthropicOf(world).messages.create({ ...ask, ...fields } as typeof ask, { headers });
    expect(answer.type).toBe('message');
  });
});

describe('retries', () => {
  it.each([
    [429, 'rate_limit_error', Anthropic.RateLimitError],
    [529, 'overloaded_error', Anthropic.OverloadedError],
  ] as const)('wait as Retry-After says: %s by a fault', async (status, type, thrown) => {
    const world = await startWorld();
    const effect = { status, retryAfter: 1 };
    const match = { operation: 'messages.create' };
    world.controls.faults.add({ match, when: { times: 2 }, effect });
    const error = await thrownBy(anthropicOf(world).messages.create(ask));
    expect(error).toBeInstanceOf(thrown);
    expect(error).toMatchObject({
      status,
      type,
      error: { type: 'error', error: { type, message: expect.any(String) } },
    });
    expect(error.headers.get('retry-after')).toBe('1');
    const startedAt = performance.now();
    const answer = await anthropicOf(world, { maxRetries: 2 }).messages.create(ask);
    expect(answer.content).toMatchObject([{ text: 'pong' }]);
    expect(performance.now() - startedAt).toBeGreaterThan(990);
    const statuses = world.controls.requests.list().requests.map((one) => one.status);
    expect(statuses).toEqual([200, status, status]);
  });

  it('wait by themselves for a model that is overloaded', async () => {
    const world = await startWorld();
    world.controls.replies.add({ error: 'MODEL_UNAVAILABLE' });
    const answer = await anthropicOf(world, { maxRetries: 1 }).messages.stream(ask).finalMessage();
    expect(answer.content).toMatchObject([{ text: 'pong' }]);
  });
});

describe('in the middle of a stream', () => {
  const half = { text: 'One two three', error: { code: 'MODEL_UNAVAILABLE' as const, after: 2, message: 'boom' } };

  it('an error breaks it off', async () => {
    const world = await startWorld();
    world.controls.replies.add({ ...half, times: 2 });
    const { messages } = anthropicOf(world);
    const texts: string[] = [];
    const reading = (async () => {
      for await (const event of await messages.create({ ...ask, stream: true }))
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') texts.push(event.delta.text);
    })();
    const error = await thrownBy(reading);
    expect(error).toMatchObject({ type: 'overloaded_error', error: { error: { message: 'boom' } } });
    expect(texts).toEqual(['One', ' two']);
    await expect(messages.stream(ask).finalMessage()).rejects.toThrow('boom');
  });

  it.each(['reset', 'close'] as const)('a fault cuts it: %s', async (network) => {
    const world = await startWorld();
    world.controls.replies.add({ text: 'One two three' });
    const match = { operation: 'messages.create' };
    world.controls.faults.add({ match, phase: 'partial', effect: { network, afterEvents: 4 } });
    const types: string[] = [];
    const reading = (async () => {
      for await (const { type } of await anthropicOf(world).messages.create({ ...ask, stream: true })) types.push(type);
    })();
    expect(await thrownBy(reading)).toBeInstanceOf(Error);
    // The client passes over the ping.
    expect(types).toEqual(['message_start', 'content_block_start', 'content_block_delta']);
  });

  it('a chunk that is cut cannot be read', async () => {
    const world = await startWorld();
    world.controls.replies.add({ text: 'One two', malformedAt: 2 });
    const stream = await anthropicOf(world, { logLevel: 'off' }).messages.create({ ...ask, stream: true });
    const reading = (async () => {
      for await (const _ of stream);
    })();
    expect(await thrownBy(reading)).toBeInstanceOf(SyntaxError);
  });

  it('a client that aborts is charged for what it has had', async () => {
    const world = await startWorld();
    world.controls.replies.add({ text: 'One two three four', delay: '1s' });
    const stream = await anthropicOf(world).messages.create({ ...ask, model: 'gpt-4o-mini', stream: true });
    const texts: string[] = [];
    for await (const event of stream) {
      if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') continue;
      texts.push(event.delta.text);
      if (texts.length === 1) void world.controls.clock.advance('1s');
      if (texts.length === 2) break;
    }
    await eventually(() => world.controls.ledger().length === 3);
    expect(world.controls.ledger().at(-1)?.priceRule).toBe(
      'gpt-4o-mini: 5 tokens × 0.00015/1,000 + 2 tokens × 0.0006/1,000',
    );
  });

  it('the first token may be delayed for long', async () => {
    const world = await startWorld();
    world.controls.replies.add({ firstDelay: '1m', times: 2 });
    const impatient = anthropicOf(world, { timeout: 200 });
    await expect(impatient.messages.create(ask)).rejects.toBeInstanceOf(Anthropic.APIConnectionTimeoutError);
    const stream = await anthropicOf(world).messages.create({ ...ask, stream: true });
    const iterator = stream[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toMatchObject({ type: 'message_start' });
    const second = iterator.next();
    await world.controls.clock.advance('1m');
    expect((await second).value).toMatchObject({ type: 'content_block_start' });
  });
});

it('the header request-id stands on every answer, also in the flat style', async () => {
  const world = await startWorld({ errors: { style: 'flat' } });
  const body = { ...ask, stream: true };
  for (const answer of [
    await call(world, 'POST', '/api/v1/messages', body),
    await call(world, 'POST', '/api/v1/messages', { model }),
    await call(world, 'POST', '/api/v1/messages', ask, { authorization: '' }),
  ]) {
    const id = answer.headers.get('request-id');
    expect(id).toBe(answer.headers.get('x-request-id'));
    if (answer.status >= 400)
      expect(answer.body).toMatchObject({
        type: 'error',
        error: { type: expect.stringMatching(/_error$/), message: expect.any(String) },
        request_id: id,
      });
  }
});
