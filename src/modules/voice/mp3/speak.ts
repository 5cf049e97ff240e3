// Speech as tones: an MP3 file whose length depends on the text and whose pitch on the voice.

import { afterThisTick } from '../../../core/clock.js';
import {
  bytesOf,
  frameBytes,
  frameSamples,
  type Granule,
  isPadded,
  makeFrame,
  makeInfoFrame,
  markPadded,
  sampleRate,
  silence,
} from './frames.js';
import { makeTag, type SpokenTag } from './tag.js';

/** The speed of speech. */
export const charactersPerSecond = 15;
/** Programs do not recognise shorter files as MP3: a fifth of a second. */
const leastFrames = 8;
/** Frames per slice: a tenth of a millisecond's work, as many requests may generate speech at once. */
const sliceFrames = 250;

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

/** The file of a spoken text; made in slices, between which other work can run. */
export async function speak(saying: Saying): Promise<Buffer> {
  const frames = framesOf(saying.text);
  const tag = makeTag(saying);
  // The frame with the length comes first, and is not counted.
  const file = Buffer.alloc(tag.length + bytesOf(frames + 1));
  tag.copy(file);
  makeInfoFrame(frames, bytesOf(frames + 1)).copy(file, tag.length);
  const granules = melodyOf(saying, frames * 2);
  const made = new Map<Granule, Map<Granule, Buffer>>();
  for (let index = 1; index <= frames; index++) {
    const [first = silence, second = silence] = [granules(index * 2 - 2), granules(index * 2 - 1)];
    const followers = made.get(first) ?? new Map<Granule, Buffer>();
    made.set(first, followers);
    const frame = followers.get(second) ?? makeFrame(first, second);
    followers.set(second, frame);
    const at = tag.length + bytesOf(index);
    frame.copy(file, at, 0, frameBytes);
    if (isPadded(index)) markPadded(file, at);
    if (index % sliceFrames === 0) await new Promise<void>((resolve) => afterThisTick(resolve));
  }
  return file;
}

// Vowels are tones, consonants are softer and higher, all else is a pause; each sound fades in and out.
function melodyOf({ text, pitch }: Saying, granules: number): (index: number) => Granule {
  const letters = [...text].map(soundOf);
  const sounds = {
    vowel: ring([pitch, pitch * 2 + 1], 196),
    consonant: ring([pitch + 2], 188),
    pause: [silence, silence],
  } as const satisfies Record<Sound, readonly [loud: Granule, soft: Granule]>;
  const soundAt = (index: number): Sound => letters[Math.floor((index * letters.length) / granules)] ?? 'pause';
  return (index) => {
    const sound = soundAt(index);
    const isEdge = soundAt(index - 1) !== sound || soundAt(index + 1) !== sound;
    return sounds[sound][isEdge ? 1 : 0];
  };
}

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
