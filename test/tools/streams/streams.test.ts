// Streams as people see them: what was sent so far, while it is sent, and how each ended.

import { expect, it } from 'vitest';
import type { OpenedStream } from '../../../src/tools/streams/control.js';
import { type Platform, startWorld } from '../../support/emulator.js';

const ask = (world: Platform, signal?: AbortSignal): Promise<Response> =>
  world.fetch('/api/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }], stream: true }),
    ...(signal !== undefined && { signal }),
  });

const latest = (world: Platform): OpenedStream | undefined => world.controls.streams.list()[0];

it('a stream is recorded piece by piece, then to its end', async () => {
  const world = await startWorld();
  world.controls.replies.add({ text: 'One two three', firstDelay: '2s', delay: '1s' });
  const response = await ask(world);
  expect(latest(world)).toMatchObject({ state: 'open', operation: 'chat.completions', endedAt: null });
  expect(latest(world)?.text).not.toContain('One');
  await world.controls.clock.advance('3s');
  expect(latest(world)?.text).toBe('One two');
  expect(latest(world)?.lastAt).toBe('2026-01-01T00:00:03.000Z');
  await world.controls.clock.advance('10s');
  await response.text();
  await expect.poll(() => latest(world)?.state).toBe('complete');
  const { requestId = '' } = latest(world) ?? {};
  expect(world.controls.streams.list({ request: requestId })).toMatchObject([{ text: 'One two three' }]);
});

it('the record of a stream says that the client, or a fault, has broken it off', async () => {
  const world = await startWorld();
  world.controls.replies.add({ text: 'One two three', delay: '1s' });
  const leave = new AbortController();
  await ask(world, leave.signal);
  leave.abort();
  await expect.poll(() => latest(world)?.state).toBe('aborted');
  world.controls.faults.add({ match: { operation: 'chat.*' }, effect: { network: 'truncate' } });
  const response = await ask(world);
  await response.text().catch(() => '');
  await expect.poll(() => latest(world)?.state).toBe('lost');
});

it('the record of a stream shows no secret, also where it comes in pieces', async () => {
  const world = await startWorld();
  world.controls.replies.add({ text: `Use ${world.apiKey} now`, chunkSize: 1 });
  await (await ask(world)).text();
  expect(latest(world)?.text).toMatch(/^Use .*\*+ now$/);
  expect(JSON.stringify(world.controls.streams.list())).not.toContain(world.apiKey.slice(0, 20));
});

it('a stream is listed with the end of its text while it is open, and with the beginning afterwards', async () => {
  const world = await startWorld();
  world.controls.replies.add({ text: `Begin ${'word '.repeat(100)}end`, delay: '1s' });
  const response = await ask(world);
  await world.controls.clock.advance('90s');
  expect(latest(world)?.text).toMatch(/^(?!Begin).{300}$/);
  await world.controls.clock.advance('10m');
  await response.text();
  await expect.poll(() => latest(world)?.text).toMatch(/^Begin .{294}$/);
});
