// Stored log lines of containers that do not follow from their timelines: requests, and output of real processes. Only
// the last ones of each container are kept.

import type { Db } from '../../../db/db.js';
import { insert } from '../../../db/insert.js';

/** A stored line; `at` and `place` order it among the container's lines. */
export interface ContainerLine {
  /** Virtual milliseconds. */
  at: number;
  place: number;
  level: 'info' | 'warn' | 'error';
  message: string;
}

export interface StoredContainerLine extends ContainerLine {
  /** Counts the container's lines. */
  seq: number;
}

/** How many lines of a container are kept. */
const keptLines = 10_000;

/** Adds lines to a container's log and drops the oldest beyond the limit. */
export function insertContainerLines(db: Db, containerSeq: number, lines: readonly ContainerLine[]): void {
  const { last } = db.get<{ last: number | null }>(
    'SELECT max(seq) AS last FROM container_lines WHERE container_seq = @containerSeq',
    { containerSeq },
  ) ?? { last: null };
  let seq = last ?? 0;
  for (const { at, place, level, message } of lines.slice(-keptLines)) {
    seq++;
    insert(db, 'container_lines', { container_seq: containerSeq, seq, at, place, level, message });
  }
  db.run('DELETE FROM container_lines WHERE container_seq = @containerSeq AND seq <= @seq', {
    containerSeq,
    seq: seq - keptLines,
  });
}

/** The last `tail` lines of a container between two instants, both included, of one level or of all, oldest first. */
export function listContainerLines(
  db: Db,
  containerSeq: number,
  { from, until, tail, level }: { from: number; until: number; tail: number; level?: string | undefined },
): StoredContainerLine[] {
  return db
    .all<StoredContainerLine>(
      `SELECT seq, at, place, level, message FROM container_lines
        WHERE container_seq = @containerSeq AND at BETWEEN @from AND @until AND level = ifnull(@level, level)
        ORDER BY at DESC, seq DESC LIMIT @limit`,
      {
        containerSeq,
        from: Math.max(from, Number.MIN_SAFE_INTEGER),
        until,
        level: level ?? null,
        limit: Math.min(tail, keptLines),
      },
    )
    .reverse();
}
