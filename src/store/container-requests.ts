// The requests that came through containers' addresses, as lines of their logs: the last ones of each container.

import type { Db } from './db.js';

/** One answered request; `at` and `place` are its place among the container's lines. */
export interface ContainerRequest {
  /** Virtual milliseconds. */
  at: number;
  place: number;
  method: string;
  path: string;
  status: number;
  /** Wall milliseconds. */
  ms: number;
}

export interface StoredContainerRequest extends ContainerRequest {
  /** Counts the container's requests. */
  seq: number;
}

const kept = 1_000;

/** Adds a request to a container's, of which the oldest goes when there are too many. */
export function insertContainerRequest(db: Db, containerSeq: number, request: ContainerRequest): void {
  const last =
    db.get<{ last: number | null }>(
      'SELECT max(seq) AS last FROM container_requests WHERE container_seq = ?',
      containerSeq,
    )?.last ?? 0;
  db.run(
    `INSERT INTO container_requests (container_seq, seq, at, place, method, path, status, ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    containerSeq,
    last + 1,
    request.at,
    request.place,
    request.method,
    request.path,
    request.status,
    request.ms,
  );
  db.run('DELETE FROM container_requests WHERE container_seq = ? AND seq <= ?', containerSeq, last + 1 - kept);
}

/** The last `tail` requests of a container between two instants, both included, oldest first. */
export function listContainerRequests(
  db: Db,
  containerSeq: number,
  { from, until, tail }: { from: number; until: number; tail: number },
): StoredContainerRequest[] {
  return db
    .all<StoredContainerRequest>(
      `SELECT seq, at, place, method, path, status, ms FROM container_requests
       WHERE container_seq = ? AND at BETWEEN ? AND ? ORDER BY seq DESC LIMIT ?`,
      containerSeq,
      Math.max(from, Number.MIN_SAFE_INTEGER),
      until,
      Math.min(tail, kept),
    )
    .reverse();
}
