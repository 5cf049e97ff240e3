// Errors of models as openai's own client meets them: their classes, retries, and streams that break.

import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { call, startWorld } from '../support/emulator.js';
import { eventually } from '../support/eventually.js';
import { openaiOf } from '../support/openai.js';

const model = 'gpt-4o-mini';
const messages = [{ role: 'user' as const, content: 'ping' }];
const ask = { model, messages };

describe('an error has its class, its code and its type', () => {
  it.each([
    ['CONTENT_POLICY', OpenAI.BadRequestError, 400, 'invalid_request_error'],
    ['CONTEXT_LENGTH', OpenAI.BadRequestError, 400, 'invalid_request_error'],
    ['RATE_LIMITED', OpenAI.RateLimitError, 429, 'rate_limit_error'],
    ['GENERATION_FAILED', OpenAI.InternalServerError, 500, 'server_error'],
    ['INTERNAL_ERROR', OpenAI.InternalServerError, 500, 'server_error'],
    ['MODEL_UNAVAILABLE', OpenAI.InternalServerError, 503, 'server_error'],
    ['SERVICE_UNAVAILABLE', OpenAI.InternalServerError, 503, 'server_error'],
  ] as const)('%s', async (code, type, status, word) => {
    const world = await startWorld();
    world.controls.replies.add({ error: { code, message: 'boom' }, times: 2 });
    const client = openaiOf(world);
    const asks = [() => client.chat.completions.create(ask), () => client.responses.create({ model, input: 'ping' })];
    for (const create of asks) {
      const error = await create().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(type);
      expect(error).toMatchObject({ status, code, type: word, message: `${status} boom`, param: null });
      expect((error as InstanceType<typeof OpenAI.APIError>).requestID).toMatch(/^req_/);
    }
    expect(world.controls.replies.list()).toEqual([]);
  });

  it.each([
    ['a bad key', 401, 'authentication_error'],
    ['a key for other things', 403, 'permission_error'],
    ['no credits', 402, 'insufficient_quota'],
  ])('%s', async (what, status, type) => {
    for (const profile of ['spec', 'elizacloud-v1']) {
      const world = await startWorld({ profile, auth: { enforcePermissions: true } });
      const { keys, organizations } = world.controls;
      const key =
        what === 'a bad key'
          ? 'none'
          : what === 'no credits'
            ? organizations.create({ credits: 0 })
            : keys.create({ permissions: ['voice'] });
      const apiKey = typeof key === 'string' ? key : key.apiKey;
      const error: any = await openaiOf(world, { apiKey })
        .chat.completions.create(ask)
        .catch((thrown) => thrown);
      expect([profile, error.status, error.type]).toEqual([profile, status, type]);
      expect(error.message).toMatch(/^\d{3} [A-Z]/);
      expect(error.error.message).toBeTypeOf('string');
    }
  });

  it('names the parameter that is wrong', async () => {
    const world = await startWorld();
    const error: any = await openaiOf(world)
      .chat.completions.create({ ...ask, temperature: 3 })
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ status: 400, param: 'temperature', type: 'invalid_request_error' });
  });

  it('receives an error for an empty list of tools, or of calls', async () => {
    const { completions } = openaiOf(await startWorld()).chat;
    const refused = { status: 400, type: 'invalid_request_error' };
    await expect(completions.create({ ...ask, tools: [] })).rejects.toMatchObject({ ...refused, param: 'tools' });
    const messages = [...ask.messages, { role: 'assistant' as const, content: 'a', tool_calls: [] }];
    const param = 'messages[1].tool_calls';
    await expect(completions.create({ ...ask, messages })).rejects.toMatchObject({ ...refused, param });
  });

  it.each<{ stream?: false }>([{}, { stream: false }])(
    'receives an error for options of a stream beside %j',
    async (given) => {
      const { completions } = openaiOf(await startWorld()).chat;
      const refused = completions.create({ ...ask, ...given, stream_options: { include_usage: true } });
      await expect(refused).rejects.toMatchObject({
        status: 400,
        param: 'stream_options',
        type: 'invalid_request_error',
        message: expect.stringContaining('stream_options is only allowed where stream is true'),
      });
      expect((await completions.create({ ...ask, ...given, stream_options: null })).choices).toHaveLength(1);
      const { responses } = openaiOf(await startWorld());
      const asked = { model: ask.model, input: 'Hello', ...given };
      await expect(responses.create({ ...asked, stream_options: {} })).rejects.toMatchObject({
        status: 400,
        param: 'stream_options',
        message: expect.stringContaining('stream_options is only allowed where stream is true'),
      });
      expect((await responses.create({ ...asked, stream_options: null })).status).toBe('completed');
      const streamed = {
        model: ask.model,
        input: 'Hello',
        stream: true,
        stream_options: { include_obfuscation: false },
      };
      expect((await call(await startWorld(), 'POST', '/api/v1/responses', streamed)).status).toBe(200);
    },
  );

  it('receives a 404 for an unknown model, if the settings say so', async () => {
    const world = await startWorld({ models: { unknown: 'refuse' } });
    const asked = openaiOf(world).chat.completions.create({ ...ask, model: 'gpt-4o-mnii' });
    await expect(asked).rejects.toThrow('404 The model "gpt-4o-mnii" does not exist, did you mean gpt-4o-mini?');
  });

  it('receives an error for a conversation that is too long', async () => {
    const world = await startWorld({ models: { catalogue: { tiny: { contextWindow: 50 } } } });
    const { completions } = openaiOf(world).chat;
    const content = 'word '.repeat(60);
    const asked = completions.create({ model: 'tiny', messages: [{ role: 'user', content }] });
    await expect(asked).rejects.toMatchObject({ status: 400, code: 'CONTEXT_LENGTH' });
    const short = await completions.create({
      model: 'tiny',
      messages: [{ role: 'user', content: 'word '.repeat(40) }],
    });
    expect(short.choices[0]?.finish_reason).toBe('length');
  });
});

