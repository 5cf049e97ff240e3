// The duration of an Ogg file: by the position in the last page of its sound.

import { readStreamInfo } from './flac.js';
import type { Source } from './source.js';

const headerBytes = 27;
const maxPageBytes = 65_307;
/** Streams begin in the first pages. */
const maxBeginnings = 20;

interface Sound {
  serial: number;
  /** Positions a second. */
  rate: number;
}

/** Milliseconds, or undefined without sound. */
export async function oggDuration(source: Source): Promise<number | undefined> {
  const sound = await findSound(source);
  if (sound === undefined) return undefined;
  const end = await lastPosition(source, sound.serial);
  return end === undefined ? undefined : (end * 1_000) / sound.rate;
}

async function findSound(source: Source): Promise<Sound | undefined> {
  for (let at = 0, seen = 0; seen < maxBeginnings; seen++) {
    const page = await source.bytes(at, maxPageBytes);
    if (page.length < headerBytes || page.toString('latin1', 0, 4) !== 'OggS') return undefined;
    const rate = rateOf(page.subarray(headerBytes + page.readUInt8(26)));
    if (rate !== undefined && rate > 0) return { serial: page.readUInt32LE(14), rate };
    at += pageBytes(page);
  }
  return undefined;
}

// A header, the list of its segments' sizes, and the segments.
function pageBytes(page: Buffer): number {
  const start = headerBytes + page.readUInt8(26);
  return page.subarray(headerBytes, start).reduce((sum, size) => sum + size, start);
}

function rateOf(packet: Buffer): number | undefined {
  if (packet.length < 19) return undefined;
  const begins = (text: string): boolean => packet.toString('latin1', 0, text.length) === text;
  if (begins('OpusHead')) return 48_000;
  if (begins('\x01vorbis')) return packet.readUInt32LE(12);
  if (begins('Speex   ')) return packet.length < 40 ? undefined : packet.readUInt32LE(36);
  if (begins('\x7fFLAC')) return readStreamInfo(packet.subarray(17))?.rate;
  return undefined;
}

// Backwards, in pieces that overlap by a header.
async function lastPosition(source: Source, serial: number): Promise<number | undefined> {
  for (let end = source.size; end > 0; ) {
    const from = Math.max(0, end - maxPageBytes);
    const piece = await source.bytes(from, maxPageBytes + headerBytes);
    for (let at = piece.lastIndexOf('OggS'); at >= 0; at = at === 0 ? -1 : piece.lastIndexOf('OggS', at - 1)) {
      if (at + headerBytes > piece.length || piece.readUInt32LE(at + 14) !== serial) continue;
      const position = piece.readBigInt64LE(at + 6);
      // Pages on which no packet ends have no position; a truncated page states a position that is not there.
      if (position > 0n && from + at + pageBytes(piece.subarray(at)) <= source.size) return Number(position);
    }
    end = from;
  }
  return undefined;
}
