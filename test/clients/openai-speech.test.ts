// Speech as openai’s client asks for it: a real MP3 of the platform's own voices.

import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { call, startWorld } from '../support/emulator.js';
import { formOf } from '../support/voice.js';

const path = '/api/v1/audio/speech';
const input = 'Hello from the lighthouse, Käpt’n';

it('openai’s client generates speech, which speech to text transcribes again', async () => {
  const world = await startWorld();
  const client = new OpenAI({ baseURL: `${world.url}/api/v1`, apiKey: world.apiKey, maxRetries: 0 });
  const response = await client.audio.speech.create({ model: 'tts-1', voice: 'nova', input });
  expect(response.headers.get('content-type')).toBe('audio/mpeg');
  const audio = Buffer.from(await response.arrayBuffer());
  expect(audio.length).toBe(Number(response.headers.get('content-length')));
  const heard = await call(world, 'POST', '/api/v1/voice/stt', formOf({ audio: [audio, 'speech.mp3'] }));
  expect(heard.body.transcript).toBe(input);
  expect(heard.body.duration_ms).toBeGreaterThan(1_500);
  expect(world.controls.ledger().filter(({ operation }) => operation === 'audio.speech')).toMatchObject([
    { amount: -1 },
  ]);
});

it('a request for speech accepts the ids of the platform’s voices, and gives each voice name its pitch', async () => {
  const world = await startWorld();
  const say = async (voice: unknown): Promise<string> => (await call(world, 'POST', path, { input, voice })).text;
  expect(await say('EXAVITQu4vr4xnSDxMaL')).toBe(await say('alloy'));
  expect(await say({ id: 'alloy' })).toBe(await say('alloy'));
  expect(await say('onyx')).not.toBe(await say('alloy'));
});

it.each([
  [{ voice: 'alloy' }, 'input'],
  [{ input: ' ' }, 'input'],
  [{ input: 'x'.repeat(4_097) }, 'input'],
  [{ input, voice: 'nobody' }, 'voice'],
  [{ input, response_format: 'flac' }, 'response_format'],
  [{ input, speed: 5 }, 'speed'],
  [{ input, model: 'gpt-4o' }, 'model'],
])('a request for speech is refused where it is wrong (%#)', async (body, field) => {
  const { status, body: answer } = await call(await startWorld(), 'POST', path, body);
  expect([status, answer.error.details[0].path, answer.error.param]).toEqual([400, field, field]);
});
