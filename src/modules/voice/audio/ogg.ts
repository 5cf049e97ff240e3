// The duration of an Ogg file: the positions in the last pages of its sound. Files that were joined have several sounds, one
// after the other.

import { readStreamInfo } from './flac.js';
import type { Source } from './source.js';

const headerBytes = 27;
const firstPage = 2;
/** A damaged file is searched for its next page in such steps. */
const stepBytes = 16 * 1_024;

interface Sound {
  /** Positions a second. */
  rate: number;
  /** The last position. */
  end: number;
}

/** Milliseconds, or undefined without sound. */
export async function oggDuration(source: Source): Promise<number | undefined> {
  // Sounds by serial number, of what is played at the same time.
  let sounds = new Map<number, Sound>();
  let isBeginning = true;
  let before = 0;
  for (let at: number | undefined = 0; at !== undefined && at < source.size; ) {
    const page = await readPage(source, at);
    if (page === undefined) {
      at = await nextPage(source, at + 1);
      continue;
    }
    if (page.isFirst) {
      if (!isBeginning) {
        before += longestOf(sounds);
        sounds = new Map();
      }
      const rate = rateOf(await source.bytes(at + page.headerBytes, 64));
      if (rate !== undefined && rate > 0) sounds.set(page.serial, { rate, end: 0 });
    }
    isBeginning = page.isFirst;
    const sound = sounds.get(page.serial);
    // Pages on which no packet ends have no position; a truncated page states a position that is not there.
    if (sound !== undefined && page.position > 0 && at + page.bytes <= source.size) sound.end = page.position;
    at += page.bytes;
  }
  const total = before + longestOf(sounds);
  return total === 0 ? undefined : total;
}

function longestOf(sounds: ReadonlyMap<number, Sound>): number {
  return Math.max(0, ...[...sounds.values()].map(({ end, rate }) => (end * 1_000) / rate));
}

interface Page {
  isFirst: boolean;
  position: number;
  serial: number;
  headerBytes: number;
  bytes: number;
}

// A header, the list of its segments' sizes, and the segments.
async function readPage(source: Source, at: number): Promise<Page | undefined> {
  const header = await source.bytes(at, headerBytes + 255);
  if (header.length < headerBytes || header.toString('latin1', 0, 4) !== 'OggS') return undefined;
  const start = headerBytes + header.readUInt8(26);
  return {
    isFirst: (header.readUInt8(5) & firstPage) !== 0,
    position: Number(header.readBigInt64LE(6)),
    serial: header.readUInt32LE(14),
    headerBytes: start,
    bytes: header.subarray(headerBytes, start).reduce((sum, size) => sum + size, start),
  };
}

async function nextPage(source: Source, from: number): Promise<number | undefined> {
  for (let at = from; at < source.size; at += stepBytes) {
    const found = (await source.bytes(at, stepBytes + 3)).indexOf('OggS');
    if (found !== -1) return at + found;
  }
  return undefined;
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
