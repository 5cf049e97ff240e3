// Durations of audio in all containers and many encodings, as this machine's tools make it: those of the samples that FFmpeg
// decodes of the first sound, within 20 ms.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { inspectAudio } from '../../../src/platform/voice/audio/inspect.js';
import { tempDir } from '../../support/command.js';
import { itNeeds, runTool } from '../../support/tools.js';

const it = itNeeds('ffmpeg', 'ffprobe', 'sox', 'espeak-ng', 'opusenc', 'mkvmerge');
const dir = tempDir();
const at = (name: string): string => join(dir, name);
const ffmpeg = (...args: string[]): Promise<unknown> => runTool('ffmpeg', ['-v', 'error', '-y', ...args]);

/** What FFmpeg writes and does not read again as a whole: of these the number of samples in the header counts. */
const byHeader = ['mp3.wav', 'aac.wav'];

/** Milliseconds of the samples that are decoded of the first sound. */
async function decoded(path: string): Promise<number> {
  const raw = at('decoded.raw');
  const probe = [
    '-v',
    'error',
    '-select_streams',
    'a:0',
    '-show_entries',
    'stream=sample_rate',
    '-of',
    'csv=p=0',
    path,
  ];
  const { stdout } = await runTool('ffprobe', probe);
  if (byHeader.some((name) => path === at(name))) return headerMs(path);
  // What is cut ends in an error, after what was decoded.
  const kept = ['-map', '0:a:0', '-ac', '1', '-f', 's16le', raw];
  await runTool('ffmpeg', ['-v', 'quiet', '-y', '-i', path, ...kept]).catch(() => undefined);
  return (readFileSync(raw).length * 500) / Number.parseInt(stdout, 10);
}

async function headerMs(path: string): Promise<number> {
  const asked = ['-show_entries', 'format=duration', '-of', 'csv=p=0'];
  return Number((await runTool('ffprobe', ['-v', 'error', ...asked, path])).stdout) * 1_000;
}

async function expectDecoded(name: string): Promise<void> {
  const [ms, expected] = [await told(at(name)), await decoded(at(name))];
  expect({ ms, expected }).toEqual({ ms: expect.any(Number), expected: expect.any(Number) });
  expect(Math.abs((ms as number) - expected), `${name}: ${ms} of ${expected} ms`).toBeLessThanOrEqual(20);
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
  writeFileSync(at('subtitles.srt'), '1\n00:00:01,000 --> 00:00:25,000\nHello\n');
  const synth = ['synth', '40.5', 'pinknoise', 'gain', '-12'];
  await runTool('sox', ['-n', '-r', '48000', '-c', '1', '-b', '16', at('long.wav'), ...synth]).catch(() => undefined);
  const pictures = ['-f', 'lavfi', '-i', 'testsrc=d=12:s=64x64:r=10'];
  await ffmpeg(...pictures, '-c:v', 'libx264', '-pix_fmt', 'yuv420p', at('pictures.mp4')).catch(() => undefined);
  await ffmpeg(...pictures, '-frames:v', '1', at('cover.png')).catch(() => undefined);
  await runTool('opusenc', ['--quiet', speech, at('speech.ogg')]).catch(() => undefined);
});

const recordings = readFileSync(new URL('durations.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(/: (.*)/) as [name: string, script: string]);

it.each(recordings)('the duration of %s', async (name, script) => {
  const paths = { SPEECH: speech, LONG: at('long.wav'), PICTURES: at('pictures.mp4'), SUBTITLES: at('subtitles.srt') };
  const assigned = Object.entries(paths).map(([variable, path]) => `${variable}='${path}'`);
  await runTool('bash', ['-ec', `cd '${dir}'; ${assigned.join(' ')}; ff() { ffmpeg -v error -y "$@"; }\n${script}`]);
  await expectDecoded(name);
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
