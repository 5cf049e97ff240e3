// Putting H.264 pictures into an MP4 file.

import type { parametersOf } from './h264.js';

export interface Film {
  width: number;
  height: number;
  parameters: ReturnType<typeof parametersOf>;
  /** NAL units, one a picture; only the first one stands for itself. */
  pictures: readonly Buffer[];
  /** Pictures a second. */
  rate: number;
}

const fixedOne = 0x10000;
const unity = [fixedOne, 0, 0, 0, fixedOne, 0, 0, 0, 0x40000000];
/** "und": of no language. */
const noLanguage = 0x55c4;

/** The file: what players need first stands first. */
export function writeMp4(film: Film): Buffer {
  const samples = film.pictures.map((unit) => Buffer.concat([u32(unit.length), unit]));
  const type = box('ftyp', ascii('isom'), u32(512), ascii('isomiso2avc1mp41'));
  const offset = type.length + movie(film, samples, 0).length + 8;
  return Buffer.concat([type, movie(film, samples, offset), box('mdat', ...samples)]);
}

function movie(film: Film, samples: readonly Buffer[], offset: number): Buffer {
  const { width, height, rate } = film;
  const duration = samples.length;
  const sides = u32(width * fixedOne, height * fixedOne);
  return box(
    'moov',
    fullBox('mvhd', 0, u32(0, 0, rate, duration, fixedOne), u16(0x100, 0), u32(0, 0, ...unity, 0, 0, 0, 0, 0, 0, 2)),
    box(
      'trak',
      fullBox('tkhd', 3, u32(0, 0, 1, 0, duration, 0, 0), u16(0, 0, 0, 0), u32(...unity), sides),
      box(
        'mdia',
        fullBox('mdhd', 0, u32(0, 0, rate, duration), u16(noLanguage, 0)),
        fullBox('hdlr', 0, u32(0), ascii('vide'), u32(0, 0, 0), ascii('Video\0')),
        box(
          'minf',
          fullBox('vmhd', 1, u16(0, 0, 0, 0)),
          box('dinf', fullBox('dref', 0, u32(1), fullBox('url ', 1))),
          box('stbl', ...tables(film, samples, offset)),
        ),
      ),
    ),
  );
}

// One chunk holds all samples, each as long as the others.
function tables(film: Film, samples: readonly Buffer[], offset: number): Buffer[] {
  const count = samples.length;
  return [
    fullBox('stsd', 0, u32(1), sampleEntry(film)),
    fullBox('stts', 0, u32(1, count, 1)),
    fullBox('stss', 0, u32(1, 1)),
    fullBox('stsc', 0, u32(1, 1, count, 1)),
    fullBox('stsz', 0, u32(0, count, ...samples.map(({ length }) => length))),
    fullBox('stco', 0, u32(1, offset)),
  ];
}

function sampleEntry({ width, height, parameters: { sps, pps } }: Film): Buffer {
  const resolution = 72 * fixedOne;
  return box(
    'avc1',
    u16(0, 0, 0, 1),
    u32(0, 0, 0, 0),
    u16(width, height),
    u32(resolution, resolution, 0),
    u16(1),
    Buffer.alloc(32),
    u16(24, 0xffff),
    box(
      'avcC',
      // Version, profile, compatibility, level; lengths have four bytes; one set of each kind.
      Buffer.from([1, sps[1] ?? 0, sps[2] ?? 0, sps[3] ?? 0, 0xff, 0xe1]),
      u16(sps.length),
      sps,
      Buffer.from([1]),
      u16(pps.length),
      pps,
    ),
  );
}

function box(type: string, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([u32(content.length + 8), ascii(type), content]);
}

function fullBox(type: string, flags: number, ...parts: Buffer[]): Buffer {
  return box(type, u32(flags), ...parts);
}

function ascii(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, i * 4);
  return bytes;
}

function u16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [i, value] of values.entries()) bytes.writeUInt16BE(value, i * 2);
  return bytes;
}
