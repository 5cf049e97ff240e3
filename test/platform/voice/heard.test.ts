// Recordings that are longer or shorter than what is written in them: cut, late, with pictures, subtitles or a second sound. Each
// lasts as long as what FFmpeg decodes of its first sound; `durations.full.ts` makes many more.

import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inspectAudio } from '../../../src/platform/voice/audio/inspect.js';

const folder = new URL('recordings/', import.meta.url);

/** Milliseconds of the samples that FFmpeg decodes. */
const decoded: Record<string, number> = {
  'appended.webm': 4_006,
  'delayed.mp3': 2_000,
  'end.flac': 2_064,
  'end.ogg': 2_000,
  'end.webm': 2_000,
  'half-fragmented.m4a': 5_824,
  'half.flac': 5_040,
  'half.m4a': 5_376,
  'half.webm': 5_674,
  'laced.webm': 2_024,
  'late-flac.ogg': 2_000,
  'late-live.webm': 2_000,
  'late-vorbis.ogg': 2_000,
  'late.m4a': 2_112,
  'late.ogg': 2_000,
  'late.webm': 2_000,
  'picture-fragmented.m4a': 2_112,
  'picture.m4a': 2_048,
  'picture.webm': 2_000,
  'subtitles.m4a': 2_048,
  'two.webm': 2_000,
};

it('every recording lasts as long as what can be heard of it', async () => {
  const told: Record<string, number | string> = {};
  for (const name of readdirSync(folder)) {
    const audio = await inspectAudio(new URL(name, folder).pathname);
    told[name] = 'problem' in audio ? audio.problem : Math.round(audio.durationMs);
  }
  expect(Object.keys(told)).toEqual(Object.keys(decoded));
  const wrong = Object.entries(told).filter(
    ([name, ms]) => typeof ms === 'string' || Math.abs(ms - (decoded[name] ?? 0)) > 20,
  );
  expect(wrong.map(([name, ms]) => ({ name, ms, decoded: decoded[name] }))).toEqual([]);
});
