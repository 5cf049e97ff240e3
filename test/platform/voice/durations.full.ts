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

const fragments = '-frag_duration 500000 -movflags frag_keyframe+empty_moov';
const opus = '-c:a libopus';
/** Half of a file that was written from its beginning to its end. */
const half = (of: string, name: string): string => `head -c $(($(stat -c %s ${of}) / 2)) ${of} > ${name}`;
/** The last seconds of a long recording, with times from zero or as they were. */
const end = (of: string, name: string): string => `ff -ss 35.2 -i ${of} -c copy ${name}`;
const endAsItWas = (of: string, name: string): string => `ff -copyts -ss 35.2 -i ${of} -c copy ${name}`;
const start = (of: string, name: string): string => `ff -t 10 -i ${of} -c copy ${name}`;
const long = (name: string, how: string): string => `ff -i "$LONG" ${how} long-${name}`;

const cuts: [ending: string, how: string][] = [
  ['opus.ogg', opus],
  ['vorbis.ogg', '-c:a libvorbis'],
  ['flac.ogg', '-c:a flac'],
  ['opus.webm', opus],
  ['vorbis.webm', '-c:a libvorbis'],
  ['aac.m4a', '-c:a aac -movflags faststart'],
  ['flac.flac', ''],
  ['lame.mp3', '-b:a 64k'],
];

