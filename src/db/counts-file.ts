// The file beside a world's database that holds what was counted since the database last heard of it: a line before
// each answer, so that a killed process has forgotten no request.

import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';

export interface CountsFile {
  /** The content of each line of a generation, the oldest first. */
  read(generation: number): unknown[][];
  /**
   * Writes a line behind those that are there.
   *
   * @param content JSON values with commas between
   * @returns false when there is no room left: then the database has to be told, and a new generation begins
   */
  append(generation: number, content: string): boolean;
  /** Begins at the top again, for a new generation. */
  restart(): void;
  close(): void;
}

// Some two thousand requests. All of it is there from the start, so that a line needs no space on a full disk.
const capacity = 256 * 1_024;

/**
 * Opens or makes the file.
 *
 * @throws an error of the system when that cannot be
 */
export function openCountsFile(path: string): CountsFile {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  const { size } = fstatSync(file);
  const zeros = Buffer.alloc(Math.max(0, capacity - size));
  for (let at = size; at < capacity; ) at += writeSync(file, zeros, 0, capacity - at, at);
  let end = 0;
  return {
    read(generation) {
      const text = Buffer.alloc(capacity);
      readSync(file, text, 0, capacity, 0);
      const lines: unknown[][] = [];
      end = 0;
      for (let next = text.indexOf(10); next >= 0; next = text.indexOf(10, end)) {
        const line = parsed(text.toString('utf8', end, next));
        // Lines of a former generation lie behind. One that was cut off still ends as one of those.
        if (line?.at(0) !== generation || line.at(-1) !== generation) break;
        lines.push(line.slice(1, -1));
        end = next + 1;
      }
      return lines;
    },
    append(generation, content) {
      const line = `[${generation},${content},${generation}]\n`;
      const length = Buffer.byteLength(line);
      if (end + length > capacity) return false;
      if (writeSync(file, line, end) < length) return false;
      end += length;
      return true;
    },
    restart() {
      end = 0;
    },
    close: () => closeSync(file),
  };
}

function parsed(line: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
