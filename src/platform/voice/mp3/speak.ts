// Speech as tones: an MP3 file whose length depends on the text and whose pitch on the voice. Its frames are MPEG-1
// Layer III, 44.1 kHz, 128 kbps, mono, with a few spectral lines a granule.

import { afterThisTick } from '../../../core/clock.js';
import { memoizeMany } from '../../../core/memoize-last.js';
import { makeTag, type SpokenTag } from './tag.js';

/** The speed of speech. */
export const charactersPerSecond = 15;
/** Programs do not recognise shorter files as MP3: a fifth of a second. */
const leastFrames = 8;
/** Frames made in one turn: a tenth of a millisecond's work, as many requests may generate speech at once. */
const turnFrames = 250;

/** A text to speak. */
export interface Saying extends SpokenTag {
  /** The spectral line of the voice: 38 Hz each. */
  pitch: number;
}

/** The number of frames of a text: about 15 characters a second. */
export function framesOf(text: string): number {
  const seconds = [...text].length / charactersPerSecond;
  return Math.max(leastFrames, Math.round((seconds * sampleRate) / frameSamples));
}

/** The file of a spoken text; made in parts, between which other work can run. */
export async function speak(saying: Saying): Promise<Buffer> {
  const frames = framesOf(saying.text);
  const tag = makeTag(saying);
  // The frame with the length comes first, and is not counted.
  const file = Buffer.alloc(tag.length + bytesOf(frames + 1));
  tag.copy(file);
  makeInfoFrame(frames, bytesOf(frames + 1)).copy(file, tag.length);
  const { sounds, frameOf } = timbreOf(saying.pitch);
  const nextGranule = melodyOf(saying.text, sounds, frames * 2);
  for (let index = 1; index <= frames; index++) {
    const first = nextGranule();
    const at = tag.length + bytesOf(index);
    file.set(frameOf(first, nextGranule()), at);
    // The frame is a copy: its header says that it is padded.
    if (isPadded(index)) file[at + 2] = (file[at + 2] ?? 0) | 2;
    if (index % turnFrames === 0) await new Promise<void>((resolve) => afterThisTick(resolve));
  }
  return file;
}

// Vowels are tones, consonants are softer and higher, all else is a pause; each sound fades in and out.
function melodyOf(text: string, sounds: Timbre['sounds'], granules: number): () => Granule {
  const letters = [...text].map(soundOf);
  const soundAt = (index: number): Sound => letters[Math.floor((index * letters.length) / granules)] ?? 'pause';
  let index = 0;
  let before: Sound = 'pause';
  let sound = soundAt(0);
  return () => {
    const after = soundAt(++index);
    const granule = sounds[sound][before === sound && after === sound ? 0 : 1];
    before = sound;
    sound = after;
    return granule;
  };
}

/** The parts that all texts of a pitch are put together from. */
interface Timbre {
  sounds: Readonly<Record<Sound, readonly [loud: Granule, soft: Granule]>>;
  /** A frame of two of these granules, which nobody may change. */
  frameOf: (first: Granule, second: Granule) => Buffer;
}

// There are at most 25 frames of a pitch, 10 KB: kept, as they take most of the time of a short text.
const timbreOf = memoizeMany(50, (pitch: number): Timbre => {
  const made = new Map<Granule, Map<Granule, Buffer>>();
  return {
    sounds: {
      vowel: ring([pitch, pitch * 2 + 1], 196),
      consonant: ring([pitch + 2], 188),
      pause: [silence, silence],
    },
    frameOf(first, second) {
      const followers = made.get(first) ?? new Map<Granule, Buffer>();
      made.set(first, followers);
      const frame = followers.get(second) ?? makeFrame(first, second);
      followers.set(second, frame);
      return frame;
    },
  };
});

type Sound = 'vowel' | 'consonant' | 'pause';

function soundOf(letter: string): Sound {
  if (/[bcdfghjklmnpqrstvwxz]/i.test(letter)) return 'consonant';
  return /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(letter) ? 'vowel' : 'pause';
}

