// Our audio as real decoders read it, and what they say of the files whose durations we read.

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { inspectAudio } from '../../src/platform/voice/audio/inspect.js';
import { framesOf, speak } from '../../src/platform/voice/mp3/speak.js';
import { tempDir } from '../support/command.js';
import { itNeeds, runTool } from '../support/tools.js';

const texts = {
  short: 'x',
  sentence: 'The quick brown fox jumps over the lazy dog, twice.',
  unicode: 'Grüße aus 東京 😀 – «naïve»\n\u202eright to left\u0000',
  silent: '… !?',
  long: 'A long story, told slowly. '.repeat(186).slice(0, 5_000),
};
const pitches = { low: 2, usual: 6, high: 16 };
const frame = 1_152 / 44_100;

const dir = tempDir();

const files = Object.entries(texts).flatMap(([name, text]) =>
  Object.entries(pitches).map(([voice, pitch]) => ({ path: join(dir, `${name}-${voice}.mp3`), text, pitch })),
);
beforeAll(async () => {
  for (const { path, text, pitch } of files)
    writeFileSync(path, await speak({ text, voice: 'Sarah', model: 'eleven_v3', pitch }));
});

const seconds = (text: string): number => framesOf(text) * frame;

describe.each(files.map((file) => [file.path.slice(dir.length + 1), file] as const))('%s', (_, { path, text }) => {
  itNeeds('mpg123')('is decoded by mpg123 to its end, without a warning', async () => {
    const { stderr } = await runTool('mpg123', ['-t', '--no-control', path]);
    expect(stderr).toContain('Decoding of');
    expect(stderr).toContain('MPEG 1.0 L III cbr128 44100 mono');
    expect(stderr).not.toMatch(/warn|error|illegal|resync|skip|cannot|fail/i);
  });

  itNeeds('ffprobe', 'ffmpeg')('is what FFmpeg expects, and lasts as long as it says, to the frame', async () => {
    const { stdout, stderr } = await runTool('ffprobe', [
      '-v',
      'warning',
      '-show_format',
      '-show_streams',
      '-of',
      'json',
      path,
    ]);
    expect(stderr).toBe('');
    const { format, streams } = JSON.parse(stdout);
    expect(format.format_name).toBe('mp3');
    expect(streams).toMatchObject([{ codec_name: 'mp3', sample_rate: '44100', channels: 1, bit_rate: '128000' }]);
    expect(Math.abs(Number(format.duration) - seconds(text))).toBeLessThan(1e-5);
    const decoded = await runTool('ffmpeg', ['-v', 'warning', '-i', path, '-f', 'null', '-']);
    expect(decoded.stderr).toBe('');
  });

  itNeeds('sox')('is read by SoX without a warning, and is neither clipped nor empty', async () => {
    const { stderr } = await runTool('sox', [path, '-n', 'stat']);
    expect(stderr).not.toMatch(/warn|fail/i);
    const value = (name: string): number => Number(new RegExp(`${name}:?\\s+([\\d.]+)`).exec(stderr)?.[1]);
    expect(Math.abs(value('Length \\(seconds\\)') - seconds(text))).toBeLessThan(frame);
    expect(value('Maximum amplitude')).toBeLessThan(0.5);
    if (text !== texts.silent) expect(value('Maximum amplitude')).toBeGreaterThan(0.02);
  });
});

itNeeds('sox')('speech has the pitch of its voice', async () => {
  const frequencies = [];
  for (const { path } of files.filter(({ text }) => text === texts.sentence)) {
    const { stderr } = await runTool('sox', [path, '-n', 'stat']);
    frequencies.push(Number(/Rough\s+frequency:\s+(\d+)/.exec(stderr)?.[1]));
  }
  const [low = 0, usual = 0, high = 0] = frequencies;
  expect(usual).toBeGreaterThan(low * 1.3);
  expect(high).toBeGreaterThan(usual * 1.3);
});

