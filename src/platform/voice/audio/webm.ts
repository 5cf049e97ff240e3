// The duration of a WebM or Matroska file: the samples of its first sound's packets or, of other codecs than WebM's, its
// blocks' times. A header's duration is that of everything in the file. Files that were joined have several sounds.

import { begins, type Codec, flac, opus, packetHead, vorbis } from './packets.js';
import type { Source } from './source.js';

const ids = {
  head: 0x1a45dfa3,
  segment: 0x18538067,
  info: 0x1549a966,
  scale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  track: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codecPrivate: 0x63a2,
  packetTime: 0x23e383,
  encodings: 0x6d80,
  cluster: 0x1f43b675,
  clusterTime: 0xe7,
  simpleBlock: 0xa3,
  group: 0xa0,
  block: 0xa1,
  discarded: 0x75a2,
} as const;

/** Elements that contain others: they are entered, whether their size is known or not. */
const masters: readonly number[] = [ids.segment, ids.info, ids.tracks, ids.track, ids.cluster, ids.group];
const soundType = 2;
const maxElements = 1_000_000;
const maxPrivateBytes = 64 * 1_024;

interface Track {
  number: number;
  type: number;
  /** Nanoseconds of a packet, where all last as long. */
  packetTime: number;
  codec: Codec | undefined;
  /** Whether packets are compressed, so that they do not tell what is in them. */
  isEncoded: boolean;
}

/** The findings about one recording: files that were joined have several. */
interface Recording {
  /** Nanoseconds of one unit of time. */
  scale: number;
  tracks: Track[];
  clusterTime: number;
  /** The number of packets of the first sound. */
  packets: number;
  samples: number;
  /** Nanoseconds at the end that are not heard. */
  discarded: number;
  /** The times of its first block, its last one, and the one before. */
  first: number | undefined;
  last: number;
  before: number;
}

const newRecording = (): Recording => ({
  scale: 1_000_000,
  tracks: [],
  clusterTime: 0,
  packets: 0,
  samples: 0,
  discarded: 0,
  first: undefined,
  last: 0,
  before: 0,
});

/** Milliseconds, or undefined without sound. */
export async function webmDuration(source: Source): Promise<number | undefined> {
  let total = 0;
  let recording = newRecording();
  for (let at = 0, seen = 0; at < source.size && seen < maxElements; seen++) {
    const element = readElement(await source.bytes(at, 12));
    if (element === undefined) break;
    const { id, size, header } = element;
    const start = at + header;
    at = masters.includes(id) ? start : start + size;
    if (id === ids.head) {
      total += lengthOf(recording);
      recording = newRecording();
    } else if (id === ids.simpleBlock || id === ids.block) {
      // The rest of a block that was cut is not heard.
      if (at <= source.size) await readBlock(recording, source, start, size);
    } else
      readInto(recording, id, await source.bytes(start, Math.min(size, id === ids.codecPrivate ? maxPrivateBytes : 8)));
  }
  total += lengthOf(recording);
  return total === 0 ? undefined : total;
}

function soundOf({ tracks }: Recording): Track | undefined {
  return tracks.find(({ type }) => type === soundType);
}

function readInto(recording: Recording, id: number, content: Buffer): void {
  const track = recording.tracks.at(-1);
  if (id === ids.scale) recording.scale = unsigned(content) || recording.scale;
  else if (id === ids.clusterTime) recording.clusterTime = unsigned(content);
  else if (id === ids.discarded) recording.discarded = signed(content);
  else if (id === ids.track)
    recording.tracks.push({ number: 0, type: 0, packetTime: 0, codec: undefined, isEncoded: false });
  else if (track === undefined) return;
  else if (id === ids.trackNumber) track.number = unsigned(content);
  else if (id === ids.trackType) track.type = unsigned(content);
  else if (id === ids.packetTime) track.packetTime = unsigned(content);
  else if (id === ids.encodings) track.isEncoded = true;
  else if (id === ids.codecPrivate) track.codec = codecIn(content);
}

function codecIn(content: Buffer): Codec | undefined {
  if (begins(content, 'fLaC')) return flac(content.subarray(8));
  // The three headers of Vorbis: their number less one, the sizes of the first two, and the headers.
  if (content[0] !== 2) return opus(content);
  const { sizes, at } = chainedSizes(content, 1, 2);
  const [head = 0, comments = 0] = sizes;
  return vorbis(content.subarray(at, at + head), content.subarray(at + head + comments));
}

