// The duration of an M4A file: the samples of its first sound whose bytes are in the file. The header's duration is that of
// everything in the file, and of what was there before it was cut.

import { newTrack, numberAt, rateIn, sampleTime, type Track, trackReaders, wideAt } from './m4a-tables.js';
import type { Source } from './source.js';

/** Boxes that contain others. */
const containers = ['moov', 'trak', 'edts', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf'];
const maxBoxes = 200_000;

interface Reading {
  /** The bytes in the file. */
  size: number;
  /** Units a second of the whole file's times. */
  rate: number;
  tracks: Track[];
  /** The defaults of each track's fragments: how long a sample lasts, and how many bytes it has. */
  usual: Map<number, Usual>;
  /** The position of the fragment that is read. */
  moof: number;
  fragment: Usual & { track: number; at: number; base: number };
  /** The samples in each track's fragments. */
  fragments: Map<number, Samples>;
}

interface Samples {
  count: number;
  time: number;
  /** The time of the last one, and the first time that two in a row have. */
  last: number;
  usual: number;
}

interface Usual {
  time: number;
  bytes: number;
}

/** Milliseconds, or undefined without sound. */
export async function m4aDuration(source: Source): Promise<number | undefined> {
  const reading: Reading = {
    size: source.size,
    rate: 0,
    tracks: [],
    usual: new Map(),
    moof: 0,
    fragment: { track: 0, at: 0, base: 0, time: 0, bytes: 0 },
    fragments: new Map(),
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
    if (type === 'trak') reading.tracks.push(newTrack());
    if (type === 'moof') reading.moof = reading.fragment.at = at;
    if (containers.includes(type)) {
      at = start;
      continue;
    }
    const [read, track] = [readers[type], reading.tracks.at(-1)];
    const readTrack = track === undefined ? undefined : trackReaders[type];
    if (read !== undefined || readTrack !== undefined) {
      const box = await source.bytes(start, at + size - start);
      read?.(box, reading);
      if (track !== undefined) readTrack?.(box, track);
    }
    at += size;
  }
  return durationOf(reading);
}

function durationOf({ size, rate, tracks, fragments }: Reading): number | undefined {
  const sound = tracks.find((track) => track.isSound && track.rate > 0);
  if (sound === undefined) return undefined;
  const { count, time: listed, usual } = fragments.get(sound.id) ?? noSamples;
  const time = sampleTime(sound, size, rate) + (sound.isEven && usual > 0 ? count * usual : listed);
  return time === 0 ? undefined : (time * 1_000) / sound.rate;
}

const noSamples: Samples = { count: 0, time: 0, last: 0, usual: 0 };

const readers: Record<string, (box: Buffer, reading: Reading) => void> = {
  mvhd(box, reading) {
    reading.rate = rateIn(box);
  },
  trex(box, { usual }) {
    usual.set(numberAt(box, 4), { time: numberAt(box, 12), bytes: numberAt(box, 16) });
  },
  tfhd(box, reading) {
    const flags = numberAt(box, 0) & 0xffffff;
    const track = numberAt(box, 4);
    const { time, bytes } = reading.usual.get(track) ?? { time: 0, bytes: 0 };
    const isPlaced = (flags & 1) !== 0;
    const skipped = 8 + (isPlaced ? 8 : 0) + (flags & 2 ? 4 : 0);
    const base = isPlaced ? wideAt(box, 8) : reading.moof;
    reading.fragment = {
      track,
      base,
      at: isPlaced ? base : reading.fragment.at,
      time: flags & 8 ? numberAt(box, skipped) : time,
      bytes: flags & 16 ? numberAt(box, skipped + (flags & 8 ? 4 : 0)) : bytes,
    };
  },
  trun(box, reading) {
    const { fragment, fragments, size } = reading;
    const flags = numberAt(box, 0) & 0xffffff;
    if (flags & 1) fragment.at = fragment.base + (box.length >= 12 ? box.readInt32BE(8) : 0);
    const first = 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0);
    const width = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length * 4;
    const most = width === 0 ? (size - fragment.at) / (fragment.bytes || 1) : (box.length - first) / width;
    const listed = Math.max(0, Math.min(numberAt(box, 4), Math.floor(most)));
    const samples = { ...(fragments.get(fragment.track) ?? noSamples) };
    fragments.set(fragment.track, samples);
    if (width === 0) {
      samples.count += listed;
      samples.time += listed * fragment.time;
      samples.usual ||= fragment.time;
      fragment.at += listed * fragment.bytes;
      return;
    }
    for (let i = 0, at = first; i < listed; i++, at += width) {
      fragment.at += flags & 0x200 ? numberAt(box, at + (flags & 0x100 ? 4 : 0)) : fragment.bytes;
      // The samples from here on were cut off.
      if (fragment.at > size) break;
      const time = flags & 0x100 ? numberAt(box, at) : fragment.time;
      if (samples.usual === 0 && time === samples.last) samples.usual = time;
      samples.last = time;
      samples.time += time;
      samples.count++;
    }
  },
};
