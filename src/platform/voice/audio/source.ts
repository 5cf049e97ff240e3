// Reads bytes of a file at any position through a window, so that a large file is never wholly in memory.

// `node:fs` loads its `promises` when they are first used.
import { promises } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { nextTurn } from '../../../core/clock.js';

const windowBytes = 64 * 1_024;
/** Reads of what is in the window already, before others have their turn: an await of what is there gives them none. */
const readsAtOnce = 1_000;

export interface Source {
  readonly size: number;
  /** Bytes at a position: fewer at the end, none beyond it. */
  bytes(at: number, length: number): Promise<Buffer>;
}

/** Opens a file for as long as `use` needs it. */
export async function withSource<Result>(path: string, use: (source: Source) => Promise<Result>): Promise<Result> {
  const file = await promises.open(path, 'r');
  try {
    return await use(createSource(file, (await file.stat()).size));
  } finally {
    await file.close();
  }
}

function createSource(file: FileHandle, size: number): Source {
  let window: Buffer = Buffer.alloc(0);
  let start = 0;
  let reads = 0;
  return {
    size,
    async bytes(at, length) {
      if (++reads % readsAtOnce === 0) await nextTurn();
      const end = Math.min(size, at + length);
      if (at >= end) return Buffer.alloc(0);
      if (at < start || end > start + window.length) {
        const wanted = Math.min(Math.max(end - at, windowBytes), size - at);
        const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, at);
        window = buffer.subarray(0, bytesRead);
        start = at;
      }
      return window.subarray(at - start, end - start);
    },
  };
}

/** A part of a source, as a source of its own. */
export function part(source: Source, start: number, size: number): Source {
  return {
    size,
    bytes: (at, length) => source.bytes(start + at, Math.max(0, Math.min(length, size - at))),
  };
}
