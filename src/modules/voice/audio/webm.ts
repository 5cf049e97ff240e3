// The duration of a WebM file: by its header or, as browsers' recorders write none, by its last block.

import type { Source } from './source.js';

const ids = {
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

/** Milliseconds, or undefined without sound. */
export async function webmDuration(source: Source): Promise<number | undefined> {
  let scale = 1_000_000;
  let told = 0;
  let number = 0;
  let clusterTime = 0;
  const soundTracks: number[] = [];
  let [last, before] = [-1, -1];
  for (let at = 0, seen = 0; at < source.size && seen < maxElements; seen++) {
    const element = readElement(await source.bytes(at, 12));
    if (element === undefined) break;
    const { id, size, header } = element;
    const start = at + header;
    at = masters.includes(id) ? start : start + size;
    if (id === ids.scale) scale = unsigned(await source.bytes(start, Math.min(size, 8))) || scale;
    else if (id === ids.duration) told = float(await source.bytes(start, Math.min(size, 8)));
    else if (id === ids.trackNumber) number = unsigned(await source.bytes(start, Math.min(size, 8)));
    else if (id === ids.clusterTime) clusterTime = unsigned(await source.bytes(start, Math.min(size, 8)));
    else if (id === ids.trackType && (await source.bytes(start, 1))[0] === sound) soundTracks.push(number);
    else if (id === ids.simpleBlock || id === ids.block) {
      const block = readBlock(await source.bytes(start, 12));
      if (block !== undefined && soundTracks.includes(block.track)) [before, last] = [last, clusterTime + block.time];
    }
    // A duration in the header makes walking through the blocks unnecessary.
    if (id === ids.cluster && told > 0) break;
  }
  if (soundTracks.length === 0) return undefined;
  if (told > 0) return (told * scale) / 1e6;
  if (last < 0) return undefined;
  // The last block lasts as long as the one before it.
  return ((last + (before < 0 ? 0 : Math.max(0, last - before))) * scale) / 1e6;
}

function readElement(bytes: Buffer): { id: number; size: number; header: number } | undefined {
  const idLength = lengthOf(bytes[0]);
  if (idLength > 4 || bytes.length <= idLength) return undefined;
  const sizeLength = lengthOf(bytes[idLength]);
  const header = idLength + sizeLength;
  if (sizeLength > 8 || bytes.length < header) return undefined;
  const size = numberIn(bytes.subarray(idLength, header));
  return { id: bytes.readUIntBE(0, idLength), size, header };
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
