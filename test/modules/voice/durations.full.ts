// Durations of audio in all containers and many encodings, as this machine's tools make it: those that ffprobe tells.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { inspectAudio } from '../../../src/modules/voice/audio/inspect.js';
import { tempDir } from '../../support/command.js';
import { itNeeds, runTool } from '../../support/tools.js';

const it = itNeeds('ffmpeg', 'ffprobe', 'sox', 'espeak-ng');
const dir = tempDir();
const at = (name: string): string => join(dir, name);
const ffmpeg = (...args: string[]): Promise<unknown> => runTool('ffmpeg', ['-v', 'error', '-y', ...args]);

/** Milliseconds as ffprobe tells them. */
async function probed(path: string): Promise<number> {
  const { stdout } = await runTool('ffprobe', [
    '-v',
    'error',
    '-show_entries',
    'format=duration',
    '-of',
    'csv=p=0',
    path,
  ]);
  return Number(stdout) * 1_000;
}

/** Milliseconds of what a player plays. */
async function played(path: string): Promise<number> {
  await ffmpeg('-i', path, '-ac', '1', '-ar', '48000', '-f', 's16le', at('played.raw'));
  return readFileSync(at('played.raw')).length / 96;
}

async function told(path: string): Promise<number | string> {
  const audio = await inspectAudio(path);
  return 'problem' in audio ? audio.problem : audio.durationMs;
}

const speech = at('speech.wav');

beforeAll(async () => {
  mkdirSync(dir, { recursive: true });
  const text = 'The quick brown fox jumps over the lazy dog, and the dog sleeps on until the evening.';
  await runTool('espeak-ng', ['-w', speech, text]).catch(() => undefined);
});

const encodings: [name: string, ...args: string[]][] = [
  ['pcm16.wav'],
  ['pcm8.wav', '-c:a', 'pcm_u8'],
  ['pcm24.wav', '-c:a', 'pcm_s24le'],
  ['pcm32.wav', '-c:a', 'pcm_s32le'],
  ['float.wav', '-c:a', 'pcm_f32le'],
  ['double.wav', '-c:a', 'pcm_f64le'],
  ['alaw.wav', '-c:a', 'pcm_alaw'],
  ['mulaw.wav', '-c:a', 'pcm_mulaw', '-ar', '8000'],
  ['stereo.wav', '-ac', '2', '-ar', '48000'],
  ['surround.wav', '-ac', '6'],
  ['ima.wav', '-c:a', 'adpcm_ima_wav'],
  ['ms.wav', '-c:a', 'adpcm_ms'],
  ['g722.wav', '-c:a', 'g722', '-ar', '16000'],
  ['g726.wav', '-c:a', 'g726', '-ar', '8000', '-ac', '1', '-b:a', '32k'],
  ['mp3.wav', '-c:a', 'libmp3lame'],
  ['aac.wav', '-c:a', 'aac'],
  ['flac.wav', '-c:a', 'flac', '-strict', '-2'],
  ['rf64.wav', '-rf64', 'always'],
  ['bw64.wav', '-rf64', 'always'],
  ['cbr64.mp3', '-b:a', '64k'],
  ['cbr128.mp3', '-b:a', '128k', '-ar', '44100'],
  ['vbr.mp3', '-q:a', '4'],
  ['vbr48.mp3', '-q:a', '2', '-ar', '48000', '-ac', '2'],
  ['low.mp3', '-ar', '8000', '-b:a', '8k'],
  ['mid.mp3', '-ar', '16000', '-b:a', '24k'],
  ['plain.mp3', '-write_xing', '0', '-id3v2_version', '0', '-b:a', '64k'],
  ['tagged.mp3', '-metadata', 'title=A title', '-b:a', '96k', '-write_id3v1', '1'],
  ['layer2.mp3', '-c:a', 'mp2', '-f', 'mp2', '-ar', '44100'],
  ['vorbis.ogg', '-c:a', 'libvorbis'],
  ['vorbis48.ogg', '-c:a', 'libvorbis', '-ar', '48000', '-ac', '2'],
  ['opus.ogg', '-c:a', 'libopus'],
  ['opus16.ogg', '-c:a', 'libopus', '-ar', '16000', '-b:a', '16k'],
  ['flac.ogg', '-c:a', 'flac'],
  ['speex.ogg', '-c:a', 'libspeex', '-ar', '16000', '-ac', '1'],
  ['opus.webm', '-c:a', 'libopus'],
  ['vorbis.webm', '-c:a', 'libvorbis'],
  ['stereo.webm', '-c:a', 'libopus', '-ac', '2', '-ar', '48000'],
  ['aac.m4a', '-c:a', 'aac'],
  ['aac44.m4a', '-c:a', 'aac', '-ar', '44100', '-ac', '2'],
  ['alac.m4a', '-c:a', 'alac'],
  ['fast.m4a', '-c:a', 'aac', '-movflags', '+faststart'],
  ['fragmented.m4a', '-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov'],
  ['aac.mp4', '-c:a', 'aac', '-f', 'mp4'],
  ['16.flac', '-c:a', 'flac'],
  ['24.flac', '-c:a', 'flac', '-sample_fmt', 's32'],
  ['fast.flac', '-c:a', 'flac', '-compression_level', '0', '-ar', '44100', '-ac', '2'],
  ['best.flac', '-c:a', 'flac', '-compression_level', '12'],
  ['tagged.flac', '-c:a', 'flac', '-metadata', 'title=A title'],
];

