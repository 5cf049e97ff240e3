// The duration of a WAV file (RIFF, and RF64 or BW64 for long ones): by its samples. Its header's byte rate is not
// believed, since many recorders write a wrong one.

import { mp3Duration } from './mp3.js';
import { part, type Source } from './source.js';

const maxChunks = 1_000;
/** A size that a 64-bit one replaces, or that was never filled in. */
const unknownSize = 0xffffffff;

interface Format {
  tag: number;
  channels: number;
  rate: number;
  bytesPerSecond: number;
  blockBytes: number;
  /** Bits a sample. */
  bits: number;
  /** Samples a block, where the format says so. */
  blockSamples: number;
}

/** Milliseconds, or undefined where format or data are missing. */
export async function wavDuration(source: Source): Promise<number | undefined> {
  let format: Format | undefined;
  let samples: number | undefined;
  let longData: number | undefined;
  for (let at = 12, seen = 0; seen < maxChunks; seen++) {
    const header = await source.bytes(at, 8);
    if (header.length < 8) return undefined;
    const id = header.toString('latin1', 0, 4);
    const size = header.readUInt32LE(4);
    const start = at + 8;
    if (id === 'fmt ') format = readFormat(await source.bytes(start, Math.min(size, 40)));
    if (id === 'fact') {
      const fact = await source.bytes(start, Math.min(size, 4));
      if (fact.length === 4) samples = fact.readUInt32LE(0);
    }
    if (id === 'ds64') {
      const sizes = await source.bytes(start, Math.min(size, 24));
      if (sizes.length === 24) {
        longData = Number(sizes.readBigUInt64LE(8));
        samples ??= Number(sizes.readBigUInt64LE(16));
      }
    }
    if (id === 'data') {
      // Recorders that could not go back to write the size leave zero, or the maximum.
      const there = source.size - start;
      const stated = size === unknownSize ? (longData ?? there) : size;
      const bytes = stated === 0 ? there : Math.min(stated, there);
      if (format === undefined || bytes <= 0) return undefined;
      return durationOf(format, part(source, start, bytes), { samples, isWhole: stated > 0 && stated <= there });
    }
    at = start + size + (size % 2);
  }
  return undefined;
}

const tags = {
  pcm: 0x01,
  microsoftAdpcm: 0x02,
  float: 0x03,
  aLaw: 0x06,
  muLaw: 0x07,
  imaAdpcm: 0x11,
  mpeg: 0x50,
  mp3: 0x55,
  extensible: 0xfffe,
} as const;
/** Formats in which each sample of each channel has the same number of bits. */
const uniform: readonly number[] = [tags.pcm, tags.float, tags.aLaw, tags.muLaw];
/** Formats whose blocks hold a stated number of samples. */
const blocks: readonly number[] = [tags.microsoftAdpcm, tags.imaAdpcm];

async function durationOf(
  format: Format,
  data: Source,
  { samples, isWhole }: { samples: number | undefined; isWhole: boolean },
): Promise<number | undefined> {
  const { tag, rate, blockBytes, blockSamples, bytesPerSecond } = format;
  if (rate === 0) return undefined;
  if (uniform.includes(tag)) {
    const frame = frameBytes(format);
    return frame === 0 ? undefined : (Math.floor(data.size / frame) * 1_000) / rate;
  }
  // The last block of a whole file may be filled up: the number of samples knows.
  const told = isWhole && samples !== undefined && samples > 0 && samples !== unknownSize ? samples : undefined;
  if (blocks.includes(tag) && blockBytes > 0 && blockSamples > 0) {
    const most = Math.ceil(data.size / blockBytes) * blockSamples;
    return (Math.min(told ?? most, most) * 1_000) / rate;
  }
  if (told !== undefined) return (told * 1_000) / rate;
  if (tag === tags.mp3 || tag === tags.mpeg) return mp3Duration(data);
  return bytesPerSecond === 0 ? undefined : (data.size * 1_000) / bytesPerSecond;
}

// The bytes of one sample of all channels. Some recorders state those of one channel.
function frameBytes({ channels, bits, blockBytes }: Format): number {
  const computed = channels * Math.ceil(bits / 8);
  return computed > 0 && (blockBytes === 0 || blockBytes % computed !== 0) ? computed : blockBytes;
}

function readFormat(format: Buffer): Format | undefined {
  if (format.length < 16) return undefined;
  const tag = format.readUInt16LE(0);
  return {
    // An extended format says which one it is in the first bytes of an id.
    tag: tag === tags.extensible && format.length >= 26 ? format.readUInt16LE(24) : tag,
    channels: format.readUInt16LE(2),
    rate: format.readUInt32LE(4),
    bytesPerSecond: format.readUInt32LE(8),
    blockBytes: format.readUInt16LE(12),
    bits: format.readUInt16LE(14),
    blockSamples: format.length >= 20 ? format.readUInt16LE(18) : 0,
  };
}
