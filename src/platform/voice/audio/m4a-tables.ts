// The tables of a track of an M4A file: how long its samples are, where their bytes are, and which of them are played.

export interface Track {
  id: number;
  isSound: boolean;
  /** Whether all its samples are as long: what a table says of the first or the last one may be a pause, or a cut. */
  isEven: boolean;
  /** Units of time a second. */
  rate: number;
  /** The boxes that list how long samples last, how many bytes they have, how many there are in a chunk, where chunks begin. */
  times: Buffer;
  sizes: Buffer;
  chunks: Buffer;
  places: Buffer;
  /** The bytes of a place. */
  placeBytes: 4 | 8;
  /** The parts of the track that are played. */
  edits: Edit[];
}

interface Edit {
  /** In units of the whole file's time; 0 for the rest. */
  length: number;
  /** Where it begins in the track; -1 for a pause. */
  from: number;
}

const none = Buffer.alloc(0);

export function newTrack(): Track {
  return {
    id: 0,
    isSound: false,
    isEven: false,
    rate: 0,
    times: none,
    sizes: none,
    chunks: none,
    places: none,
    placeBytes: 4,
    edits: [],
  };
}

export const trackReaders: Record<string, (box: Buffer, track: Track) => void> = {
  tkhd(box, track) {
    track.id = numberAt(box, box[0] === 1 ? 20 : 12);
  },
  mdhd(box, track) {
    track.rate = rateIn(box);
  },
  hdlr(box, track) {
    if (box.toString('latin1', 8, 12) === 'soun') track.isSound = true;
  },
  stsd(box, track) {
    track.isEven = box.toString('latin1', 12, 16) === 'mp4a';
  },
  stts(box, track) {
    track.times = box;
  },
  stsz(box, track) {
    track.sizes = box;
  },
  stsc(box, track) {
    track.chunks = box;
  },
  stco(box, track) {
    track.places = box;
  },
  co64(box, track) {
    track.places = box;
    track.placeBytes = 8;
  },
  elst(box, track) {
    const [width, read] = box[0] === 1 ? [20, wideAt] : [12, numberAt];
    track.edits = entriesOf(box, 8, width, numberAt(box, 4), (at) => {
      const from = read(box, at + (width - 4) / 2);
      return { length: read(box, at), from: from >= 2 ** (width === 20 ? 63 : 31) ? -1 : from };
    });
  },
};

function entriesOf<Entry>(
  box: Buffer,
  first: number,
  width: number,
  count: number,
  read: (at: number) => Entry,
): Entry[] {
  const entries: Entry[] = [];
  for (let at = first; entries.length < count && at + width <= box.length; at += width) entries.push(read(at));
  return entries;
}

/**
 * The time of the samples that are played and whose bytes are in the file, in units of the track.
 *
 * @param size the bytes of the file
 * @param rate units a second of the whole file's times
 */
export function sampleTime(track: Track, size: number, rate: number): number {
  const there = samplesThere(track, size);
  let time = 0;
  let usual = { count: 0, time: 0 };
  for (let at = 8, left = there; at + 8 <= track.times.length && left > 0; at += 8) {
    const entry = { count: Math.min(left, numberAt(track.times, at)), time: numberAt(track.times, at + 4) };
    time += entry.count * entry.time;
    left -= entry.count;
    if (entry.count > usual.count) usual = entry;
  }
  const step = track.isEven ? usual.time : 1;
  if (track.isEven) time = there * step;
  const parts = track.edits.filter(({ from }) => from >= 0);
  if (parts.length === 0 || step === 0) return time;
  return parts.reduce((sum, { length, from }) => {
    // Decoders give out samples as a whole: what begins within a part is heard to its end.
    const end = length === 0 || rate === 0 ? time : Math.ceil((from + (length * track.rate) / rate) / step) * step;
    return sum + Math.max(0, Math.min(time, end) - from);
  }, 0);
}

/** The number of samples before the first one whose bytes are not in the file. */
function samplesThere({ sizes, chunks, places, placeBytes }: Track, size: number): number {
  const equalBytes = numberAt(sizes, 4);
  const stated = numberAt(sizes, 8);
  const total = equalBytes > 0 ? stated : Math.min(stated, Math.floor((sizes.length - 12) / 4));
  let there = 0;
  let entry = 8;
  const last = Math.min(numberAt(places, 4), Math.floor((places.length - 8) / placeBytes));
  for (let chunk = 1; chunk <= last && there < total; chunk++) {
    // An entry holds for all chunks until that which the next one names.
    while (entry + 24 <= chunks.length && numberAt(chunks, entry + 12) <= chunk) entry += 12;
    const count = Math.min(numberAt(chunks, entry + 4), total - there);
    let at = placeBytes === 8 ? wideAt(places, chunk * 8) : numberAt(places, 4 + chunk * 4);
    if (equalBytes > 0) {
      const whole = Math.min(count, Math.floor((size - at) / equalBytes));
      there += Math.max(0, whole);
      if (whole < count) return there;
      continue;
    }
    for (let i = 0; i < count; i++) {
      at += numberAt(sizes, 12 + there * 4);
      if (at > size) return there;
      there++;
    }
  }
  return there;
}

/** The units of time a second that a header states. */
export function rateIn(box: Buffer): number {
  return numberAt(box, box[0] === 1 ? 20 : 12);
}

export function numberAt(box: Buffer, at: number): number {
  return at + 4 <= box.length ? box.readUInt32BE(at) : 0;
}

export function wideAt(box: Buffer, at: number): number {
  return at + 8 <= box.length ? Number(box.readBigUInt64BE(at)) : 0;
}
