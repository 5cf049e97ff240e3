// How many samples the packets of a codec hold. Containers state times that are wrong in many ways: what is decoded is what
// the packets hold.

import { frameOf, readStreamInfo } from './flac.js';

/** A codec's stream of packets. */
export interface Codec {
  /** Samples a second. */
  rate: number;
  /** The number of samples at the beginning that are never heard. */
  skipped: number;
  /** The number of packets that only describe the stream, in Ogg. */
  headers: number;
  /** The number of samples that a packet adds, by its first bytes; to be called for each in turn. */
  samplesOf(packet: Buffer): number;
}

/** So much of a packet tells its samples. */
export const packetHead = 24;

export function begins(packet: Buffer, text: string): boolean {
  return packet.toString('latin1', 0, text.length) === text;
}

/** Milliseconds of a packet for each of the first 12 configurations, four with the same codec, and for all others. */
const silk = [10, 20, 40, 60];
const hybrid = [10, 20];
const celt = [2.5, 5, 10, 20];

/** @param head the stream's first packet */
export function opus(head: Buffer): Codec | undefined {
  if (!begins(head, 'OpusHead') || head.length < 19) return undefined;
  return { rate: 48_000, skipped: head.readUInt16LE(10), headers: 2, samplesOf: opusSamples };
}

function opusSamples(packet: Buffer): number {
  const [first = 0, second = 0] = packet;
  if (packet.length === 0) return 0;
  const configuration = first >> 3;
  const list = configuration < 12 ? silk : configuration < 16 ? hybrid : celt;
  const frames = [1, 2, 2, second & 63][first & 3] ?? 0;
  const samples = frames * (list[configuration % list.length] ?? 0) * 48;
  // A packet lasts 120 ms at most.
  return samples > 5_760 ? 0 : samples;
}

/** @param head the stream's first packet, @param setup its third */
export function vorbis(head: Buffer, setup: Buffer): Codec | undefined {
  const rate = vorbisRate(head);
  if (rate === undefined || !begins(setup, '\x05vorbis')) return undefined;
  const [short, long] = [1 << (head.readUInt8(28) & 15), 1 << (head.readUInt8(28) >> 4)];
  const modes = modesIn(setup);
  const modeMask = (1 << Math.ceil(Math.log2(modes.length))) - 1;
  let before = 0;
  return {
    rate,
    skipped: 0,
    headers: 3,
    samplesOf(packet) {
      const first = packet[0] ?? 0;
      const block = modes[(first >> 1) & modeMask] === true ? long : short;
      // Half of a block overlaps with the one before it: of the first nothing is heard yet.
      const samples = before === 0 ? 0 : (before + block) / 4;
      before = block;
      return samples;
    },
  };
}

export function vorbisRate(head: Buffer): number | undefined {
  const rate = begins(head, '\x01vorbis') && head.length >= 29 ? head.readUInt32LE(12) : 0;
  return rate === 0 ? undefined : rate;
}

const modeBits = 41;

// For each mode whether its blocks are long. Modes come last in the setup: a count of six bits, and for each the kind of its
// blocks, 32 bits that are 0, and 8 that name a mapping. They are read from the end, so that what is before them need not be.
function modesIn(setup: Buffer): boolean[] {
  let end = setup.length * 8 - 1;
  // The last bit that is set ends the setup.
  while (end > 0 && bitsAt(setup, end, 1) === 0) end--;
  const modes: boolean[] = [];
  let found: boolean[] = [];
  for (let at = end - modeBits; at >= 6 && modes.length < 64; at -= modeBits) {
    if (bitsAt(setup, at + 1, 16) !== 0 || bitsAt(setup, at + 17, 16) !== 0 || bitsAt(setup, at + 33, 8) > 63) break;
    modes.unshift(bitsAt(setup, at, 1) === 1);
    // A count may be there by chance too: the furthest one is right.
    if (bitsAt(setup, at - 6, 6) + 1 === modes.length) found = [...modes];
  }
  return found;
}

// Bits are filled from the lowest of each byte on.
function bitsAt(bytes: Buffer, at: number, count: number): number {
  let value = 0;
  for (let i = 0; i < count; i++) value |= (((bytes[(at + i) >> 3] ?? 0) >> ((at + i) & 7)) & 1) << i;
  return value;
}

/** @param head the stream's first packet */
export function speex(head: Buffer): Codec | undefined {
  if (!begins(head, 'Speex   ') || head.length < 72) return undefined;
  const rate = head.readUInt32LE(36);
  const samples = head.readUInt32LE(56) * (head.readUInt32LE(64) || 1);
  if (rate === 0) return undefined;
  return { rate, skipped: 0, headers: 2 + head.readUInt32LE(68), samplesOf: () => samples };
}

/** @param streamInfo the content of the stream's first block */
export function flac(streamInfo: Buffer): Codec | undefined {
  const info = readStreamInfo(streamInfo);
  if (info === undefined) return undefined;
  return {
    rate: info.rate,
    skipped: 0,
    headers: 1,
    samplesOf(packet) {
      const frame = frameOf(packet, info);
      return frame === undefined ? 0 : frame.end - frame.start;
    },
  };
}
