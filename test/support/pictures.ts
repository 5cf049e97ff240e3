// Reading pictures as any decoder would: PNG with every checksum looked at.

import { inflateSync } from 'node:zlib';

export interface ReadPicture {
  width: number;
  height: number;
  /** Red, green and blue of a pixel. */
  pixel(x: number, y: number): number[];
}

/** A PNG with a palette; throws with what is wrong. */
export function readPng(file: Buffer): ReadPicture {
  if (file.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') throw new Error('no PNG signature');
  const chunks: [string, Buffer][] = [];
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    const body = file.subarray(at + 4, at + 8 + length);
    if (crcOf(body) !== file.readUInt32BE(at + 8 + length)) throw new Error(`checksum at ${at}`);
    chunks.push([body.toString('latin1', 0, 4), body.subarray(4)]);
    at += 12 + length;
  }
  if (chunks.map(([type]) => type).join() !== 'IHDR,PLTE,IDAT,IEND') throw new Error(String(chunks.map(([t]) => t)));
  const [header, palette, data] = chunks.map(([, body]) => body) as [Buffer, Buffer, Buffer];
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  if (header.toString('hex', 8) !== '0803000000') throw new Error('not eight bits with a palette');
  const lines = inflateSync(data);
  if (lines.length !== (width + 1) * height) throw new Error('wrong amount of data');
  for (let y = 0; y < height; y++) {
    const start = y * (width + 1);
    const filter = lines[start];
    if (filter !== 0 && filter !== 2) throw new Error(`filter ${filter}`);
    for (let x = 1; x <= width && filter === 2; x++)
      lines[start + x] = ((lines[start + x] ?? 0) + (lines[start - width - 1 + x] ?? 0)) & 255;
  }
  const pixel = (x: number, y: number): number[] => {
    const index = lines[y * (width + 1) + 1 + x] ?? 0;
    if (index * 3 + 3 > palette.length) throw new Error(`no colour ${index}`);
    return [...palette.subarray(index * 3, index * 3 + 3)];
  };
  return { width, height, pixel };
}

function crcOf(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}
