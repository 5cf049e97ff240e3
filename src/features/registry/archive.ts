// Layers of made-up images: tar archives, compressed as gzip, with the same bytes on every machine.

import { gzipSync } from 'node:zlib';

export interface ArchivedFile {
  /** Without a leading slash. */
  path: string;
  content: Buffer;
  /** Its permissions, such as 0o755. */
  mode: number;
}

const blockSize = 512;

/** A tar archive of files, all of them root's and without a time. */
export function tarOf(files: readonly ArchivedFile[]): Buffer {
  const parts = files.flatMap(({ path, content, mode }) => [
    headerOf(path, content.length, mode),
    content,
    Buffer.alloc((blockSize - (content.length % blockSize)) % blockSize),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(2 * blockSize)]);
}

// The fields of POSIX ustar; numbers are octal digits.
function headerOf(path: string, size: number, mode: number): Buffer {
  const header = Buffer.alloc(blockSize);
  const octal = (value: number, at: number, length: number): void =>
    void header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at);
  header.write(path, 0, 100);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  // The sum is taken with blanks in its own place.
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return header;
}

/** The archive as gzip. It is stored, not compressed: how zlib compresses differs from version to version. */
export function gzipOf(archive: Buffer): Buffer {
  const zipped = gzipSync(archive, { level: 0 });
  // The operating system, which zlib writes down.
  zipped[9] = 255;
  return zipped;
}
