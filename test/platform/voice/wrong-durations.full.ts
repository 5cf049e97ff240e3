// Durations that headers state wrongly, or not at all: what can be heard counts, since it is what is paid for.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inspectAudio } from '../../../src/platform/voice/audio/inspect.js';
import { tempDir } from '../../support/command.js';
import { startWorld } from '../../support/emulator.js';
import { watchTurns } from '../../support/turns.js';
import { hear, sample } from '../../support/voice.js';

const dir = tempDir();
let number = 0;

async function told(content: Buffer): Promise<number | string> {
  const path = join(dir, String(number++));
  writeFileSync(path, content);
  const audio = await inspectAudio(path);
  return 'problem' in audio ? audio.problem : audio.durationMs;
}

interface Wav {
  tag?: number;
  channels?: number;
  rate?: number;
  byteRate?: number;
  block?: number;
  bits?: number;
  /** The bytes after the first 16 of the format. */
  more?: Buffer;
  /** Chunks between format and data. */
  chunks?: Buffer;
  form?: string;
  dataSize?: number;
  data: number;
}

function chunk(id: string, content: Buffer, size = content.length): Buffer {
  const header = Buffer.alloc(8);
  header.write(id, 'latin1');
  header.writeUInt32LE(size, 4);
  return Buffer.concat([header, content]);
}

function wav({ tag = 1, channels = 1, rate = 16_000, bits = 16, form = 'RIFF', ...more }: Wav): Buffer {
  const block = more.block ?? (channels * bits) / 8;
  const format = Buffer.alloc(16);
  format.writeUInt16LE(tag, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rate, 4);
  format.writeUInt32LE(more.byteRate ?? rate * block, 8);
  format.writeUInt16LE(block, 12);
  format.writeUInt16LE(bits, 14);
  return Buffer.concat([
    Buffer.from(`${form}\xff\xff\xff\xffWAVE`, 'latin1'),
    form === 'RIFF' ? Buffer.alloc(0) : (more.chunks ?? Buffer.alloc(0)),
    chunk('fmt ', Buffer.concat([format, more.more ?? Buffer.alloc(0)])),
    form === 'RIFF' ? (more.chunks ?? Buffer.alloc(0)) : Buffer.alloc(0),
    chunk('data', Buffer.alloc(more.data), more.dataSize ?? more.data),
  ]);
}

function fact(samples: number): Buffer {
  const content = Buffer.alloc(4);
  content.writeUInt32LE(samples);
  return chunk('fact', content);
}

function ds64(data: number, samples: number): Buffer {
  const content = Buffer.alloc(28);
  content.writeBigUInt64LE(BigInt(data), 8);
  content.writeBigUInt64LE(BigInt(samples), 16);
  return chunk('ds64', content);
}

const extension = (tag: number): Buffer => {
  const bytes = Buffer.alloc(24);
  bytes.writeUInt16LE(22, 0);
  bytes.writeUInt16LE(tag, 8);
  return bytes;
};

describe('WAV', () => {
  it.each<[what: string, file: Wav, ms: number]>([
    ['with a byte rate of half', { data: 32_000, byteRate: 16_000 }, 1_000],
    ['of two channels with the byte rate of one', { channels: 2, data: 64_000, byteRate: 32_000 }, 1_000],
    ['of two channels with the block of one', { channels: 2, block: 2, data: 64_000, byteRate: 32_000 }, 1_000],
    ['without a byte rate', { data: 16_000, byteRate: 0 }, 500],
    ['of floats', { tag: 3, bits: 32, rate: 48_000, data: 192_000, byteRate: 1 }, 1_000],
    ['of three bytes a sample', { bits: 24, rate: 8_000, data: 24_000 }, 1_000],
    ['of an extended format', { tag: 0xfffe, data: 32_000, byteRate: 99, more: extension(1) }, 1_000],
    ['with MP3 in it', { tag: 0x55, bits: 0, block: 1, byteRate: 1_000, data: 8_000, chunks: fact(24_000) }, 1_500],
    ['with G.722 in it', { tag: 0x28f, bits: 4, block: 1, byteRate: 99, data: 8_000, chunks: fact(16_000) }, 1_000],
    ['with AAC in it', { tag: 0xff, bits: 0, block: 1, byteRate: 7, data: 8_000, chunks: fact(32_000) }, 2_000],
    ['as RF64', { form: 'RF64', data: 32_000, dataSize: 0xffffffff, chunks: ds64(32_000, 0) }, 1_000],
    [
      'as BW64, with something after its data',
      { form: 'BW64', data: 32_000, dataSize: 0xffffffff, chunks: ds64(16_000, 0) },
      500,
    ],
    ['whose size was never filled in', { data: 32_000, dataSize: 0xffffffff }, 1_000],
  ])('%s', async (_, file, ms) => {
    expect(await told(wav(file))).toBeCloseTo(ms, 3);
  });

  it('with a wrong byte rate costs what is heard of it', async () => {
    const world = await startWorld();
    // 61 seconds that say that they are six.
    const heard = await hear(world, wav({ data: 61 * 32_000, byteRate: 320_000 }));
    expect(heard.body.duration_ms).toBe(61_000);
    expect(world.controls.ledger().at(-1)?.reason).toContain('61 s');
  });
});

