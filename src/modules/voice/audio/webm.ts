// The duration of a WebM file: by its header or, as browsers' recorders write none, by its last block. Files that were joined
// have several of both.

import type { Source } from './source.js';

const ids = {
  head: 0x1a45dfa3,
  segment: 0x18538067,
  info: 0x1549a966,
  scale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  track: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  cluster: 0x1f43b675,
  clusterTime: 0xe7,
  simpleBlock: 0xa3,
  group: 0xa0,
  block: 0xa1,
} as const;

/** Elements that contain others: they are entered, whether their size is known or not. */
const masters: readonly number[] = [ids.segment, ids.info, ids.tracks, ids.track, ids.cluster, ids.group];
const sound = 2;
const maxElements = 1_000_000;

/** The findings about one recording: files that were joined have several. */
interface Recording {
  scale: number;
  /** The duration in its header. */
  told: number;
  number: number;
  clusterTime: number;
  soundTracks: number[];
  last: number;
  before: number;
  /** The end of the recording, if its header gives it. */
  end: number | undefined;
}

const newRecording = (): Recording => ({
  scale: 1_000_000,
  told: 0,
  number: 0,
  clusterTime: 0,
  soundTracks: [],
  last: -1,
  before: -1,
  end: undefined,
});

/** Milliseconds, or undefined without sound. */
export async function webmDuration(source: Source): Promise<number | undefined> {
  let total = 0;
  let recording = newRecording();
  for (let at = 0, seen = 0; at < source.size && seen < maxElements; seen++) {
    const element = readElement(await source.bytes(at, 12));
    if (element === undefined) break;
    const { id, size, isKnown, header } = element;
    const start = at + header;
    at = masters.includes(id) ? start : start + size;
    if (id === ids.head) {
      total += lengthOfRecording(recording);
      recording = newRecording();
    } else if (id === ids.segment) recording.end = isKnown ? start + size : undefined;
    else if (id === ids.cluster && recording.told > 0) {
      // A duration in the header makes walking through the blocks unnecessary.
      if (recording.end !== undefined) at = recording.end;
      else if (isKnown) at = start + size;
    } else readInto(recording, id, await source.bytes(start, Math.min(size, 12)));
  }
  total += lengthOfRecording(recording);
  return total === 0 ? undefined : total;
}

function readInto(recording: Recording, id: number, bytes: Buffer): void {
  const content = bytes.subarray(0, 8);
  if (id === ids.scale) recording.scale = unsigned(content) || recording.scale;
  else if (id === ids.duration) recording.told = float(content);
  else if (id === ids.trackNumber) recording.number = unsigned(content);
  else if (id === ids.clusterTime) recording.clusterTime = unsigned(content);
  else if (id === ids.trackType && content[0] === sound) recording.soundTracks.push(recording.number);
  else if (id === ids.simpleBlock || id === ids.block) {
    const block = readBlock(bytes);
    if (block !== undefined && recording.soundTracks.includes(block.track))
      [recording.before, recording.last] = [recording.last, recording.clusterTime + block.time];
  }
}

function lengthOfRecording({ soundTracks, told, scale, last, before }: Recording): number {
  if (soundTracks.length === 0) return 0;
  if (told > 0) return (told * scale) / 1e6;
  if (last < 0) return 0;
  // The last block lasts as long as the one before it.
  return ((last + (before < 0 ? 0 : Math.max(0, last - before))) * scale) / 1e6;
}

function readElement(bytes: Buffer): { id: number; size: number; isKnown: boolean; header: number } | undefined {
  const idLength = lengthOf(bytes[0]);
  if (idLength > 4 || bytes.length <= idLength) return undefined;
  const sizeLength = lengthOf(bytes[idLength]);
  const header = idLength + sizeLength;
  if (sizeLength > 8 || bytes.length < header) return undefined;
  const size = numberIn(bytes.subarray(idLength, header));
  // All ones: the size was not known yet.
  return { id: bytes.readUIntBE(0, idLength), size, isKnown: size !== 2 ** (7 * sizeLength) - 1, header };
}

// The first byte's leading zeros encode the length.
function lengthOf(first = 0): number {
  return Math.clz32(first) - 23;
}

function numberIn(bytes: Buffer): number {
  const first = (bytes[0] ?? 0) & (0xff >> bytes.length);
  return bytes.subarray(1).reduce((value, byte) => value * 256 + byte, first);
}

function readBlock(bytes: Buffer): { track: number; time: number } | undefined {
  const length = lengthOf(bytes[0]);
  if (length > 8 || bytes.length < length + 2) return undefined;
  return { track: numberIn(bytes.subarray(0, length)), time: bytes.readInt16BE(length) };
}

function unsigned(bytes: Buffer): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

function float(bytes: Buffer): number {
  const value = bytes.length === 8 ? bytes.readDoubleBE(0) : bytes.length === 4 ? bytes.readFloatBE(0) : 0;
  return Number.isFinite(value) ? value : 0;
}
