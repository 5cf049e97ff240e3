// Writing PNG files whose lines repeat: eight bits a pixel, colours from a palette.

import { promisify } from 'node:util';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** Lines that are like each other. */
export interface Band {
  /** A palette index for each pixel of a line. */
  line: Buffer;
  /** How many lines are like it. */
  count: number;
}

/** A picture of bands of equal lines. */
export async function writePng(width: number, palette: readonly number[], bands: readonly Band[]): Promise<Buffer> {
  const height = bands.reduce((sum, { count }) => sum + count, 0);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits, palette; compression, filter and interlace as usual.
  header.set([8, 3, 0, 0, 0], 8);
  // Loaded on first use.
  const { deflate } = await import('node:zlib');
  const data = await promisify(deflate)(filtered(width, height, bands));
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette)),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

// A line that is like the one above says only that: filter 2 and zeros.
function filtered(width: number, height: number, bands: readonly Band[]): Buffer {
  const lines = Buffer.alloc((width + 1) * height);
  let at = 0;
  for (const { line, count } of bands) {
    if (count > 0) line.copy(lines, at + 1);
    for (let i = 0; i < count; i++, at += width + 1) if (i > 0) lines[at] = 2;
  }
  return lines;
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(content.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

// Node has it only since 20.15.
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
