// The video of a key: stripes in its own colours, that stand still for as long as is wanted.

import type { FileRecipe } from '../files/address.js';
import { paletteOf } from '../images/picture.js';
import { firstPicture, nextPicture, parametersOf, type Stripes } from './h264.js';
import { writeMp4 } from './mp4.js';

const rate = 24;
const stripeCount = 8;

/** The MP4 file of a video. */
export function makeFilm({ key, width, height, seconds = 1 }: Omit<FileRecipe, 'kind'>): Buffer {
  const palette = paletteOf(key);
  const colours = Array.from({ length: stripeCount }, (_, stripe) => {
    const at = (Number.parseInt(key.charAt(stripe), 16) % (palette.length / 3)) * 3;
    return [palette[at] ?? 0, palette[at + 1] ?? 0, palette[at + 2] ?? 0] as const;
  });
  const stripes: Stripes = { width, height, colours };
  const following = Array.from({ length: rate * seconds - 1 }, (_, index) => nextPicture(stripes, index + 1));
  const pictures = [firstPicture(stripes), ...following];
  return writeMp4({ width, height, parameters: parametersOf(stripes), pictures, rate });
}
