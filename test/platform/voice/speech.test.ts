// Text to speech: an answer that is a file, and what it costs.

import { expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';
import { adam, base, hear, sarah, say } from '../../support/voice.js';

const frameMs = (1_152 * 1_000) / 44_100;

it('speech is an MP3 file with its exact length', async () => {
  const world = await startWorld();
  const { audio, headers } = await say(world, 'Hello, world');
  expect(headers.get('content-type')).toBe('audio/mpeg');
  expect(headers.get('content-length')).toBe(String(audio.length));
  expect(headers.get('transfer-encoding')).toBeNull();
  expect(audio.toString('latin1', 0, 3)).toBe('ID3');
});

it.each(['x', 'Hello, world', 'Wort '.repeat(100), 'ü'.repeat(5_000)])(
  'speech lasts a fifteenth of a second for each character, to the frame (%#)',
  async (text) => {
    const world = await startWorld();
    const { audio } = await say(world, text);
    const { body } = await hear(world, audio);
    const expected = Math.max(8 * frameMs, ([...text].length * 1_000) / 15);
    expect(Math.abs(body.duration_ms - expected)).toBeLessThanOrEqual(frameMs);
  },
);

it.each([
  'Hello, world',
  'Grüße aus 東京 😀 – «naïve» ﷽ e\u0301\u200d\u0000x',
  'line\r\none\n\ttwo',
  '<script>alert(1)</script> & "quotes"',
  `${'a long story '.repeat(384)}END`,
])('speech can be heard again, word for word (%#)', async (text) => {
  const world = await startWorld();
  const { audio } = await say(world, text);
  const { status, body } = await hear(world, audio, 'unknown.bin');
  expect([status, body.transcript]).toEqual([200, text]);
});

it('speech sounds otherwise in another voice, and the same in the same', async () => {
  const world = await startWorld();
  const first = await say(world, 'Hello');
  expect((await say(world, 'Hello')).audio.equals(first.audio)).toBe(true);
  const frames = (audio: Buffer): Buffer => audio.subarray(audio.indexOf('Info'));
  expect(frames((await say(world, 'Hello', { voiceId: adam })).audio).equals(frames(first.audio))).toBe(false);
});

it('speech costs a credit for each begun thousand of characters', async () => {
  const world = await startWorld();
  for (const [length, credits] of [
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [5_000, 5],
  ] as const) {
    await say(world, '😀'.repeat(length));
    expect(world.controls.ledger().at(-1)).toMatchObject({
      type: 'charge',
      amount: -credits,
      operation: 'voice.tts',
    });
  }
});

it('speech has prices by model', async () => {
  const world = await startWorld({
    prices: { textToSpeech: 0.12, textToSpeechByModel: { eleven_flash_v2_5: 0.06 } },
  });
  await say(world, 'Hello', { modelId: 'eleven_flash_v2_5' });
  expect(world.controls.ledger().at(-1)?.amount).toBe(-0.06);
  await say(world, 'Hello');
  expect(world.controls.ledger().at(-1)?.amount).toBe(-0.12);
});

it.each([
  [{}, 'text'],
  [{ text: '', voiceId: sarah }, 'text'],
  [{ text: '  \n', voiceId: sarah }, 'text'],
  [{ text: '😀'.repeat(5_001), voiceId: sarah }, 'text'],
  [{ text: 5, voiceId: sarah }, 'text'],
  [{ text: 'x' }, 'voiceId'],
  [{ text: 'x', voiceId: 'nobody' }, 'voiceId'],
  [{ text: 'x', voiceId: '00000000-0000-4000-8000-000000000000' }, 'voiceId'],
  [{ text: 'x', voiceId: sarah, modelId: 'eleven_v9' }, 'modelId'],
  [{ text: 'x', voiceId: sarah, stability: 1.1 }, 'stability'],
  [{ text: 'x', voiceId: sarah, similarity_boost: -0.1 }, 'similarity_boost'],
])('a wrong request for speech is 400 that names the field (%#)', async (body, path) => {
  const world = await startWorld();
  const answer = await call(world, 'POST', `${base}/tts`, body);
  expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(answer.body.error.details[0].path).toBe(path);
  expect(world.controls.ledger()).toHaveLength(1);
});

it('a request for speech with an unknown voice suggests the one that was meant', async () => {
  const world = await startWorld();
  const suggested = async (voiceId: string) =>
    (await call(world, 'POST', `${base}/tts`, { text: 'x', voiceId })).body.error.details[0].suggestion;
  expect(await suggested('sarah')).toBe(sarah);
  expect(await suggested('EXAVITQu4vr4xnSDxMaI')).toBe(sarah);
});

it('speech is kept in the journal by its length, not by its content', async () => {
  const world = await startWorld();
  const { audio } = await say(world, 'Hello');
  expect(world.controls.requests.list().requests[0]?.responseBody).toBe(`<audio/mpeg, ${audio.length} bytes>`);
});
