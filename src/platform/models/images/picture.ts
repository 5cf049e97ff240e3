// The picture of a key: a symmetric pattern in its own colours, in any size, as a PNG with a palette.

import { promisify } from 'node:util';
import type { FileRecipe } from '../files/address.js';

const cells = 10;
const colours = 4;

/** The PNG file of a picture. */
export async function drawPicture({ key, width, height }: Omit<FileRecipe, 'kind'>): Promise<Buffer> {
  const digits = Array.from(key, (digit) => Number.parseInt(digit, 16));
  const edges = Array.from({ length: cells + 1 }, (_, cell) => Math.round((cell * height) / cells));
  const bands = Array.from({ length: cells }, (_, row): Band => {
    const count = (edges[row + 1] ?? 0) - (edges[row] ?? 0);
    return { line: lineOf(digits, row, width), count };
  });
  return writePng(width, paletteOf(key), bands);
}

// The colours of a key, three numbers each: a light one for the background, then darker ones.
function paletteOf(key: string): number[] {
  return Array.from({ length: colours * 3 }, (_, index) => {
    const byte = Number.parseInt(key.slice(index * 2, index * 2 + 2), 16);
    return index < 3 ? 208 + (byte % 48) : 32 + Math.floor((byte * 2) / 3);
  });
}

// The right half mirrors the left one.
function lineOf(digits: readonly number[], row: number, width: number): Buffer {
  return Buffer.from(
    Array.from({ length: width }, (_, x) => {
      const column = Math.floor((x * cells) / width);
      const half = Math.min(column, cells - 1 - column);
      const digit =
        (digits[(row * 5 + half) % digits.length] ?? 0) + (digits[(row * 7 + half * 3) % digits.length] ?? 0);
      return digit % 2 === 0 ? 0 : 1 + (digit % (colours - 1));
    }),
  );
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** Lines that are like each other. */
interface Band {
  /** A palette index for each pixel of a line. */
  line: Buffer;
  /** How many lines are like it. */
  count: number;
}

// A PNG of bands of equal lines. 4,096 pixels square take 38 ms in a thread of zlib's; pngjs 7.0, which writes every
// pixel, takes 980 ms in the main thread.
async function writePng(width: number, palette: readonly number[], bands: readonly Band[]): Promise<Buffer> {
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

// A line that equals the one above is filter 2 and zeros.
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
