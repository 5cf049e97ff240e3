// Speech to text: what is heard, how long it lasts, what it costs.

import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';
import { base, formOf, hear, sample } from '../../support/voice.js';

// The samples that FFmpeg decodes of each.
it.each([
  ['voice.mp3', 2_500],
  ['voice.wav', 2_500],
  ['voice.ogg', 2_500],
  ['voice.webm', 2_500],
  ['voice.m4a', 2_560],
  ['voice.flac', 2_500],
  // Without a header that tells the duration.
  ['recorded.webm', 2_500],
  ['fragmented.m4a', 2_624],
])('a transcript says how long %s lasts', async (name, durationMs) => {
  const emulator = await startWorld();
  const { status, body } = await hear(emulator, sample(name), 'whatever.txt');
  expect(status).toBe(200);
  expect(body.duration_ms).toBe(durationMs);
  expect(body.transcript.length).toBeGreaterThan(5);
});

it('a transcript makes up words to the length of other audio, the same for the same file, and says so', async () => {
  const [emulator, again] = [await startWorld(), await startWorld()];
  const { body, headers } = await hear(emulator, sample());
  expect(body.transcript.length).toBeGreaterThan(20);
  expect(body.transcript.length).toBeLessThan(45);
  expect(headers.get('x-emulator-warning')).toContain('voice.transcripts');
  expect((await hear(again, sample())).text).toBe(JSON.stringify(body));
});

it('a transcript holds the text that the settings have for a file, by its name or its bytes', async () => {
  const sha256 = createHash('sha256').update(sample('voice.ogg')).digest('hex');
  const emulator = await startWorld({
    voice: {
      transcripts: [
        { match: { sha256 }, text: 'by its bytes' },
        { match: { name: 'meeting-*.wav' }, text: 'by its name' },
        { match: { name: 'silence.wav' }, text: '' },
      ],
    },
  });
  const heard = async (file: string, name: string) => (await hear(emulator, sample(file), name)).body.transcript;
  expect(await heard('voice.ogg', 'x')).toBe('by its bytes');
  expect(await heard('voice.wav', 'meeting-12.wav')).toBe('by its name');
  expect(await heard('voice.wav', 'silence.wav')).toBe('');
  expect(await heard('voice.wav', 'else.wav')).not.toBe('');
});

it('a transcript costs two credits for each begun minute', async () => {
  const emulator = await startWorld();
  await hear(emulator, sample());
  expect(emulator.controls.ledger().at(-1)).toMatchObject({
    amount: -2,
    operation: 'voice.stt',
    priceRule: 'speech to text 2 per minute x 1',
  });
  await hear(emulator, longWav(60_001));
  expect(emulator.controls.ledger().at(-1)?.amount).toBe(-4);
  await hear(emulator, longWav(60_000));
  expect(emulator.controls.ledger().at(-1)?.amount).toBe(-2);
});

it('a transcript is 402 without the credits for the length of the file', async () => {
  const emulator = await startWorld({ credits: { seeded: 3 } });
  const { status, body } = await hear(emulator, longWav(90_000));
  expect(status).toBe(402);
  expect(body).toMatchObject({ error: { code: 'INSUFFICIENT_CREDITS' }, requiredCredits: 4, creditsRemaining: 3 });
});

it('a transcript takes the language, and reports fields that it does not know', async () => {
  const emulator = await startWorld();
  const form = formOf({ audio: sample(), languageCode: 'en', speed: '2', photo: sample() });
  const answer = await call(emulator, 'POST', `${base}/stt`, form);
  expect(answer.status).toBe(400);
  expect(answer.body.error.message).toContain('at most 1 file');
  const second = await call(
    emulator,
    'POST',
    `${base}/stt`,
    formOf({ audio: sample(), langageCode: 'en', speed: '2' }),
  );
  expect(second.status).toBe(200);
  expect(second.headers.get('x-emulator-warning')).toContain('langageCode, did you mean languageCode?');
});

/** Silence of so many milliseconds: 8 kHz, 8 bits. */
function longWav(ms: number): Buffer {
  const data = Buffer.alloc(ms * 8, 128);
  const header = Buffer.alloc(44);
  header.write('RIFF');
  header.writeUInt32LE(36 + data.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8_000, 24);
  header.writeUInt32LE(8_000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}
