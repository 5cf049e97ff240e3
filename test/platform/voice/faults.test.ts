// Faults on answers that are files.

import { request } from 'node:http';
import { expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { startEmulator } from '../../support/emulator.js';
import { base, sarah, say } from '../../support/voice.js';

/** The part of an answer that came before it ended, and how it ended. */
function receive(emulator: Emulator): Promise<{ length: number; content: Buffer; end: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port: emulator.port,
      path: `${base}/tts`,
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.apiKey}` },
    });
    sent.on('error', reject).on('response', (res) => {
      const chunks: Buffer[] = [];
      const done = (end: string) => () =>
        resolve({ length: Number(res.headers['content-length']), content: Buffer.concat(chunks), end });
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', done('end')).on('error', done('error'));
    });
    sent.end(JSON.stringify({ text: 'Hello, world', voiceId: sarah }));
  });
}

it.each([
  ['truncate', 'error', 0.5],
  ['malformed', 'end', 0.5],
  ['drip', 'end', 1],
] as const)('the fault %s works on bytes as on texts', async (network, end, share) => {
  const emulator = await startEmulator();
  const { audio } = await say(emulator, 'Hello, world');
  emulator.controls.faults.add({
    match: { operation: 'voice.tts' },
    when: { times: 1 },
    phase: 'after',
    effect: { network, ...(network === 'drip' && { delay: '200ms' }) },
  });
  const got = await receive(emulator);
  const part = audio.subarray(0, Math.floor(audio.length * share));
  expect(got.end).toBe(end);
  expect(got.content.equals(part)).toBe(true);
  expect(got.length).toBe(network === 'malformed' ? part.length : audio.length);
  const [, entry] = emulator.controls.requests.list().requests;
  expect(entry?.responseBody).toMatch(/^<audio\/mpeg, \d+ bytes>$/);
  // The operation happened all the same.
  expect(emulator.controls.ledger().filter(({ operation }) => operation === 'voice.tts')).toHaveLength(2);
});

it('a fault sends half a file where a connection breaks in the middle', async () => {
  const emulator = await startEmulator();
  emulator.controls.faults.add({ match: { operation: 'voice.tts' }, phase: 'partial', effect: { network: 'close' } });
  const got = await receive(emulator);
  expect(got.end).toBe('error');
  expect(got.content.length).toBe(Math.floor(got.length / 2));
});
