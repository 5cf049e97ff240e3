// No request to a model causes more work than it says: references, repetitions and long answers are bounded, what is
// read is read once, and long answers leave turns to others.

import { describe, expect, it, vi } from 'vitest';
import { paymentHeader } from '../../../src/testing.js';
import { startMeasured } from '../../campaigns/support/measured.js';
import { ask, model, question } from '../../support/chat.js';
import { type Answer, call, startWorld } from '../../support/emulator.js';
import { requirementOf, wallet } from '../../support/payments.js';

type World = Awaited<ReturnType<typeof startWorld>>;

const respond = (world: World, fields: object): Promise<Answer> =>
  call(world, 'POST', '/api/v1/responses', { model: 'plain', ...fields });
const long = (length: number): string => 'x'.repeat(length);
const reference = (id: string) => ({ type: 'item_reference', id });
const problemOf = ({ body }: Answer) => body.error.details[0];
const refusal = (bound: string) => `asks for too much work: one request may cause at most ${bound}`;

// How often a long text was parsed while something was done.
async function longTextsParsed(act: () => Promise<unknown>): Promise<number> {
  const parse = vi.spyOn(JSON, 'parse');
  try {
    await act();
    return parse.mock.calls.filter(([text]) => String(text).length > 200_000).length;
  } finally {
    parse.mockRestore();
  }
}

describe('what a response takes from earlier ones', () => {
  it('is read once for each of them, however many references name it', async () => {
    const world = await startWorld();
    world.controls.replies.add({ text: long(250_000), toolCalls: [{ name: 'look', arguments: {} }] });
    const { output } = (await respond(world, { input: 'a', max_output_tokens: 100_000 })).body;
    const references = Array.from({ length: 500 }, () => reference(output[1].id));
    const result = { type: 'function_call_output', call_id: output[1].call_id, output: 'seen' };
    let answer: Answer | undefined;
    const parsed = await longTextsParsed(async () => {
      answer = await respond(world, { input: [...references, result] });
    });
    expect(answer?.status).toBe(200);
    expect(parsed).toBe(1);
  });

  it('is bounded by its characters, each time that it is referred to', async () => {
    const world = await startWorld();
    world.controls.replies.add({ text: long(400_000) });
    const { output } = (await respond(world, { input: 'a', max_output_tokens: 100_000 })).body;
    const withReferences = (count: number) =>
      respond(world, { input: Array.from({ length: count }, () => reference(output[0].id)), max_output_tokens: 10 });
    // The response itself, and each of its items.
    expect((await withReferences(18)).status).toBe(200);
    const refused = await withReferences(12_000);
    expect([refused.status, problemOf(refused)]).toEqual([
      400,
      { path: 'input[18]', message: refusal('8,000,000 characters of earlier responses') },
    ]);
  });

  it('is bounded by its items', async () => {
    const world = await startWorld();
    const input = Array.from({ length: 16_000 }, () => ({ role: 'user', content: 'a' }));
    let answer = await respond(world, { input });
    for (let links = 1; links <= 4 && answer.status === 200; links++)
      answer = await respond(world, { input, previous_response_id: answer.body.id });
    expect([answer.status, problemOf(answer)]).toEqual([
      400,
      { path: 'previous_response_id', message: refusal('50,000 items of earlier responses') },
    ]);
  });

  it('is bounded along a chain, too', async () => {
    const world = await startWorld();
    const input = 'x'.repeat(500_000);
    let answer = await respond(world, { input });
    for (let links = 1; links <= 16 && answer.status === 200; links++)
      answer = await respond(world, { input, previous_response_id: answer.body.id });
    expect([answer.status, problemOf(answer)]).toEqual([
      400,
      { path: 'previous_response_id', message: refusal('8,000,000 characters of earlier responses') },
    ]);
  });

  it('is read for the price of who pays with USDC, and once more for the response', async () => {
    const world = await startWorld({ x402: { challengeAnonymous: true } });
    world.controls.replies.add({ text: long(250_000) });
    const { id } = (await respond(world, { input: 'a', max_output_tokens: 100_000 })).body;
    const body = { model: 'plain', input: 'b', previous_response_id: id };
    const requirement = await requirementOf(world, 1, '/api/v1/responses', body);
    const paid = await paymentHeader({ wallet, requirement });
    let answer: Answer | undefined;
    const parsed = await longTextsParsed(async () => {
      answer = await call(world, 'POST', '/api/v1/responses', body, paid);
    });
    expect([answer?.status, answer?.headers.has('x-payment-response')]).toEqual([200, true]);
    expect(parsed).toBe(2);
  });
});