function lengthOf(recording: Recording): number {
  const sound = soundOf(recording);
  const { scale, packets, samples, discarded, first, last, before } = recording;
  if (sound === undefined || first === undefined) return 0;
  const { codec, isEncoded, packetTime } = sound;
  if (codec !== undefined && !isEncoded)
    return Math.max(0, ((samples - codec.skipped) * 1_000) / codec.rate - discarded / 1e6);
  if (packetTime > 0) return (packets * packetTime - discarded) / 1e6;
  // The last block lasts as long as the one before it.
  return Math.max(0, ((last - first + Math.max(0, last - before)) * scale - discarded) / 1e6);
}

async function readBlock(recording: Recording, source: Source, start: number, size: number): Promise<void> {
  const head = await source.bytes(start, Math.min(size, 12));
  const length = lengthOfNumber(head[0]);
  const sound = soundOf(recording);
  if (sound === undefined || head.length < length + 3 || numberIn(head.subarray(0, length)) !== sound.number) return;
  const time = recording.clusterTime + head.readInt16BE(length);
  recording.before = recording.first === undefined ? time : recording.last;
  recording.first ??= time;
  recording.last = time;
  recording.discarded = 0;
  const lacing = (head.readUInt8(length + 2) >> 1) & 3;
  if (lacing === 0) {
    recording.packets++;
    recording.samples +=
      sound.codec?.samplesOf(await source.bytes(start + length + 3, Math.min(size - length - 3, packetHead))) ?? 0;
    return;
  }
  for (const packet of lacedPackets(await source.bytes(start + length + 3, size - length - 3), lacing)) {
    recording.packets++;
    recording.samples += sound.codec?.samplesOf(packet) ?? 0;
  }
}

// The packets of a block that holds several: their number less one, how long all but the last are, and the packets.
function lacedPackets(content: Buffer, lacing: number): Buffer[] {
  const others = content[0] ?? 0;
  const fixed = Math.floor((content.length - 1) / (others + 1));
  const { sizes, at } =
    lacing === 1
      ? chainedSizes(content, 1, others)
      : lacing === 3
        ? relativeSizes(content, 1, others)
        : { sizes: Array.from({ length: others }, () => fixed), at: 1 };
  const packets: Buffer[] = [];
  let start = at;
  for (const size of sizes) {
    packets.push(content.subarray(start, start + size));
    start += size;
  }
  return [...packets, content.subarray(start)];
}

interface Sizes {
  sizes: number[];
  /** The position after them. */
  at: number;
}

/** Sizes as Ogg writes them: bytes of 255, and one of less that ends a size. */
function chainedSizes(content: Buffer, from: number, count: number): Sizes {
  const sizes: number[] = [];
  let at = from;
  for (let size = 0; sizes.length < count && at < content.length; at++) {
    const byte = content[at] ?? 0;
    size += byte;
    if (byte === 255) continue;
    sizes.push(size);
    size = 0;
  }
  return { sizes, at };
}

/** A size, and how much the others differ from the one before. */
function relativeSizes(content: Buffer, from: number, count: number): Sizes {
  const sizes: number[] = [];
  let at = from;
  for (let size = 0; sizes.length < count && at < content.length; ) {
    const length = lengthOfNumber(content[at]);
    const value = numberIn(content.subarray(at, at + length));
    size = at === from ? value : size + value - (2 ** (7 * length - 1) - 1);
    if (size < 0) break;
    sizes.push(size);
    at += length;
  }
  return { sizes, at };
}

function readElement(bytes: Buffer): { id: number; size: number; header: number } | undefined {
  const idLength = lengthOfNumber(bytes[0]);
  if (idLength > 4 || bytes.length <= idLength) return undefined;
  const sizeLength = lengthOfNumber(bytes[idLength]);
  const header = idLength + sizeLength;
  if (sizeLength > 8 || bytes.length < header) return undefined;
  return { id: bytes.readUIntBE(0, idLength), size: numberIn(bytes.subarray(idLength, header)), header };
}

// The first byte's leading zeros encode the length.
function lengthOfNumber(first = 0): number {
  return Math.clz32(first) - 23;
}

function numberIn(bytes: Buffer): number {
  const first = (bytes[0] ?? 0) & (0xff >> bytes.length);
  return bytes.subarray(1).reduce((value, byte) => value * 256 + byte, first);
}

function unsigned(bytes: Buffer): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

function signed(bytes: Buffer): number {
  return bytes.length === 0 || bytes.length > 6 ? 0 : bytes.readIntBE(0, bytes.length);
}