describe('retries', () => {
  it('wait as Retry-After says', async () => {
    const world = await startWorld();
    world.controls.replies.add({ error: { code: 'RATE_LIMITED', retryAfter: 1 } });
    const startedAt = performance.now();
    const answer = await openaiOf(world, { maxRetries: 2 }).chat.completions.create(ask);
    expect(answer.choices[0]?.message.content).toBe('pong');
    expect(performance.now() - startedAt).toBeGreaterThan(990);
  });

  it('succeed when the window of the platform’s own limit is over', async () => {
    const world = await startWorld({ rateLimits: { presets: { RELAXED: { limit: 1, window: '2s' } } } });
    world.controls.clock.resume();
    const client = openaiOf(world, { maxRetries: 3 });
    for (let i = 0; i < 2; i++) await client.chat.completions.create(ask);
    expect(world.controls.requests.list({ status: '429' }).total).toBeGreaterThan(0);
    expect(world.controls.verdicts().verdicts.find(({ rule }) => rule === 'retry-after-obeyed')?.verdict).toBe('pass');
  });

  it('are not made if the wait exceeds a minute: the client gets the error at once', async () => {
    const world = await startWorld();
    world.controls.limits.exhaust({ feature: 'chat', retryAfter: 300 });
    const startedAt = performance.now();
    const asked = openaiOf(world, { maxRetries: 2 }).chat.completions.create(ask);
    await expect(asked).rejects.toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

describe('in the middle of a stream', () => {
  const half = { text: 'One two three', error: { after: 2, message: 'boom' } };

  it('an error breaks it off, as chat', async () => {
    const world = await startWorld();
    world.controls.replies.add({ ...half, times: 2 });
    const { completions } = openaiOf(world).chat;
    const contents: string[] = [];
    const reading = (async () => {
      for await (const chunk of await completions.create({ ...ask, stream: true }))
        contents.push(chunk.choices[0]?.delta.content ?? '');
    })();
    await expect(reading).rejects.toMatchObject({ message: 'boom', code: 'GENERATION_FAILED', type: 'server_error' });
    expect(contents).toEqual(['', 'One', ' two']);
    await expect(completions.stream(ask).finalMessage()).rejects.toThrow('boom');
  });

  it('an error breaks it off, as responses', async () => {
    const world = await startWorld();
    world.controls.replies.add({ ...half, times: 2 });
    const { responses } = openaiOf(world);
    const params = { model, input: 'ping' };
    const types: string[] = [];
    const reading = (async () => {
      for await (const event of await responses.create({ ...params, stream: true })) types.push(event.type);
    })();
    await expect(reading).rejects.toMatchObject({ message: 'boom', code: 'GENERATION_FAILED' });
    expect(types.at(-1)).toBe('response.output_text.delta');
    await expect(responses.stream(params).finalResponse()).rejects.toThrow('boom');
  });

  it('a chunk that is cut cannot be read', async () => {
    const world = await startWorld();
    world.controls.replies.add({ text: 'One two', malformedAt: 2 });
    const stream = await openaiOf(world, { logLevel: 'off' }).chat.completions.create({ ...ask, stream: true });
    const reading = (async () => {
      for await (const _ of stream);
    })();
    await expect(reading).rejects.toBeInstanceOf(SyntaxError);
  });

  it('a client that aborts is charged for what it has had', async () => {
    const world = await startWorld();
    world.controls.replies.add({ text: 'One two three four', delay: '1s' });
    const stream = await openaiOf(world).chat.completions.create({ ...ask, stream: true });
    const ended = world.controls.await({ operation: 'chat.completions', count: 1, timeout: '30s' });
    const contents: string[] = [];
    for await (const chunk of stream) {
      contents.push(chunk.choices[0]?.delta.content ?? '');
      if (contents.length === 2) void world.controls.clock.advance('1s');
      if (contents.length === 3) break;
    }
    await ended;
    await eventually(() => world.controls.ledger().length === 3);
    expect(world.controls.ledger().at(-1)?.priceRule).toBe(
      'gpt-4o-mini: 5 tokens × 0.00015/1,000 + 2 tokens × 0.0006/1,000',
    );
  });

  it('the first token may be delayed for long', async () => {
    const world = await startWorld();
    world.controls.replies.add({ firstDelay: '1m', times: 2 });
    const impatient = openaiOf(world, { timeout: 200 });
    await expect(impatient.chat.completions.create(ask)).rejects.toBeInstanceOf(OpenAI.APIConnectionTimeoutError);
    const stream = await openaiOf(world).chat.completions.create({ ...ask, stream: true });
    const first = stream[Symbol.asyncIterator]().next();
    await world.controls.clock.advance('1m');
    expect((await first).value?.choices[0]?.delta.role).toBe('assistant');
  });
});

it('openai’s client works in a page of another origin: a preflight allows all headers that the client sends', async () => {
  const emulator = await startWorld();
  let sent: string[] = [];
  const client = openaiOf(emulator, {
    dangerouslyAllowBrowser: true,
    fetch: (url, init) => {
      sent = [...new Headers(init?.headers).keys()];
      return fetch(url, init);
    },
  });
  await client.chat.completions.create(ask);
  expect(sent).toContain('x-stainless-lang');
  const asked = [...sent, 'x-emulator-world', 'traceparent'];
  const preflight = await call(emulator, 'OPTIONS', '/api/v1/chat/completions', undefined, {
    origin: 'https://app.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': asked.join(','),
  });
  const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase().split(/, ?/);
  expect(allowed).toEqual(expect.arrayContaining(asked));
});
