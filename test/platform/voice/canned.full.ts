// Audio files of the user's own in the place of made-up speech.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createEmulator } from '../../../src/index.js';
import { tempDir } from '../../support/command.js';
import { call, startWorld } from '../../support/emulator.js';
import { adam, clone, sample, sarah, say } from '../../support/voice.js';

const dir = tempDir();

const file = (name: string, content: Buffer): string => {
  writeFileSync(join(dir, name), content);
  return join(dir, name);
};

it('canned speech comes from the first file that matches text, voice and model', async () => {
  const [byText, byRegex, byVoice, byModel] = ['voice.mp3', 'voice.ogg', 'voice.wav', 'voice.flac'].map((name) =>
    file(name, sample(name)),
  ) as [string, string, string, string];
  const world = await startWorld({
    voice: {
      cloning: { timing: 'instant' },
      speech: [
        { match: { text: 'Welcome*' }, file: byText },
        { match: { text: '/^(bye|farewell)/i', voice: 'Sar*' }, file: byRegex },
        { match: { voice: 'Ada' }, file: byVoice },
        { match: { model: 'eleven_v3' }, file: byModel },
      ],
    },
  });
  const said = async (text: string, fields: Record<string, string> = {}) => {
    const { audio, headers } = await say(world, text, fields);
    expect(headers.get('content-length')).toBe(String(audio.length));
    return [headers.get('content-type'), audio] as const;
  };
  expect(await said('Welcome back')).toEqual(['audio/mpeg', sample('voice.mp3')]);
  expect(await said('Bye!')).toEqual(['audio/ogg', sample('voice.ogg')]);
  const { id } = (await clone(world)).body;
  expect(await said('Bye!', { voiceId: id })).toEqual(['audio/wav', sample('voice.wav')]);
  expect(await said('Else', { modelId: 'eleven_v3' })).toEqual(['audio/flac', sample('voice.flac')]);
  const [type, made] = await said('Bye!', { voiceId: adam });
  expect([type, made.toString('latin1', 0, 3)]).toEqual(['audio/mpeg', 'ID3']);
  // Charged like all speech.
  expect(world.controls.ledger().filter(({ operation }) => operation === 'voice.tts')).toHaveLength(5);
});

it('speech is made up when a canned file has gone, and says so', async () => {
  const path = file('gone.mp3', sample('voice.mp3'));
  const world = await startWorld({ voice: { speech: [{ file: path }] } });
  rmSync(path);
  const { headers } = await say(world, 'Hello');
  expect(decodeURIComponent(headers.get('x-emulator-warning') ?? '')).toContain(`${path}: there is no such file`);
});

it.each([
  [{ speech: [{ file: '/nowhere/a.mp3' }] }, /voice\.speech\[0\]\.file.*no such file/],
  [{ speech: [{ match: { text: '/(?=a)b/' }, file: 'x' }] }, /voice\.speech\[0\]\.match\.text.*cannot be used/],
  [{ speech: [{ match: { model: 'eleven_v9' }, file: 'x' }] }, /voice\.speech\[0\]\.match\.model/],
  [{ cloning: { timing: 'slow' } }, /voice\.cloning\.timing/],
  [{ cloning: { failure: 'audio' } }, /voice\.cloning\.failure/],
  [{ transcripts: [{ match: { sha256: 'x' }, text: '' }] }, /voice\.transcripts\[0\]\.match\.sha256/],
])('settings of voice that make no sense are refused: %j', async (voice, message) => {
  await expect(createEmulator({ voice } as never)).rejects.toThrow(message);
});

it.each(['v1', 'Elevenlabs', 'a/b', ''])(
  'the settings refuse %j as the name of the voice provider',
  async (legacyVoiceProvider) => {
    await expect(createEmulator({ service: { legacyVoiceProvider } })).rejects.toThrow(/legacyVoiceProvider/);
  },
);

it('the settings name the usual voice and model', async () => {
  const world = await startWorld({ voice: { defaultVoice: sarah, defaultModel: 'eleven_v3' } });
  const answer = await call(world, 'POST', '/api/v1/voice/tts', { text: 'Hello' });
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('e\0l\0e\0v\0e\0n\0_\0v\x003');
});
