// The duration of a FLAC file: from its first frame to the end of its last whole one. Its header's number of samples was
// written before the file was cut.

import { audioStart } from './mp3.js';
import type { Source } from './source.js';

/** Frames are shorter than this: the first is within so many bytes of the beginning, the last within so many of the end. */
const maxFrameBytes = 128 * 1_024;
/** So many headers at the end are tried: one may be there by chance. */
const triedHeaders = 6;

/** The content of a stream's first block. */
export interface StreamInfo {
  rate: number;
  /** 0 where the encoder did not know. */
  samples: number;
  /** Samples a frame. */
  block: number;
}

/** The samples of a frame, counted from the beginning of its stream. */
export interface FlacFrame {
  start: number;
  end: number;
}

/** Milliseconds, or undefined when there is no frame. */
export async function flacDuration(source: Source): Promise<number | undefined> {
  const start = await audioStart(source);
  const info = readStreamInfo(await source.bytes(start + 8, 34));
  const from = await afterBlocks(source, start + 4);
  if (info === undefined || from === undefined) return undefined;
  const first = frameOf(await source.bytes(from, headerBytes), info);
  const last = await lastSample(source, from, info);
  return first === undefined || last === undefined ? undefined : ((last - first.start) * 1_000) / info.rate;
}

const maxBlocks = 10_000;

/** Blocks of other information, such as pictures, come before the first frame. */
async function afterBlocks(source: Source, from: number): Promise<number | undefined> {
  for (let at = from, seen = 0; seen < maxBlocks; seen++) {
    const header = await source.bytes(at, 4);
    if (header.length < 4) return undefined;
    at += 4 + header.readUIntBE(1, 3);
    if (header.readUInt8(0) >= 0x80) return at;
  }
  return undefined;
}

/** The content of a STREAMINFO block, if it is plausible. */
export function readStreamInfo(block: Buffer): StreamInfo | undefined {
  if (block.length < 18) return undefined;
  const rate = block.readUIntBE(10, 3) >> 4;
  const samples = (block.readUInt8(13) & 15) * 2 ** 32 + block.readUInt32BE(14);
  return rate === 0 ? undefined : { rate, samples, block: block.readUInt16BE(2) };
}

// The end of the last whole frame. The sum at its end tells whether a frame is whole: a file may have been cut.
async function lastSample(source: Source, first: number, info: StreamInfo): Promise<number | undefined> {
  const from = Math.max(first, source.size - maxFrameBytes);
  const tail = withoutTag(await source.bytes(from, maxFrameBytes));
  const ends = [tail.length];
  let cut: number | undefined;
  for (let at = tail.lastIndexOf(0xff); at >= 0 && ends.length <= triedHeaders; at = lastBefore(tail, at)) {
    const frame = frameOf(tail.subarray(at, at + headerBytes), info);
    if (frame === undefined) continue;
    if (frame.end === info.samples || ends.some((end) => checksum(tail.subarray(at, end), sum16) === 0))
      return frame.end;
    cut = frame.start;
    ends.push(at);
  }
  // Something else follows the last frame, or it is all there is.
  return cut;
}

function lastBefore(bytes: Buffer, at: number): number {
  return at === 0 ? -1 : bytes.lastIndexOf(0xff, at - 1);
}

function withoutTag(bytes: Buffer): Buffer {
  const isTagged = bytes.toString('latin1', bytes.length - 128, bytes.length - 125) === 'TAG';
  return isTagged ? bytes.subarray(0, -128) : bytes;
}

const headerBytes = 16;
const blockSizes = [0, 192, 576, 1_152, 2_304, 4_608, 0, 0, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768];

/** A frame, if these bytes are its header: its checksum decides. */
export function frameOf(bytes: Buffer, info: StreamInfo): FlacFrame | undefined {
  // The last frame may be very short.
  if (bytes.length < 6 || bytes[0] !== 0xff || ((bytes[1] ?? 0) & 0xfe) !== 0xf8) return undefined;
  const sizes = bytes.readUInt8(2);
  const { value: number, length } = readCodedNumber(bytes.subarray(4));
  if (number === undefined) return undefined;
  let at = 4 + length;
  let block = blockSizes[sizes >> 4] ?? 0;
  if (at + 2 > bytes.length) return undefined;
  if (sizes >> 4 === 6) block = bytes.readUInt8(at) + 1;
  if (sizes >> 4 === 7) block = bytes.readUInt16BE(at) + 1;
  at += { 6: 1, 7: 2 }[sizes >> 4] ?? 0;
  at += { 12: 1, 13: 2, 14: 2 }[sizes & 15] ?? 0;
  if (block === 0 || at >= bytes.length || checksum(bytes.subarray(0, at), sum8) !== bytes[at]) return undefined;
  const isVariable = ((bytes[1] ?? 0) & 1) === 1;
  const start = isVariable ? number : number * info.block;
  return { start, end: start + block };
}

// Frame and sample numbers are encoded as UTF-8 encodes characters, only longer.
function readCodedNumber(bytes: Buffer): { value: number | undefined; length: number } {
  const first = bytes.readUInt8(0);
  if (first < 0x80) return { value: first, length: 1 };
  let length = 0;
  while (length < 8 && (first & (0x80 >> length)) !== 0) length++;
  if (length < 2 || length > 7) return { value: undefined, length: 0 };
  let value = first & (0x7f >> length);
  for (const byte of bytes.subarray(1, length)) {
    if (byte >> 6 !== 2) return { value: undefined, length: 0 };
    value = value * 64 + (byte & 63);
  }
  return { value, length };
}

interface Sum {
  width: number;
  polynomial: number;
}
const sum8: Sum = { width: 8, polynomial: 0x07 };
const sum16: Sum = { width: 16, polynomial: 0x8005 };

/** The remainder: 0 where the bytes end in their own sum. */
function checksum(bytes: Buffer, { width, polynomial }: Sum): number {
  const [highest, all] = [1 << (width - 1), (1 << width) - 1];
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << (width - 8);
    for (let bit = 0; bit < 8; bit++) sum = sum & highest ? ((sum << 1) ^ polynomial) & all : (sum << 1) & all;
  }
  return sum;
}
