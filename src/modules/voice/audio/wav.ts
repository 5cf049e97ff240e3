// The duration of a WAV file: the present bytes of its data chunk at the rate of its format.

import type { Source } from './source.js';

const maxChunks = 1_000;

/** Milliseconds, or undefined where format or data are missing. */
export async function wavDuration(source: Source): Promise<number | undefined> {
  let msPerByte: number | undefined;
  for (let at = 12, seen = 0; seen < maxChunks; seen++) {
    const header = await source.bytes(at, 8);
    if (header.length < 8) return undefined;
    const id = header.toString('latin1', 0, 4);
    const size = header.readUInt32LE(4);
    const start = at + 8;
    if (id === 'fmt ') msPerByte = readFormat(await source.bytes(start, Math.min(size, 40)));
    if (id === 'data') {
      // Recorders that could not go back to write the size leave zero, or the maximum.
      const there = source.size - start;
      const bytes = size === 0 ? there : Math.min(size, there);
      return msPerByte === undefined || bytes <= 0 ? undefined : bytes * msPerByte;
    }
    at = start + size + (size % 2);
  }
  return undefined;
}

/** Formats whose blocks hold more samples than their bytes imply: the headers of ADPCM state wrong rates. */
const blockFormats = [0x02, 0x11];

function readFormat(format: Buffer): number | undefined {
  if (format.length < 16) return undefined;
  const bytesPerSecond = format.readUInt32LE(8);
  const samplesPerSecond = format.readUInt32LE(4);
  const blockBytes = format.readUInt16LE(12);
  const blockSamples = format.length >= 20 ? format.readUInt16LE(18) : 0;
  if (blockFormats.includes(format.readUInt16LE(0)) && blockBytes > 0 && blockSamples > 0 && samplesPerSecond > 0)
    return (blockSamples * 1_000) / samplesPerSecond / blockBytes;
  return bytesPerSecond === 0 ? undefined : 1_000 / bytesPerSecond;
}
