// Uploaded audio: the limits of uploads, and what a file is: one of six formats by its first bytes, its duration, and the
// text that was spoken in it.

import { type FieldProblem, invalid } from '../../../core/errors.js';
import { describe } from '../../../core/problems.js';
import type { UploadDeclaration, UploadedFile } from '../../../http/endpoint.js';
import { maxTagBytes, readSpokenText } from '../mp3/tag.js';
import { flacDuration } from './flac.js';
import { m4aDuration } from './m4a.js';
import { audioStart, beginsWithinFrame, isMp3At, mp3Duration } from './mp3.js';
import { oggDuration } from './ogg.js';
import { type Source, withSource } from './source.js';
import { wavDuration } from './wav.js';
import { webmDuration } from './webm.js';

const mega = 1_024 * 1_024;
const maxFileBytes = 25 * mega;

/** One recording. */
export const recording: UploadDeclaration = {
  fields: ['audio'],
  maxFiles: 1,
  maxFileBytes,
  maxBytes: maxFileBytes,
};

/** Samples of a voice. */
export const voiceSamples: UploadDeclaration = {
  fields: ['file0', 'file1'],
  pattern: /^file/,
  maxFiles: 10,
  maxFileBytes,
  maxBytes: 100 * mega,
};

/**
 * Inspects uploaded files, in their order.
 *
 * @throws ApiError VALIDATION_ERROR with an entry for each file that is not audio
 */
export async function audioIn(files: readonly UploadedFile[]): Promise<{ file: UploadedFile; audio: Audio }[]> {
  const problems: FieldProblem[] = [];
  const recordings: { file: UploadedFile; audio: Audio }[] = [];
  for (const file of files) {
    const audio = await inspectAudio(file.path);
    if ('problem' in audio) problems.push(problemOf(file, files, audio.problem));
    else recordings.push({ file, audio });
  }
  if (problems.length > 0) throw invalid(...problems);
  return recordings;
}

function problemOf(file: UploadedFile, all: readonly UploadedFile[], message: string): FieldProblem {
  const { field, name, bytes } = file;
  const number = all.filter((other) => other.field === field).indexOf(file);
  const path = field.slice(0, 100) + (number === 0 ? '' : `[${number}]`);
  return { path, message, received: `${describe(name)}, ${bytes} bytes` };
}

const durations = {
  mp3: mp3Duration,
  wav: wavDuration,
  ogg: oggDuration,
  webm: webmDuration,
  m4a: m4aDuration,
  flac: flacDuration,
} as const satisfies Record<string, (source: Source) => Promise<number | undefined>>;

export type AudioFormat = keyof typeof durations;

export const audioFormats = Object.keys(durations) as AudioFormat[];

/** More than a file of the largest size can hold: a header that states more is wrong. */
const longestMs = 100 * 3_600_000;

export interface Audio {
  format: AudioFormat;
  durationMs: number;
  /** The text, if this emulator made the file. */
  spoken: string | undefined;
}

/** The problem of a file that is not audio: a sentence that continues after the field's name. */
export interface NoAudio {
  problem: string;
}

/** Inspects a file; its name and its declared type are ignored. */
export async function inspectAudio(path: string): Promise<Audio | NoAudio> {
  return withSource(path, async (source) => {
    if (source.size === 0) return { problem: 'is empty' };
    const format = await formatOf(source);
    if (format === undefined) {
      return { problem: `must be audio as ${audioFormats.join(', ')}: its first bytes are of no such file` };
    }
    const durationMs = await durations[format](source);
    if (durationMs === undefined || durationMs <= 0)
      return { problem: `holds no sound: it begins as ${format}, and ends too early` };
    if (durationMs > longestMs) return { problem: 'is damaged: it claims more sound than it can hold' };
    const spoken = format === 'mp3' ? readSpokenText(await source.bytes(0, maxTagBytes)) : undefined;
    return { format, durationMs, spoken };
  });
}

/** The format by the first bytes. */
export async function formatOf(source: Source): Promise<AudioFormat | undefined> {
  const head = await source.bytes(0, 64);
  const has = (text: string, at = 0): boolean => head.toString('latin1', at, at + text.length) === text;
  if ((has('RIFF') || has('RF64') || has('BW64')) && has('WAVE', 8)) return 'wav';
  if (has('OggS')) return 'ogg';
  if (has('\x1a\x45\xdf\xa3')) return 'webm';
  if (has('ftyp', 4)) return 'm4a';
  const start = await audioStart(source);
  if ((await source.bytes(start, 4)).toString('latin1') === 'fLaC') return 'flac';
  return start > 0 || (await isMp3At(source, 0)) || (await beginsWithinFrame(source)) ? 'mp3' : undefined;
}