function ring(lines: readonly number[], gain: number): readonly [loud: Granule, soft: Granule] {
  return [
    { lines, gain },
    { lines, gain: gain - 6 },
  ];
}

const sampleRate = 44_100;
/** Samples that a frame plays. */
const frameSamples = 1_152;
const bytesPerFrame = 144 * 128_000;
/** Bytes of a frame without its padding byte. */
export const frameBytes = Math.floor(bytesPerFrame / sampleRate);
const headerBytes = 4;
const sideInfoBytes = 17;

/** Half a frame: the spectral lines that sound (each is 38 Hz wide) and their level; no lines are silence. */
export interface Granule {
  lines: readonly number[];
  /** 210 is full scale; each step of four halves it. */
  gain: number;
}

export const silence: Granule = { lines: [], gain: 0 };

/** A frame of two granules, without padding. */
export function makeFrame(first: Granule, second: Granule): Buffer {
  const frame = Buffer.alloc(frameBytes);
  frame.set([0xff, 0xfb, 0x90, 0xc4]);
  const spectra = [spectrumOf(first), spectrumOf(second)];
  const info = createBits(frame, headerBytes);
  // No bit reservoir, no private bits, no shared scale factors.
  info.put(0, 9 + 5 + 4);
  for (const [index, { gain }] of [first, second].entries()) {
    const length = spectra[index]?.reduce((sum, [, width]) => sum + width, 0) ?? 0;
    info.put(length, 12);
    info.put(0, 9);
    info.put(length === 0 ? 0 : gain, 8);
    // No scale factors, a long window, and only the Huffman table for values up to one.
    info.put(0, 4 + 1 + 15 + 7 + 1 + 1);
    info.put(1, 1);
  }
  const main = createBits(frame, headerBytes + sideInfoBytes);
  for (const [value, width] of spectra.flat()) main.put(value, width);
  return frame;
}

// Four lines at a time, each present or not; a code word has an inverted bit per line, then a sign per present line.
function spectrumOf({ lines }: Granule): [value: number, width: number][] {
  const groups = lines.length === 0 ? 0 : Math.floor(Math.max(...lines) / 4) + 1;
  return Array.from({ length: groups }, (_, group): [number, number] => {
    const present = lines.filter((line) => Math.floor(line / 4) === group);
    const code = present.reduce((bits, line) => bits | (8 >> (line % 4)), 0);
    return [(15 - code) << present.length, 4 + present.length];
  });
}

/** Whether the n-th frame carries a padding byte, so that 417 and 418 bytes make 128 kbps. */
export function isPadded(index: number): boolean {
  const upTo = (count: number): number => Math.floor((count * bytesPerFrame) / sampleRate);
  return upTo(index + 1) - upTo(index) > frameBytes;
}

/** The length of the first frames, in bytes. */
export function bytesOf(frames: number): number {
  return Math.floor((frames * bytesPerFrame) / sampleRate);
}

/** The silent first frame, which states how many frames follow and the total size in bytes. */
export function makeInfoFrame(frames: number, bytes: number): Buffer {
  const frame = makeFrame(silence, silence);
  const at = headerBytes + sideInfoBytes;
  frame.write('Info', at, 'latin1');
  frame.writeUInt32BE(3, at + 4);
  frame.writeUInt32BE(frames, at + 8);
  frame.writeUInt32BE(bytes, at + 12);
  return frame;
}

interface Bits {
  put(value: number, width: number): void;
}

function createBits(target: Buffer, start: number): Bits {
  let at = start * 8;
  return {
    // Zeros are there already.
    put(value, width) {
      at += width;
      for (let rest = value, bit = at - 1; rest > 0; rest >>= 1, bit--) {
        if (rest & 1) target[bit >> 3] = (target[bit >> 3] ?? 0) | (128 >> (bit & 7));
      }
    },
  };
}