describe('MP3 that begins within a frame', () => {
  // The encoder's delay is heard where the frame that tells of it is missing.
  const whole = Buffer.from(
    sample('voice.mp3')
      .toString('latin1')
      .replace(/(Info|Xing).{116}La/s, '$1'.padEnd(120, '\0')),
    'latin1',
  );
  it.each([1_000, 1_001, 1_234, 2_000])('after %i bytes', async (cut) => {
    const all = (await told(whole)) as number;
    const ms = (await told(whole.subarray(cut))) as number;
    // The rest of a frame is not heard.
    const share = all * (1 - cut / whole.length);
    expect(Math.abs(ms - share)).toBeLessThan(80);
  });

  it('is not seen in what only looks like a frame', async () => {
    const frame = Buffer.concat([Buffer.from('fffb10c4', 'hex'), Buffer.alloc(100)]);
    expect(await told(Buffer.concat([Buffer.from('text'), frame, frame, Buffer.from('text '.repeat(1_000))]))).toMatch(
      /must be audio/,
    );
  });
});

describe('files that were joined', () => {
  it.each(['voice.ogg', 'voice.webm', 'recorded.webm'])('%s, thrice', async (name) => {
    const one = (await told(sample(name))) as number;
    expect(await told(Buffer.concat([sample(name), sample(name), sample(name)]))).toBeCloseTo(3 * one, 3);
  });
});

describe('FLAC that was piped', () => {
  it.each([
    ['whose last frame has 11 bytes', 4_096, 4_096 * 3],
    ['whose last frame has 13 bytes and is short', 1_000, 4_096 * 2 + 1_000],
  ])('%s', async (_, last, samples) => {
    const info = Buffer.alloc(34);
    info.writeUInt16BE(4_096, 0);
    info.writeUInt16BE(4_096, 2);
    // 16,000 a second, one channel of 16 bits, an unknown number.
    Buffer.from('03e800f000000000', 'hex').copy(info, 10);
    const head = Buffer.concat([Buffer.from('fLaC'), Buffer.from([0x80, 0, 0, 34]), info]);
    const file = Buffer.concat([head, flacFrame(0, 4_096), flacFrame(1, 4_096), flacFrame(2, last)]);
    expect(await told(file)).toBeCloseTo(samples / 16, 3);
  });
});

/** A frame of silence. */
function flacFrame(index: number, samples: number): Buffer {
  const size = samples === 4_096 ? Buffer.alloc(0) : Buffer.from([(samples - 1) >> 8, (samples - 1) & 255]);
  const header = Buffer.concat([Buffer.from([0xff, 0xf8, (samples === 4_096 ? 0xc0 : 0x70) | 5, 0x08, index]), size]);
  const frame = Buffer.concat([header, Buffer.from([crc(header, 8, 0x07)]), Buffer.from([0, 0, 0])]);
  const sum = crc(frame, 16, 0x8005);
  return Buffer.concat([frame, Buffer.from([sum >> 8, sum & 255])]);
}

function crc(bytes: Buffer, width: number, polynomial: number): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << (width - 8);
    for (let bit = 0; bit < 8; bit++) sum = ((sum << 1) ^ (sum >> (width - 1) ? polynomial : 0)) & (2 ** width - 1);
  }
  return sum;
}

it('the duration of 25 MB is read while others have their turn', async () => {
  const mega = 1_024 * 1_024;
  const page = readFileSync(new URL('../../../fixtures/audio/voice.ogg', import.meta.url));
  const joined = Buffer.concat(Array.from({ length: Math.floor((25 * mega) / page.length) }, () => page));
  const { turns } = await watchTurns(() => told(joined));
  expect(turns).toBeGreaterThan(100);
});
