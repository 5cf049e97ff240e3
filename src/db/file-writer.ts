// Writes a stream to a file: pieces that arrive during a write are written together.

import type { FileHandle } from 'node:fs/promises';

/** How much may wait to be written; beyond, its sender waits. */
const mostWaiting = 1_024 * 1_024;

/**
 * Writes pieces to a file, in order, from a place on.
 *
 * @param written hears which of them have been written
 * @throws what reading or writing throws, once all that came before has been written
 */
export async function writePieces(
  handle: FileHandle,
  place: number,
  content: AsyncIterable<Buffer>,
  written: (pieces: readonly Buffer[]) => void,
): Promise<void> {
  let at = place;
  let waiting: Buffer[] = [];
  let bytes = 0;
  let writing: Promise<void> | undefined;
  let failure: { error: unknown } | undefined;

  async function writeOn(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const pieces = waiting;
        const length = bytes;
        waiting = [];
        bytes = 0;
        await writeAll(handle, pieces, at);
        at += length;
        written(pieces);
      }
    } catch (error) {
      failure = { error };
    } finally {
      writing = undefined;
    }
  }

  try {
    for await (const piece of content) {
      waiting.push(piece);
      bytes += piece.length;
      writing ??= writeOn();
      if (bytes >= mostWaiting) await writing;
      if (failure !== undefined) break;
    }
  } finally {
    await writing;
  }
  if (failure !== undefined) throw failure.error;
}

// A nearly full disk takes a part.
async function writeAll(handle: FileHandle, pieces: readonly Buffer[], place: number): Promise<void> {
  let rest = [...pieces];
  for (let at = place; rest.length > 0; ) {
    const { bytesWritten } = await handle.writev(rest, at);
    at += bytesWritten;
    let left = bytesWritten;
    rest = rest.flatMap((piece) => {
      const gone = Math.min(left, piece.length);
      left -= gone;
      return gone === piece.length ? [] : piece.subarray(gone);
    });
  }
}
