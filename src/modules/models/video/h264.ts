// Coloured stripes as H.264 (baseline profile): the first picture says them, all others that nothing has changed.

import { type BitWriter, createBits } from './bits.js';

const block = 16;
const nalTypes = { slice: 0x21, idr: 0x65, sps: 0x67, pps: 0x68 } as const;

/** A picture of vertical stripes of equal width. */
export interface Stripes {
  width: number;
  height: number;
  /** Red, green and blue of each. */
  colours: readonly (readonly [number, number, number])[];
}

/** The parameters of a stream: NAL units. */
export function parametersOf({ width, height }: Stripes): { sps: Buffer; pps: Buffer } {
  const [across, down] = blocksOf({ width, height });
  const sps = createBits();
  // Constrained baseline; the level has room for 1080p.
  sps.bytes(Buffer.from([66, 0xc0, 40]));
  for (const value of [0, 0, 2, 1]) sps.ue(value);
  sps.bits(0, 1);
  sps.ue(across - 1);
  sps.ue(down - 1);
  sps.bits(0b11, 2);
  const isCropped = width % block !== 0 || height % block !== 0;
  sps.bits(isCropped ? 1 : 0, 1);
  if (isCropped) for (const value of [0, (across * block - width) / 2, 0, (down * block - height) / 2]) sps.ue(value);
  sps.bits(0, 1);
  const pps = createBits();
  pps.ue(0);
  pps.ue(0);
  pps.bits(0, 2);
  for (let i = 0; i < 3; i++) pps.ue(0);
  pps.bits(0, 3);
  for (let i = 0; i < 3; i++) pps.ue(0);
  // Slices say themselves that edges are left as they are.
  pps.bits(0b100, 3);
  return { sps: nal(nalTypes.sps, sps), pps: nal(nalTypes.pps, pps) };
}

/** The first picture, a NAL unit. */
export function firstPicture(stripes: Stripes): Buffer {
  const [across, down] = blocksOf(stripes);
  const { colours } = stripes;
  const starts = new Map(colours.map((colour, i) => [Math.floor((i * across) / colours.length), colour]));
  const slice = createBits();
  for (const value of [0, 7, 0]) slice.ue(value);
  slice.bits(0, 4);
  slice.ue(0);
  slice.bits(0, 2);
  endHeader(slice);
  for (let y = 0; y < down; y++) for (let x = 0; x < across; x++) writeBlock(slice, x, y, starts);
  return nal(nalTypes.idr, slice);
}

/** The picture of a number above 0: all blocks are skipped. */
export function nextPicture(stripes: Stripes, number: number): Buffer {
  const [across, down] = blocksOf(stripes);
  const slice = createBits();
  for (const value of [0, 5, 0]) slice.ue(value);
  slice.bits(number % 16, 4);
  slice.bits(0, 3);
  endHeader(slice);
  slice.ue(across * down);
  return nal(nalTypes.slice, slice);
}

// The quantizer stays, and so do the edges of blocks.
function endHeader(slice: BitWriter): void {
  slice.ue(0);
  slice.ue(1);
}

// A stripe begins with a block in plain samples; the rest of the first row goes on from the left, all others from above.
function writeBlock(slice: BitWriter, x: number, y: number, starts: ReadonlyMap<number, readonly number[]>): void {
  const colour = starts.get(x);
  if (y === 0 && colour !== undefined) {
    writeSamples(slice, colour);
    return;
  }
  const isFirstRow = y === 0;
  slice.ue(isFirstRow ? 2 : 1);
  slice.ue(isFirstRow ? 1 : 2);
  slice.ue(0);
  // No coefficients: how that is coded depends on whether a neighbour is in plain samples.
  const isNextToSamples = isFirstRow ? starts.has(x - 1) : y === 1 && colour !== undefined;
  if (isNextToSamples) slice.bits(0b000011, 6);
  else slice.bits(1, 1);
}

function writeSamples(slice: BitWriter, [red = 0, green = 0, blue = 0]: readonly number[]): void {
  slice.ue(25);
  slice.align();
  const luma = 16 + 0.257 * red + 0.504 * green + 0.098 * blue;
  const [cb, cr] = [128 - 0.148 * red - 0.291 * green + 0.439 * blue, 128 + 0.439 * red - 0.368 * green - 0.071 * blue];
  slice.bytes(Buffer.alloc(block * block, Math.round(luma)));
  for (const chroma of [cb, cr]) slice.bytes(Buffer.alloc((block * block) / 4, Math.round(chroma)));
}

function blocksOf({ width, height }: Pick<Stripes, 'width' | 'height'>): [across: number, down: number] {
  return [Math.ceil(width / block), Math.ceil(height / block)];
}

// Three bytes that could be taken for the beginning of a unit get a 3 between them.
function nal(type: number, content: BitWriter): Buffer {
  const bytes = [type];
  let zeros = 0;
  for (const byte of content.finish()) {
    if (zeros === 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    bytes.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Buffer.from(bytes);
}
