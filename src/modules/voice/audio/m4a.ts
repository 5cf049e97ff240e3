// The duration of an M4A file: by its movie header or, in fragmented files, by their samples.

import type { Source } from './source.js';

/** Boxes that contain others. */
const containers = ['moov', 'trak', 'mdia', 'mvex', 'moof', 'traf'];
const maxBoxes = 200_000;

interface Track {
  rate: number;
  isSound: boolean;
}

interface Reading {
  movie: number | undefined;
  tracks: Map<number, Track>;
  track: number;
  /** The default sample duration of each track. */
  usual: Map<number, number>;
  fragment: { track: number; time: number; usual: number };
  /** The end of each track's sound. */
  ends: Map<number, number>;
}

/** Milliseconds, or undefined without sound. */
export async function m4aDuration(source: Source): Promise<number | undefined> {
  const reading: Reading = {
    movie: undefined,
    tracks: new Map(),
    track: 0,
    usual: new Map(),
    fragment: { track: 0, time: 0, usual: 0 },
    ends: new Map(),
  };
  for (let at = 0, seen = 0; at + 8 <= source.size && seen < maxBoxes; seen++) {
    const header = await source.bytes(at, 16);
    const type = header.toString('latin1', 4, 8);
    const short = header.readUInt32BE(0);
    const [start, size] =
      short === 1 && header.length === 16
        ? [at + 16, Number(header.readBigUInt64BE(8))]
        : [at + 8, short === 0 ? source.size - at : short];
    if (size < start - at) break;
    if (containers.includes(type)) {
      at = start;
      continue;
    }
    const read = readers[type];
    // Lists of samples are the longest boxes.
    if (read !== undefined) read(await source.bytes(start, Math.min(size, maxListBytes)), reading);
    at += size;
  }
  return durationOf(reading);
}

const maxListBytes = 1_024 * 1_024;

function durationOf({ movie, tracks, ends }: Reading): number | undefined {
  const sounds = [...tracks].filter(([, track]) => track.isSound && track.rate > 0);
  if (sounds.length === 0) return undefined;
  const fragments = Math.max(0, ...sounds.map(([id, { rate }]) => ((ends.get(id) ?? 0) * 1_000) / rate));
  return fragments > 0 ? fragments : movie;
}

const readers: Record<string, (box: Buffer, reading: Reading) => void> = {
  mvhd(box, reading) {
    const { rate, duration } = timesIn(box);
    // All ones: unknown, as the file was still being written.
    const isKnown = duration > 0 && duration < 2 ** 32 - 1;
    if (rate > 0 && isKnown) reading.movie = (duration * 1_000) / rate;
  },
  tkhd(box, reading) {
    reading.track = numberAt(box, box[0] === 1 ? 20 : 12);
  },
  mdhd(box, reading) {
    trackOf(reading).rate = timesIn(box).rate;
  },
  hdlr(box, reading) {
    if (box.toString('latin1', 8, 12) === 'soun') trackOf(reading).isSound = true;
  },
  trex(box, reading) {
    reading.usual.set(numberAt(box, 4), numberAt(box, 12));
  },
  tfhd(box, reading) {
    const flags = numberAt(box, 0) & 0xffffff;
    const track = numberAt(box, 4);
    const skipped = 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0);
    const usual = flags & 8 ? numberAt(box, skipped) : (reading.usual.get(track) ?? 0);
    reading.fragment = { track, time: reading.ends.get(track) ?? 0, usual };
  },
  tfdt(box, reading) {
    reading.fragment.time = box[0] === 1 ? wideAt(box, 4) : numberAt(box, 4);
  },
  trun(box, { fragment, ends }) {
    const flags = numberAt(box, 0) & 0xffffff;
    const count = numberAt(box, 4);
    const first = 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0);
    const width = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length * 4;
    let time = 0;
    if (flags & 0x100)
      for (let i = 0; i < count && first + i * width + 4 <= box.length; i++) time += numberAt(box, first + i * width);
    else time = count * fragment.usual;
    fragment.time += time;
    ends.set(fragment.track, fragment.time);
  },
};

function trackOf({ tracks, track }: Reading): Track {
  const known = tracks.get(track) ?? { rate: 0, isSound: false };
  tracks.set(track, known);
  return known;
}

function timesIn(box: Buffer): { rate: number; duration: number } {
  return box[0] === 1
    ? { rate: numberAt(box, 20), duration: wideAt(box, 24) }
    : { rate: numberAt(box, 12), duration: numberAt(box, 16) };
}

function numberAt(box: Buffer, at: number): number {
  return at + 4 <= box.length ? box.readUInt32BE(at) : 0;
}

function wideAt(box: Buffer, at: number): number {
  return at + 8 <= box.length ? Number(box.readBigUInt64BE(at)) : 0;
}
