// How long a WAV file plays: the bytes of its data chunk that are there, at the rate that its format tells.

import type { Source } from './source.js';

const maxChunks = 1_000;

/** Milliseconds, or undefined where format or data are missing. */
export async function wavDuration(source: Source): Promise<number | undefined> {
  let bytesPerSecond = 0;
  for (let at = 12, seen = 0; seen < maxChunks; seen++) {
    const header = await source.bytes(at, 8);
    if (header.length < 8) return undefined;
    const id = header.toString('latin1', 0, 4);
    const size = header.readUInt32LE(4);
    const start = at + 8;
    if (id === 'fmt ') bytesPerSecond = await rateIn(source, start);
    if (id === 'data') {
      // Recorders that could not go back to write the size leave none, or the greatest.
      const there = source.size - start;
      const bytes = size === 0 ? there : Math.min(size, there);
      return bytesPerSecond === 0 || bytes <= 0 ? undefined : (bytes * 1_000) / bytesPerSecond;
    }
    at = start + size + (size % 2);
  }
  return undefined;
}

async function rateIn(source: Source, at: number): Promise<number> {
  const format = await source.bytes(at, 16);
  return format.length < 16 ? 0 : format.readUInt32LE(8);
}