const bySox: [name: string, ...args: string[]][] = [
  ['sox.wav'],
  ['sox8.wav', '-r', '8000', '-b', '8'],
  ['sox24.wav', '-b', '24', '-r', '48000'],
  ['soxfloat.wav', '-e', 'floating-point', '-b', '32'],
  ['soxmulaw.wav', '-e', 'mu-law', '-r', '8000'],
  ['soxima.wav', '-e', 'ima-adpcm'],
  ['soxms.wav', '-e', 'ms-adpcm'],
  ['soxgsm.wav', '-e', 'gsm-full-rate', '-r', '8000', '-c', '1'],
  ['sox.flac'],
  ['sox.ogg'],
  ['sox2.ogg', '-C', '8', '-c', '2'],
  ['sox16.flac', '-r', '16000', '-C', '0'],
];

describe('the duration of', () => {
  it.each(encodings)('%s', async (name, ...args) => {
    await ffmpeg('-i', speech, ...args, at(name));
    if (name === 'bw64.wav')
      writeFileSync(at(name), Buffer.concat([Buffer.from('BW64'), readFileSync(at(name)).subarray(4)]));
    expect(Math.abs(((await told(at(name))) as number) - (await probed(at(name))))).toBeLessThan(20);
  });

  it.each(bySox)('%s', async (name, ...args) => {
    await runTool('sox', [speech, ...args, at(name)]);
    expect(Math.abs(((await told(at(name))) as number) - (await probed(at(name))))).toBeLessThan(20);
  });

  // A file that is piped has no size or duration in its header.
  it.each([
    ['piped.wav', 'wav'],
    ['piped.flac', 'flac', '-c:a', 'flac'],
    ['piped.mp3', 'mp3', '-b:a', '64k'],
    ['piped.ogg', 'ogg', '-c:a', 'libopus'],
    ['piped.webm', 'webm', '-c:a', 'libopus'],
  ])('%s', async (name, format, ...args) => {
    const script = `ffmpeg -v error -y -i "$0" "\${@:3}" -f "$2" - > "$1"`;
    await runTool('bash', ['-c', script, speech, at(name), format, ...args]);
    expect(Math.abs(((await told(at(name))) as number) - (await played(at(name))))).toBeLessThan(30);
  });
});

describe('what players play of', () => {
  it('an MP3 file that begins within a frame', async () => {
    await ffmpeg('-i', speech, '-b:a', '64k', at('whole.mp3'));
    const whole = readFileSync(at('whole.mp3'));
    for (const cut of [1_000, 16_000, 16_001, 20_777]) {
      writeFileSync(at('part.mp3'), whole.subarray(cut));
      // A decoder leaves out a frame or two whose beginning is missing.
      expect(Math.abs(((await told(at('part.mp3'))) as number) - (await played(at('part.mp3'))))).toBeLessThan(100);
    }
  });

  it.each([
    ['ogg', 'libvorbis'],
    ['ogg', 'libopus'],
    ['webm', 'libopus'],
  ])('%s files of %s that were joined', async (ending, codec) => {
    const one = at(`one.${ending}`);
    await ffmpeg('-i', speech, '-c:a', codec, one);
    const alone = (await told(one)) as number;
    writeFileSync(at(`two.${ending}`), Buffer.concat([readFileSync(one), readFileSync(one)]));
    expect(await told(at(`two.${ending}`))).toBeCloseTo(2 * alone, 3);
  });
});
