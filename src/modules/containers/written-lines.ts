// Lines of a container's log that are written down as they come: requests through its address, output of its process.

import type { World } from '../../world/world.js';
import { stackNameOf } from './address.js';
import { lineOrder } from './lifecycle.js';
import { type ContainerLine, insertContainerLines, listContainerLines } from './lines-store.js';
import type { LogContext, LogLine } from './logs.js';
import { stateOf } from './state.js';
import { type ContainerRecord, findContainer } from './store.js';
import { upstreamOf } from './upstream.js';

/** What is told of a request. */
export interface AnsweredRequest {
  method: string;
  /** Without its query, which may hold secrets. */
  path: string;
  status: number;
  /** Wall milliseconds. */
  ms: number;
}

/** A line as it came, at an instant of virtual time. */
export type WrittenLine = Omit<ContainerLine, 'place'>;

/** The topic on which a container's log grows by what is written down. */
export function linesTopic(containerId: string): string {
  return `lines:${containerId}`;
}

/**
 * Begins to follow a request; the returned function writes it down at the instant at which it has been answered. Where
 * the container's data has gone or been replaced meanwhile, it belongs to no log.
 */
export function followRequest(world: World, { id }: ContainerRecord): (request: AnsweredRequest) => void {
  const { epoch } = world;
  return (request) => {
    if (epoch === world.epoch) writeLines(world, id, [lineOfRequest(world, request)]);
  };
}

/** Writes lines into a container's log; where there is no such container, they belong to none. */
export function writeLines(world: World, containerId: string, lines: readonly WrittenLine[]): void {
  try {
    const record = findContainer(world.db, containerId);
    if (record === undefined) return;
    const placed = lines.map((line) => ({ ...line, place: placeAt(world, record, line.at) }));
    world.db.transaction(() => insertContainerLines(world.db, record.seq, placed));
    world.bus.emit(linesTopic(containerId));
  } catch {
    // A world that was closed, or a full disk, loses lines of a log and nothing else.
  }
}

// Behind all that the latest deployment has written by then, and before whatever it writes next.
function placeAt(world: World, record: ContainerRecord, at: number): number {
  const run = stateOf(world, record, at).runs.at(-1);
  const begun = run?.course.filter((segment) => segment.at <= at).length ?? 1;
  return lineOrder(run?.deployment.number ?? 0, Math.max(begun - 1, 0), 2);
}

const longestPath = 500;

// Of the path, Node has refused whatever is no visible character.
function lineOfRequest(world: World, { method, path, status, ms }: AnsweredRequest): WrittenLine {
  const level = status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info';
  const shown = world.redactor.text(path.slice(0, longestPath));
  return { at: world.clock.now(), level, message: `${method} ${shown} ${status} ${Math.round(ms)}ms` };
}

// The index of a written line lies behind those of made-up lines of the same instant and place.
const firstIndex = 1_000_000_000;

/** What a container's log is made of. */
export function logContextOf(world: World, record: ContainerRecord): LogContext {
  return {
    random: world.random,
    stackName: stackNameOf(world, record),
    // What the user's own app writes, nobody here knows.
    isSilent: upstreamOf(world, record) !== undefined,
    written: (window) => listContainerLines(world.db, record.seq, window).map(asLogLine),
  };
}

function asLogLine({ at, place, seq, level, message }: ReturnType<typeof listContainerLines>[number]): LogLine {
  return { at, order: place, index: firstIndex + seq, level, message };
}