describe('answers', () => {
  it.each([false, true])('are bounded in characters together, streamed: %s', async (stream) => {
    const world = await startWorld();
    world.controls.replies.add({ text: ' '.repeat(10_000), times: 2 });
    const options = { stream, model: 'plain', max_tokens: 100_000 };
    expect((await ask(world, 'a', { ...options, n: 100 })).status).toBe(200);
    const refused = await ask(world, 'a', { ...options, n: 101 });
    expect([refused.status, problemOf(refused)]).toEqual([
      400,
      { path: 'n', message: refusal('1,000,000 characters of answers') },
    ]);
  });

  it.each([false, true])('are bounded in tokens together, streamed: %s', async (stream) => {
    const world = await startWorld();
    world.controls.replies.add({ text: '漢'.repeat(6_000), times: 2 });
    const options = { stream, model: 'plain', n: 100 };
    const refused = await ask(world, 'a', { ...options, max_tokens: 5_001 });
    expect([refused.status, problemOf(refused)]).toEqual([
      400,
      { path: 'n', message: refusal('500,000 tokens of answers') },
    ]);
    expect((await ask(world, 'a', { ...options, max_tokens: 500 })).status).toBe(200);
  });

  it('leave their ordered reply for the next request where they are refused', async () => {
    const world = await startWorld();
    world.controls.replies.add({ text: 'x'.repeat(10_000) });
    expect((await ask(world, 'a', { n: 128 })).status).toBe(400);
    expect((await ask(world, 'a')).body.choices[0].message.content).toHaveLength(10_000);
  });

  const streamed: [path: string, body: object][] = [
    ['/api/v1/chat/completions', question('a', { model: 'plain', n: 100, max_tokens: 4_000, stream: true })],
    ['/api/v1/responses', { model: 'plain', input: 'a', max_output_tokens: 400_000, stream: true }],
    [
      '/api/v1/messages',
      { model: 'plain', messages: [{ role: 'user', content: 'a' }], max_tokens: 400_000, stream: true },
    ],
  ];
  it.each(streamed)('of %s that are long leave turns to others while they are sent', async (path, body) => {
    const process = await startMeasured({ rateLimits: { enabled: false } });
    try {
      const asked = await process.open();
      const { url, apiKey, controls } = asked.emulator;
      const text = 'word '.repeat('n' in body ? 600 : 60_000);
      await controls.replies.add({ text });
      const headers = { authorization: `Bearer ${apiKey}` };
      const streamed = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      let isOver = false;
      const whole = streamed.text().finally(() => (isOver = true));
      let inBetween = 0;
      while (!isOver) {
        const health = await fetch(`${url}/api/v1/models/gpt-4o`);
        expect(health.status).toBe(200);
        if (!isOver) inBetween++;
      }
      expect((await whole).length).toBeGreaterThan(5_000_000);
      expect(inBetween).toBeGreaterThan(5);
      await asked.close();
    } finally {
      await process.close();
    }
  });
});

describe('stop texts', () => {
  it.each([
    ['five', ['1', '2', '3', '4', '5'], { path: 'stop', message: 'must have at most 4 entries' }],
    ['one that is too long', 'x'.repeat(1_001), { path: 'stop', message: expect.stringContaining('1000 characters') }],
    ['one of several', ['x'.repeat(1_001)], { path: 'stop[0]', message: 'must be at most 1000 characters long' }],
  ])('are refused, as at OpenAI: %s', async (_, stop, problem) => {
    const world = await startWorld();
    const answer = await ask(world, 'a', { stop });
    expect([answer.status, problemOf(answer)]).toEqual([400, expect.objectContaining(problem)]);
  });

  it('of the greatest length end a response', async () => {
    const world = await startWorld();
    const stop = `${'a'.repeat(999)}b`;
    world.controls.replies.add({ text: `${'a'.repeat(50_000)}b and more` });
    const answer = await ask(world, 'a', { model, stop, max_tokens: 100_000 });
    expect(answer.body.choices[0].message.content).toBe('a'.repeat(50_000 - 999));
  });
});

describe('stop sequences of messages', () => {
  it('are bounded in number, and the most of them are looked for in time that grows with the text only', async () => {
    const world = await startWorld();
    world.controls.replies.add({ text: 'a'.repeat(1_000_000), times: 2 });
    const send = (count: number) =>
      call(world, 'POST', '/api/v1/messages', {
        model: 'plain',
        messages: [{ role: 'user', content: 'a' }],
        max_tokens: 200_000,
        stop_sequences: Array.from({ length: count }, (_, i) => `${'a'.repeat(990)}${i + 10}`),
      });
    const most = await send(16);
    expect([most.status, most.body.stop_reason, most.body.content[0].text.length]).toEqual([
      200,
      'end_turn',
      1_000_000,
    ]);
    const refused = await send(17);
    expect([refused.status, problemOf(refused)]).toEqual([
      400,
      expect.objectContaining({ path: 'stop_sequences', message: 'must have at most 16 entries' }),
    ]);
  });
});

describe('pictures', () => {
  it('are bounded by the pixels of all of them', async () => {
    const world = await startWorld();
    const draw = (n: number) =>
      call(world, 'POST', '/api/v1/images/generations', { prompt: 'x', n, size: '4096x4096', response_format: 'url' });
    expect((await draw(4)).status).toBe(200);
    const refused = await draw(5);
    expect([refused.status, problemOf(refused)]).toEqual([400, { path: 'n', message: refusal('67,108,864 pixels') }]);
  });
});