/** What is made in several steps, by a script. */
const made: [name: string, script: string][] = [
  ...cuts.flatMap(([name, how]): [string, string][] => [
    [`end-${name}`, `${long(name, how)}; ${end(`long-${name}`, `end-${name}`)}`],
    [`end-as-it-was-${name}`, `${long(name, how)}; ${endAsItWas(`long-${name}`, `end-as-it-was-${name}`)}`],
    [`start-${name}`, `${long(name, how)}; ${start(`long-${name}`, `start-${name}`)}`],
    [`half-${name}`, `${long(name, how)}; ${half(`long-${name}`, `half-${name}`)}`],
  ]),
  ['half.wav', half('"$LONG"', 'half.wav')],
  [
    'half-fragmented.m4a',
    `${long('fragmented.m4a', `-c:a aac ${fragments}`)}; ${half('long-fragmented.m4a', 'half-fragmented.m4a')}`,
  ],
  ['late.ogg', `ff -i "$SPEECH" ${opus} -output_ts_offset 44739 late.ogg`],
  ['late-vorbis.ogg', 'ff -i "$SPEECH" -c:a libvorbis -output_ts_offset 44739 late-vorbis.ogg'],
  ['late-flac.ogg', 'ff -i "$SPEECH" -c:a flac -output_ts_offset 44739 late-flac.ogg'],
  ['late.webm', `ff -i "$SPEECH" ${opus} -output_ts_offset 120 late.webm`],
  ['late-live.webm', `ff -i "$SPEECH" ${opus} -output_ts_offset 120 -live 1 late-live.webm`],
  ['late-clusters.webm', `ff -i "$SPEECH" ${opus} -output_ts_offset 120 -cluster_time_limit 500 late-clusters.webm`],
  ['late.m4a', 'ff -i "$SPEECH" -c:a aac -output_ts_offset 120 late.m4a'],
  ['late-fragmented.m4a', `ff -i "$SPEECH" -c:a aac -output_ts_offset 120 ${fragments} late-fragmented.m4a`],
  ['dash.m4a', `ff -i "$SPEECH" -c:a aac ${fragments}+default_base_moof+delay_moov+dash dash.m4a`],
  ['pictures.webm', `ff -i "$PICTURES" -i "$SPEECH" -c:v libvpx ${opus} pictures.webm`],
  ['pictures.m4a', 'ff -i "$PICTURES" -i "$SPEECH" -c:v copy -c:a aac pictures.m4a'],
  ['pictures-fragmented.m4a', `ff -i "$PICTURES" -i "$SPEECH" -c:v copy -c:a aac ${fragments} pictures-fragmented.m4a`],
  ['later-than-pictures.m4a', 'ff -itsoffset 5 -i "$SPEECH" -i "$PICTURES" -c:a aac -c:v copy later-than-pictures.m4a'],
  [
    'later-than-pictures.webm',
    `ff -itsoffset 5 -i "$SPEECH" -i "$PICTURES" ${opus} -c:v libvpx later-than-pictures.webm`,
  ],
  ['cover.mp3', 'ff -i "$SPEECH" -i cover.png -map 0 -map 1 -c:v copy -disposition:v attached_pic cover.mp3'],
  ['cover.flac', 'ff -i "$SPEECH" -i cover.png -map 0 -map 1 -c:v copy -disposition:v attached_pic cover.flac'],
  ['cover.m4a', 'ff -i "$SPEECH" -i cover.png -map 0 -map 1 -c:a aac -c:v copy -disposition:v attached_pic cover.m4a'],
  ['subtitles.m4a', 'ff -i "$SPEECH" -i "$SUBTITLES" -c:a aac -c:s mov_text -f mp4 subtitles.m4a'],
  ['subtitles.webm', `ff -i "$SPEECH" -i "$SUBTITLES" ${opus} -c:s webvtt subtitles.webm`],
  ['two.webm', `ff -i "$SPEECH" -i "$LONG" -map 0 -map 1 ${opus} two.webm`],
  ['two.m4a', 'ff -i "$SPEECH" -i "$LONG" -map 0 -map 1 -c:a aac two.m4a'],
  ['two.ogg', `ff -i "$SPEECH" -i "$LONG" -map 0 -map 1 ${opus} two.ogg`],
  ['opus.m4a', `ff -i "$SPEECH" ${opus} -f mp4 opus.m4a`],
  ['flac.m4a', 'ff -i "$SPEECH" -c:a flac -strict -2 -f mp4 flac.m4a'],
  ['low.m4a', 'ff -i "$SPEECH" -c:a aac -ar 8000 low.m4a'],
  ...[2.5, 5, 10, 40, 60].map((ms): [string, string] => [
    `frames-of-${ms}.ogg`,
    `opusenc --quiet --framesize ${ms} "$SPEECH" frames-of-${ms}.ogg`,
  ]),
  ['slow.ogg', 'opusenc --quiet --bitrate 8 "$SPEECH" slow.ogg'],
  ['delayed.ogg', 'opusenc --quiet --max-delay 200 "$SPEECH" delayed.ogg'],
  ['merged.webm', 'mkvmerge -q -w -o merged.webm speech.ogg'],
  ['merged-late.webm', 'mkvmerge -q -w --sync 0:3000 -o merged-late.webm speech.ogg'],
  ['merged-early.webm', 'mkvmerge -q -w --sync 0:-2000 -o merged-early.webm speech.ogg'],
  ['merged-part.webm', 'mkvmerge -q -w --split parts:00:00:01-00:00:03 -o merged-part.webm speech.ogg'],
  ['merged-twice.webm', 'mkvmerge -q -w -o merged-twice.webm speech.ogg + speech.ogg'],
  ['merged-vorbis.webm', 'ff -i "$SPEECH" -c:a libvorbis v.ogg; mkvmerge -q -w -o merged-vorbis.webm v.ogg'],
  [
    'merged-with-subtitles.webm',
    'ff -i "$SPEECH" -c:a aac a.m4a; mkvmerge -q -o merged-with-subtitles.mkv "$SUBTITLES" a.m4a; mv merged-with-subtitles.mkv merged-with-subtitles.webm',
  ],
  [
    'merged-laced.webm',
    'ff -i "$SPEECH" -b:a 64k m.mp3; mkvmerge -q -o merged-laced.mkv m.mp3; mv merged-laced.mkv merged-laced.webm',
  ],
  ['merged-pcm.webm', 'mkvmerge -q -o merged-pcm.mkv "$SPEECH"; mv merged-pcm.mkv merged-pcm.webm'],
  [
    'merged-flac.webm',
    'ff -i "$SPEECH" f.flac; mkvmerge -q -o merged-flac.mkv f.flac; mv merged-flac.mkv merged-flac.webm',
  ],
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
    await expectDecoded(name);
  });

  it.each(bySox)('%s', async (name, ...args) => {
    await runTool('sox', [speech, ...args, at(name)]);
    await expectDecoded(name);
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
    await expectDecoded(name);
  });

  it.each(made)('%s', async (name, script) => {
    const paths = {
      SPEECH: speech,
      LONG: at('long.wav'),
      PICTURES: at('pictures.mp4'),
      SUBTITLES: at('subtitles.srt'),
    };
    const assigned = Object.entries(paths).map(([variable, path]) => `${variable}='${path}'`);
    await runTool('bash', ['-ec', `cd '${dir}'; ${assigned.join(' ')}; ff() { ffmpeg -v error -y "$@"; }\n${script}`]);
    await expectDecoded(name);
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