itNeeds('ffmpeg')('speech tells its text still when FFmpeg has written its tag anew', async () => {
  const path = join(dir, 'again.mp3');
  await runTool('ffmpeg', ['-v', 'error', '-y', '-i', files[4]?.path ?? '', '-c', 'copy', path]);
  expect(await inspectAudio(path)).toMatchObject({ format: 'mp3', spoken: texts.sentence });
});

describe('durations', () => {
  const samples = readdirSync(new URL('../../fixtures/audio', import.meta.url));

  itNeeds('ffmpeg')('are those of what FFmpeg decodes of all samples, within 20 ms', async () => {
    expect(samples).toHaveLength(8);
    for (const name of samples) {
      const path = new URL(`../../fixtures/audio/${name}`, import.meta.url).pathname;
      const told = await inspectAudio(path);
      if ('problem' in told) throw new Error(told.problem);
      expect([name, Math.abs(told.durationMs - (await decodedMs(path)))]).toEqual([
        name,
        expect.toSatisfy((ms) => ms <= 20),
      ]);
    }
  });

  // For each: how FFmpeg encodes it, and whether the result tells its duration.
  const forms: [ending: string, args: string[]][] = [
    ['mp3', ['-c:a', 'libmp3lame', '-q:a', '4']],
    ['mp3', ['-c:a', 'libmp3lame', '-b:a', '64k', '-ar', '22050']],
    ['mp3', ['-c:a', 'libmp3lame', '-b:a', '8k', '-ar', '8000']],
    ['wav', ['-c:a', 'pcm_f32le']],
    ['wav', ['-c:a', 'adpcm_ima_wav']],
    ['wav', ['-c:a', 'pcm_mulaw']],
    ['ogg', ['-c:a', 'libopus']],
    ['ogg', ['-c:a', 'flac']],
    ['webm', ['-c:a', 'libvorbis']],
    ['webm', ['-c:a', 'libopus', '-live', '1']],
    ['m4a', ['-c:a', 'aac', '-movflags', '+faststart']],
    ['m4a', ['-c:a', 'aac', '-movflags', '+frag_keyframe+empty_moov+default_base_moof', '-frag_duration', '500000']],
    ['flac', ['-c:a', 'flac', '-ar', '96000']],
  ];
  itNeeds('ffmpeg', 'sox').each(forms)('are right for %s %j', async (ending, args) => {
    const [source, path] = [join(dir, 'source.wav'), join(dir, `other.${ending}`)];
    await runTool('sox', [
      '-n',
      '-r',
      '48000',
      '-c',
      '2',
      '-b',
      '16',
      source,
      'synth',
      '7.3',
      'pinknoise',
      'gain',
      '-20',
    ]);
    await runTool('ffmpeg', ['-v', 'error', '-y', '-i', source, ...args, path]);
    const told = await inspectAudio(path);
    if ('problem' in told) throw new Error(told.problem);
    expect(Math.abs(told.durationMs - (await decodedMs(path)))).toBeLessThanOrEqual(20);
  });

  itNeeds('ffmpeg', 'sox')('are right where the file was written to a pipe', async () => {
    for (const format of ['wav', 'flac', 'webm']) {
      const path = join(dir, `piped.${format}`);
      const codec = format === 'webm' ? '-c:a libopus' : '';
      await runTool('sh', [
        '-c',
        `sox -n -r 48000 -c 1 -t wav - synth 4 sine 300 | ffmpeg -v error -i - ${codec} -f ${format} - > ${path}`,
      ]);
      const told = await inspectAudio(path);
      if ('problem' in told) throw new Error(told.problem);
      expect([format, Math.abs(told.durationMs - 4_000)]).toEqual([format, expect.toSatisfy((ms) => ms <= 50)]);
    }
  });
});

async function decodedMs(path: string): Promise<number> {
  const raw = ['-v', 'error', '-i', path, '-f', 's16le', '-ac', '1', '-ar', '8000', '-y', join(dir, 'raw')];
  await runTool('ffmpeg', raw);
  const { stdout } = await runTool('wc', ['-c', join(dir, 'raw')]);
  return (Number.parseInt(stdout, 10) / 2 / 8_000) * 1_000;
}
