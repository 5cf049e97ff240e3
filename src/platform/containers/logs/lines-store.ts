// Stored log lines of containers that do not follow from their timelines: requests, and output of real processes. Only
// the last ones of each container are kept.

import type { Db } from '../../../db/db.js';
import { insert } from '../../../db/insert.js';
import type { World } from '../../../world/world.js';
import { stackNameOf } from '../address/address.js';
import { upstreamOf } from '../address/upstream.js';
import { type ContainerRecord, findContainer } from '../store.js';
import { type LogContext, type LogLine, rankOfWritten } from './logs.js';

/** A stored line; `at` and `place` order it among the container's lines. */
interface ContainerLine {
  /** Virtual milliseconds. */
  at: number;
  place: number;
  level: 'info' | 'warn' | 'error';
  message: string;
}

interface StoredContainerLine extends ContainerLine {
  /** Counts the container's lines. */
  seq: number;
}

/** How many lines of a container are kept. */
const keptLines = 10_000;

/** Adds lines to a container's log and drops the oldest beyond the limit. */
function insertContainerLines(db: Db, containerSeq: number, lines: readonly ContainerLine[]): void {
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
function listContainerLines(
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

// Log lines of a container that are stored as they come: requests to its address, output of its process.

/** The logged facts of a request. */
export interface AnsweredRequest {
  method: string;
  /** Without its query, which may hold secrets. */
  path: string;
  status: number;
  /** Wall milliseconds. */
  ms: number;
}

/** A line at its instant of virtual time. */
export type WrittenLine = Omit<ContainerLine, 'place'>;

/** The topic that announces new stored lines of a container's log. */
export function linesTopic(containerId: string): string {
  return `lines:${containerId}`;
}

/**
 * Begins to follow a request; the returned function logs it at the instant of its response. Where the container's data
 * is gone or was replaced meanwhile, it is not logged.
 */
export function followRequest(world: World, { id }: ContainerRecord): (request: AnsweredRequest) => void {
  const { epoch } = world;
  return (request) => {
    if (epoch === world.epoch) writeLines(world, id, [lineOfRequest(world, request)]);
  };
}

/** Writes lines into a container's log; they are dropped when the container does not exist. */
export function writeLines(world: World, containerId: string, lines: readonly WrittenLine[]): void {
  try {
    const record = findContainer(world.db, containerId);
    if (record === undefined) return;
    const placed = lines.map((line) => ({ ...line, place: rankOfWritten(record.deployments, line.at) }));
    world.db.transaction(() => insertContainerLines(world.db, record.seq, placed));
    world.bus.emit(linesTopic(containerId));
  } catch {
    // A closed world, or a full disk, loses lines of a log and nothing else.
  }
}

const longestPath = 500;

// Node has already refused paths with invisible characters.
function lineOfRequest(world: World, { method, path, status, ms }: AnsweredRequest): WrittenLine {
  const level = status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info';
  const shown = world.redactor.text(path.slice(0, longestPath));
  return { at: world.clock.now(), level, message: `${method} ${shown} ${status} ${Math.round(ms)}ms` };
}

// The index of a stored line is above those of generated lines of the same instant and place.
const firstIndex = 1_000_000_000;

/** The inputs of a container's log. */
export function logContextOf(world: World, record: ContainerRecord): LogContext {
  return {
    random: world.random,
    stackName: stackNameOf(world, record),
    // The output of the user's own app is unknown here.
    isSilent: upstreamOf(world, record) !== undefined,
    written: (window) => listContainerLines(world.db, record.seq, window).map(asLogLine),
  };
}

function asLogLine({ at, place, seq, level, message }: ReturnType<typeof listContainerLines>[number]): LogLine {
  return { at, order: place, index: firstIndex + seq, level, message };
}
