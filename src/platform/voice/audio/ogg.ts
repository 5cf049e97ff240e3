// The duration of an Ogg file: the samples of its packets. Positions in its pages count from anywhere. Files that were joined
// have several sounds, one after the other; of sounds at the same time the first is heard.

import { type Codec, flac, opus, packetHead, speex, vorbis, vorbisRate } from './packets.js';
import type { Source } from './source.js';

const pageHeaderBytes = 27;
const firstPage = 2;
const lastPage = 4;
/** A damaged file is searched for its next page in such steps. */
const stepBytes = 16 * 1_024;
/** Headers of streams are shorter; of other packets the beginning is enough. */
const maxHeaderBytes = 64 * 1_024;

interface Sound {
  serial: number;
  /** The stream's first packet. */
  head: Buffer;
  /** The stream's codec, once the packets that describe it are read. */
  codec: Codec | undefined;
  packets: number;
  /** The beginning of a packet that continues on the next page. */
  begun: Buffer;
  samples: number;
  /** The position at the end of the page before. */
  position: number | undefined;
}

/** Milliseconds, or undefined without sound. */
export async function oggDuration(source: Source): Promise<number | undefined> {
  let sound: Sound | undefined;
  let isBeginning = true;
  let total = 0;
  for (let at: number | undefined = 0; at !== undefined && at < source.size; ) {
    const page = await readPage(source, at);
    if (page === undefined) {
      at = await nextPage(source, at + 1);
      continue;
    }
    if (page.isFirst) {
      if (!isBeginning) {
        total += lengthOf(sound);
        sound = undefined;
      }
      sound ??= soundIn(page);
    }
    isBeginning = page.isFirst;
    // A truncated page is damaged as a whole.
    if (page.serial === sound?.serial && at + page.bytes <= source.size) readInto(sound, page);
    at += page.bytes;
  }
  total += lengthOf(sound);
  return total === 0 ? undefined : total;
}

function lengthOf(sound: Sound | undefined): number {
  if (sound?.codec === undefined) return 0;
  return (Math.max(0, sound.samples - sound.codec.skipped) * 1_000) / sound.codec.rate;
}

function soundIn({ serial, body }: Page): Sound | undefined {
  const head = Buffer.from(body.subarray(0, 255));
  const codec = opus(head) ?? speex(head) ?? (head[0] === 0x7f ? flac(head.subarray(17)) : undefined);
  if (codec === undefined && vorbisRate(head) === undefined) return undefined;
  return { serial, head, codec, packets: 0, begun: Buffer.alloc(0), samples: 0, position: undefined };
}

function readInto(sound: Sound, { sizes, body, position, isLast }: Page): void {
  let samples = 0;
  let from = 0;
  let to = 0;
  for (const size of sizes) {
    to += size;
    if (size === 255) continue;
    samples += samplesIn(sound, body.subarray(from, to));
    sound.begun = Buffer.alloc(0);
    from = to;
  }
  if (from < to && sound.begun.length < maxHeaderBytes)
    sound.begun = Buffer.concat([sound.begun, body.subarray(from, to)]);
  sound.samples += samples;
  // Pages on which no packet ends have no position.
  if (position < 0) return;
  // The last page may state that its last packets are not heard to their end.
  const rest = isLast ? (sound.position ?? 0) + samples - position : 0;
  if (rest > 0 && rest <= samples) sound.samples -= rest;
  sound.position = position;
}

function samplesIn(sound: Sound, end: Buffer): number {
  const isWhole = sound.codec === undefined || sound.begun.length > 0;
  const packet = isWhole ? Buffer.concat([sound.begun, end]) : end.subarray(0, packetHead);
  sound.packets++;
  if (sound.packets === 3) sound.codec ??= vorbis(sound.head, packet);
  const { codec } = sound;
  return codec === undefined || sound.packets <= codec.headers ? 0 : codec.samplesOf(packet);
}

interface Page {
  isFirst: boolean;
  isLast: boolean;
  position: number;
  serial: number;
  bytes: number;
  /** The sizes of its segments: a packet ends with one of less than 255 bytes. */
  sizes: Buffer;
  body: Buffer;
}

// A header, the list of its segments' sizes, and the segments.
async function readPage(source: Source, at: number): Promise<Page | undefined> {
  const header = await source.bytes(at, pageHeaderBytes + 255);
  if (header.length < pageHeaderBytes || header.toString('latin1', 0, 4) !== 'OggS') return undefined;
  const sizes = header.subarray(pageHeaderBytes, pageHeaderBytes + header.readUInt8(26));
  const length = sizes.reduce((sum, size) => sum + size, 0);
  const start = pageHeaderBytes + header.readUInt8(26);
  const flags = header.readUInt8(5);
  return {
    isFirst: (flags & firstPage) !== 0,
    isLast: (flags & lastPage) !== 0,
    position: Number(header.readBigInt64LE(6)),
    serial: header.readUInt32LE(14),
    bytes: start + length,
    sizes,
    body: await source.bytes(at + start, length),
  };
}

async function nextPage(source: Source, from: number): Promise<number | undefined> {
  for (let at = from; at < source.size; at += stepBytes) {
    const found = (await source.bytes(at, stepBytes + 3)).indexOf('OggS');
    if (found !== -1) return at + found;
  }
  return undefined;
}
