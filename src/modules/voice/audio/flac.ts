// The duration of a FLAC file: by its first block or, where that was never filled in, by its last frame.

import { audioStart } from './mp3.js';
import type { Source } from './source.js';

/** Frames are shorter than this; the last one is within this many bytes of the end. */
const maxFrameBytes = 128 * 1_024;

/** The content of a stream's first block. */
export interface StreamInfo {
  rate: number;
  /** 0 where the encoder did not know. */
  samples: number;
  /** Samples a frame. */
  block: number;
}

/** Milliseconds, or undefined when the length cannot be determined. */
export async function flacDuration(source: Source): Promise<number | undefined> {
  const start = await audioStart(source);
  const info = readStreamInfo(await source.bytes(start + 8, 34));
  if (info === undefined) return undefined;
  const samples = info.samples > 0 ? info.samples : await lastSample(source, start, info);
  return samples === undefined ? undefined : (samples * 1_000) / info.rate;
}

/** The content of a STREAMINFO block, if it is plausible. */
export function readStreamInfo(block: Buffer): StreamInfo | undefined {
  if (block.length < 18) return undefined;
  const rate = block.readUIntBE(10, 3) >> 4;
  const samples = (block.readUInt8(13) & 15) * 2 ** 32 + block.readUInt32BE(14);
  return rate === 0 ? undefined : { rate, samples, block: block.readUInt16BE(2) };
}

async function lastSample(source: Source, start: number, info: StreamInfo): Promise<number | undefined> {
  const from = Math.max(start, source.size - maxFrameBytes);
  const tail = await source.bytes(from, maxFrameBytes);
  for (let at = tail.lastIndexOf(0xff); at > 0; at = tail.lastIndexOf(0xff, at - 1)) {
    const end = endOfFrame(tail.subarray(at, at + 16), info);
    if (end !== undefined) return end;
  }
  return undefined;
}

const blockSizes = [0, 192, 576, 1_152, 2_304, 4_608, 0, 0, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768];

// The sample after a frame's last one, if this is a frame's header: its checksum decides.
function endOfFrame(bytes: Buffer, info: StreamInfo): number | undefined {
  // The last frame may be very short.
  if (bytes.length < 6 || ((bytes[1] ?? 0) & 0xfe) !== 0xf8) return undefined;
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
  if (block === 0 || at >= bytes.length || checksum(bytes.subarray(0, at)) !== bytes[at]) return undefined;
  const isVariable = ((bytes[1] ?? 0) & 1) === 1;
  return (isVariable ? number : number * info.block) + block;
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

function checksum(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? ((crc << 1) ^ 7) & 0xff : (crc << 1) & 0xff;
  }
  return crc;
}
