// Tar archives, for layers of generated images and for engines to load: the same bytes on every machine.

import { gzipSync } from 'node:zlib';

export interface ArchivedFile {
  /** Without a leading slash. */
  path: string;
  content: Buffer;
  /** Its permissions, such as 0o755. */
  mode: number;
}

const blockSize = 512;

/** A tar archive of files, all of them owned by root and without a time. */
export function tarOf(files: readonly ArchivedFile[]): Buffer {
  const parts = files.flatMap(({ path, content, mode }) => [
    tarHeader(path, content.length, mode),
    content,
    tarPadding(content.length),
  ]);
  return Buffer.concat([...parts, tarEnd()]);
}

/** The padding after a file of this size. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((blockSize - (size % blockSize)) % blockSize);
}

/** The end of an archive. */
export function tarEnd(): Buffer {
  return Buffer.alloc(2 * blockSize);
}

const mostOctal = 8 ** 11;

/** The header of a file: the fields of POSIX ustar; numbers are octal digits, a size beyond 8 GB is binary. */
export function tarHeader(path: string, size: number, mode: number): Buffer {
  const header = Buffer.alloc(blockSize);
  const octal = (value: number, at: number, length: number): void =>
    void header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at);
  header.write(path, 0, 100);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  if (size < mostOctal) octal(size, 124, 12);
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  octal(0, 136, 12);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  // The checksum is computed with blanks in its own field.
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return header;
}

/** The archive as gzip, stored without compression: the output of zlib's compression differs between versions. */
export function gzipOf(archive: Buffer): Buffer {
  const zipped = gzipSync(archive, { level: 0 });
  // The operating system, which zlib records.
  zipped[9] = 255;
  return zipped;
}
