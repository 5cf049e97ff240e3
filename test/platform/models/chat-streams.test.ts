// Streams of chat in time: virtual and wall time, leaving clients, and what is charged for what was produced.

import { describe, expect, it } from 'vitest';
import { createEmulator } from '../../../src/index.js';
import { itFull } from '../../support/campaign.js';
import { ask, creditsOf, openChat } from '../../support/chat.js';
import { call, startEmulator, startWorld } from '../../support/emulator.js';
import { eventually } from '../../support/eventually.js';

const words = 'One two three four';
// 9 tokens of question (each message has 4 of its own), 4 of answer; a thousand tokens cost a credit.
const prices = { inputTokens: 1, outputTokens: 1 };
const priced = { prices, models: { maxTokens: 100 } };
const model = 'plain';

describe('virtual time', () => {
  it('brings each chunk at its instant, and a jump all that were due', async () => {
    const world = await startWorld();
    world.controls.replies.add({ text: words, firstDelay: '2s', delay: '1s' });
    const chat = await openChat(world, 'Count');
    await world.controls.clock.advance('1999ms');
    expect(chat.contents).toEqual([]);
    await world.controls.clock.advance('1ms');
    await chat.until(1);
    await world.controls.clock.advance('2s');
    await chat.until(3);
    expect(chat.contents).toEqual(['One', ' two', ' three']);
    await world.controls.clock.advance('1h');
    expect(await chat.ended).toBe('whole');
    expect(chat.text().endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('lets a response that is not streamed come when all of it is there', async () => {
    const world = await startWorld();
    world.controls.replies.add({ text: words, firstDelay: '2s', delay: '1s' });
    let answered = false;
    const asked = ask(world, 'Count').finally(() => (answered = true));
    // The most that it may cost is reserved when it begins.
    await eventually(() => creditsOf(world) < 1_000);
    await world.controls.clock.advance('4s');
    await world.controls.await({ operation: 'keys.list', count: 1, timeout: '20ms' }).catch(() => {});
    expect(answered).toBe(false);
    await world.controls.clock.advance('1s');
    expect((await asked).body.choices[0].message.content).toBe(words);
  });
});

it('a stream comes in wall time though the clock stands, where that is asked for', async () => {
  const world = await startWorld();
  world.controls.replies.add({ text: words, firstDelay: 30, delay: 10, clock: 'wall' });
  const startedAt = performance.now();
  const chat = await openChat(world, 'Count');
  expect(await chat.ended).toBe('whole');
  expect(performance.now() - startedAt).toBeGreaterThan(55);
  expect(chat.contents).toHaveLength(4);
});

itFull(
  'a hundred streams run at once: those of the wall end, the others when time moves, and none is left',
  async () => {
    const world = await startWorld();
    const { controls } = world;
    const before = creditsOf(world);
    controls.replies.add({ model: 'wall', text: words, delay: 5, clock: 'wall', times: 50 });
    controls.replies.add({ model: 'virtual', text: words, delay: '10s', times: 50 });
    const open = (named: string) =>
      Promise.all(Array.from({ length: 50 }, () => openChat(world, 'Count', { model: named })));
    const [wall, virtual] = await Promise.all([open('wall'), open('virtual')]);
    expect(new Set(await Promise.all(wall.map(({ ended }) => ended)))).toEqual(new Set(['whole']));
    await Promise.all(virtual.map((chat) => chat.until(1)));
    await controls.clock.advance('15s');
    await Promise.all(virtual.map((chat) => chat.until(2)));
    expect(new Set(virtual.map(({ contents }) => contents.length))).toEqual(new Set([2]));
    for (const chat of virtual.slice(0, 10)) chat.leave();
    await controls.clock.advance('15s');
    const ends = await Promise.all(virtual.map(({ ended }) => ended));
    expect(ends.filter((end) => end === 'whole')).toHaveLength(40);
    expect(controls.replies.list()).toEqual([]);
    // Ninety whole answers and ten halves, of a price that is known.
    const charged = controls.ledger().filter(({ operation }) => operation === 'chat.completions');
    const sum = charged.reduce((total, { amount }) => total + amount, 0);
    expect(creditsOf(world)).toBeCloseTo(before + sum, 6);
    await eventually(() => controls.ledger().filter(({ reason }) => reason.endsWith('not used')).length === 100);
  },
);

describe('what is charged', () => {
  it('is what was used, after more had been reserved', async () => {
    const world = await startWorld(priced);
    world.controls.replies.add({ text: words, delay: '1s' });
    const chat = await openChat(world, 'Count', { model });
    await chat.until(1);
    expect(creditsOf(world)).toBeCloseTo(1_000 - 0.105, 9);
    await world.controls.clock.advance('3s');
    await chat.ended;
    expect(creditsOf(world)).toBeCloseTo(1_000 - 0.009, 9);
    expect(world.controls.ledger().slice(1)).toMatchObject([
      { type: 'charge', amount: -0.105, reason: 'Chat completion', operation: 'chat.completions' },
      { type: 'refund', amount: 0.096, reason: 'Chat completion: not used' },
    ]);
  });

  it('is known when the last bytes come', async () => {
    const world = await startWorld(priced);
    world.controls.replies.add({ text: words });
    await ask(world, 'Count', { model, stream: true });
    expect(creditsOf(world)).toBeCloseTo(1_000 - 0.009, 9);
  });

  it('is what had come when the client left', async () => {
    const world = await startWorld(priced);
    world.controls.replies.add({ text: words, delay: '1s' });
    const chat = await openChat(world, 'Count', { model });
    await world.controls.clock.advance('1s');
    await chat.until(2);
    chat.leave();
    await eventually(() => creditsOf(world) > 999.95);
    expect(creditsOf(world)).toBeCloseTo(1_000 - 0.007, 9);
    await world.controls.clock.advance('1h');
    expect(creditsOf(world)).toBeCloseTo(1_000 - 0.007, 9);
    expect(world.controls.ledger()).toHaveLength(3);
  });

  it('is what was produced when the client of a response that is not streamed left', async () => {
    const world = await startWorld(priced);
    world.controls.replies.add({ text: words, delay: '1s' });
    const abort = new AbortController();
    const headers = { authorization: `Bearer ${world.apiKey}` };
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Count' }] });
    const asked = world.fetch('/api/v1/chat/completions', { method: 'POST', headers, body, signal: abort.signal });
    asked.catch(() => {});
    await eventually(() => creditsOf(world) < 999.9);
    await world.controls.clock.advance('1s');
    abort.abort();
    await expect(asked).rejects.toThrow();
    await eventually(() => creditsOf(world) > 999.95);
    expect(creditsOf(world)).toBeCloseTo(1_000 - 0.007, 9);
  });

  it('has to be covered at its most, before the first byte', async () => {
    const world = await startWorld(priced);
    world.controls.organizations.credits(world.organizationId, { set: 0.104 });
    for (const stream of [true, false]) {
      const answer = await ask(world, 'Count', { model, stream });
      expect([answer.status, answer.body.error.code, answer.body.error.type]).toEqual([
        402,
        'INSUFFICIENT_CREDITS',
        'insufficient_quota',
      ]);
      expect(answer.body).toMatchObject({ requiredCredits: 0.105, creditsRemaining: 0.104, x402Version: 1 });
    }
    expect((await ask(world, 'Count', { model, stream: true, max_tokens: 99 })).status).toBe(200);
  });

  it('is nothing for an error in the place of a response, and what came before one in the middle', async () => {
    const world = await startWorld(priced);
    world.controls.replies.add({ error: 'GENERATION_FAILED' });
    world.controls.replies.add({ text: words, error: { after: 2 } });
    expect((await ask(world, 'Count', { model, stream: true })).status).toBe(500);
    expect(creditsOf(world)).toBe(1_000);
    const broken = await ask(world, 'Count', { model, stream: true });
    expect(broken.text).toMatch(/data: \{"error":\{"message":"The model failed to answer".*\}\n\n$/);
    expect(broken.text).not.toContain('[DONE]');
    expect(creditsOf(world)).toBeCloseTo(1_000 - 0.007, 9);
  });
});

describe('a stream that stalls', () => {
  it('sends nothing more, and is settled when the client leaves', async () => {
    const world = await startWorld(priced);
    world.controls.replies.add({ text: words, stallAfter: 2 });
    const chat = await openChat(world, 'Count', { model });
    await chat.until(2);
    await world.controls.clock.advance('1h');
    expect(chat.contents).toHaveLength(2);
    chat.leave();
    await eventually(() => creditsOf(world) > 999.95);
    expect(creditsOf(world)).toBeCloseTo(1_000 - 0.007, 9);
  });

  it('does not keep the emulator from ending', async () => {
    const world = await createEmulator({ seed: 'test' });
    world.controls.replies.add({ text: words, stallAfter: 1, times: 2 });
    const chat = await openChat(world, 'Count');
    const whole = ask(world, 'Count').catch(() => undefined);
    await chat.until(1);
    await world.close();
    expect(await chat.ended).toBeDefined();
    await whole;
  });
});

it('a reply with malformedAt cuts a chunk in half', async () => {
  const world = await startWorld();
  world.controls.replies.add({ text: words, malformedAt: 2 });
  const answer = await ask(world, 'Count', { stream: true });
  const chunks = answer.text.split('\n\n').filter((block) => block !== '' && block !== 'data: [DONE]');
  const readable = chunks.map((block) => {
    try {
      return JSON.parse(block.slice('data: '.length)) !== null;
    } catch {
      return false;
    }
  });
  expect(readable).toEqual([true, true, false, true, true, true]);
});

it('a stream holds nothing but its events', async () => {
  const world = await startWorld();
  const answer = await ask(world, 'ping', { stream: true });
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(answer.text.split('\n\n').every((block) => block === '' || block.startsWith('data: '))).toBe(true);
});

describe('when all data are replaced', () => {
  it('open streams end with an error, and the reservations in a snapshot return', async () => {
    const world = await startWorld(priced);
    const { controls } = world;
    controls.replies.add({ text: words, delay: '1s', times: 2 });
    const chat = await openChat(world, 'Count', { model });
    await chat.until(1);
    controls.snapshots.take({ name: 'during' });
    expect(creditsOf(world)).toBeCloseTo(1_000 - 0.105, 9);
    await controls.snapshots.restore('during');
    expect(await chat.ended).toBe('whole');
    expect(chat.text()).toContain('SERVICE_UNAVAILABLE');
    expect(chat.text()).not.toContain('[DONE]');
    expect(creditsOf(world)).toBe(1_000);
    expect(controls.ledger().at(-1)).toMatchObject({ type: 'refund', reason: 'Chat completion: never ended' });
    // The ordered replies are in the snapshot, too.
    expect(controls.replies.list()).toMatchObject([{ times: 1 }]);
    await controls.clock.advance('1h');
    expect(controls.ledger()).toHaveLength(3);
  });

  it('a response that is not streamed is refused', async () => {
    const world = await startWorld(priced);
    world.controls.replies.add({ text: words, firstDelay: '1s' });
    const asked = ask(world, 'Count', { model });
    await eventually(() => creditsOf(world) < 1_000);
    await world.controls.reset();
    const answer = await asked;
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '0']);
    expect(creditsOf(world)).toBe(1_000);
  });
});

it('the journal records a stream with how it ended', async () => {
  const world = await startWorld();
  await ask(world, 'ping', { stream: true });
  const { requests } = world.controls.requests.list({ operation: 'chat.completions' });
  expect(requests).toMatchObject([{ status: 200, outcome: 'streaming' }]);
  expect((await call(world, 'GET', '/_emulator/verdicts')).body.fail).toBe(0);
});

it('a response whose world is deleted says that the world ends, not the emulator', async () => {
  const emulator = await startEmulator();
  const world = await emulator.createWorld({ id: 'short' });
  world.controls.replies.add({ text: words, firstDelay: '1h' });
  const asked = ask(world, 'Count');
  await eventually(() => creditsOf(world) < 1_000);
  emulator.controls.worlds.drop('short');
  const { status, body } = await asked;
  expect([status, body.error.message]).toEqual([503, 'The world ends, and with it this answer']);
});
