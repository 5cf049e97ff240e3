// The picture of a key: a symmetric pattern in its own colours, in any size.

import type { FileRecipe } from '../files/address.js';
import { type Band, writePng } from './png.js';

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
