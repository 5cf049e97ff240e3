// The file beside a database with the counts that are not in it yet: its lines survive the process.

import { closeSync, constants, fstatSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { parsedJson } from '../core/json.js';

interface CountsFile {
  /** The content of each line of a generation, the oldest first. */
  read(generation: number): unknown[][];
  /**
   * Appends a line.
   *
   * @param content JSON values with commas between
   * @returns false when there is no room left: then the database has to be told, and a new generation begins
   */
  append(generation: number, content: string): boolean;
  /** Begins at the top again, for a new generation. */
  restart(): void;
  /** Closes it, and removes it where the database holds everything. */
  close(): void;
  /** Closes it as it is. */
  leave(): void;
}

// Some two thousand requests. All of it is there from the start, so that a line needs no space on a full disk.
const capacity = 256 * 1_024;
const zeros = Buffer.alloc(capacity);

/**
 * Opens or makes the file.
 *
 * @throws an error of the system when that cannot be
 */
export function openCountsFile(path: string): CountsFile {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  const leave = (): void => closeSync(file);
  let size: number;
  try {
    size = fstatSync(file).size;
    for (let at = size; at < capacity; ) at += writeSync(file, zeros, 0, capacity - at, at);
  } catch (error) {
    leave();
    throw error;
  }
  let end = 0;
  return {
    read(generation) {
      const lines: unknown[][] = [];
      end = 0;
      // Worlds are opened by the hundred a second: buffers for each would have the collector run all the time.
      if (size === 0) return lines;
      const text = Buffer.alloc(capacity);
      readSync(file, text, 0, capacity, 0);
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
    close() {
      leave();
      if (end === 0) rmSync(path, { force: true });
    },
    leave,
  };
}

function parsed(line: string): unknown[] | undefined {
  const value = parsedJson(line);
  return Array.isArray(value) ? value : undefined;
}
