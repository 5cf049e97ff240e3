// Requests through a running container's address: written down when they are answered, read as lines of its log.

import { insertContainerRequest, listContainerRequests } from '../../store/container-requests.js';
import type { World } from '../../worlds/world.js';
import { stackNameOf } from './address.js';
import { lineOrder } from './lifecycle.js';
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

/** The topic on which a container's log grows by requests. */
export function requestTopic(containerId: string): string {
  return `requested:${containerId}`;
}

/**
 * Begins to follow a request; the returned function writes it down at the instant at which it has been answered. Where
 * the container's data has gone or been replaced meanwhile, it belongs to no log.
 */
export function followRequest(world: World, { id }: ContainerRecord): (request: AnsweredRequest) => void {
  const { epoch } = world;
  return (request) => {
    if (epoch !== world.epoch) return;
    try {
      writeDown(world, id, request);
    } catch {
      // A world that was closed, or a full disk, loses a line of a log and nothing else.
    }
  };
}

function writeDown(world: World, id: string, { method, path, status, ms }: AnsweredRequest): void {
  const record = findContainer(world.db, id);
  if (record === undefined) return;
  const at = world.clock.now();
  const request = {
    at,
    place: placeAt(world, record, at),
    method,
    path: shown(world, path),
    status,
    ms: Math.round(ms),
  };
  world.db.transaction(() => insertContainerRequest(world.db, record.seq, request));
  world.bus.emit(requestTopic(id));
}

// Behind all that the latest deployment has written by then, and before whatever it writes next.
function placeAt(world: World, record: ContainerRecord, at: number): number {
  const run = stateOf(world, record, at).runs.at(-1);
  const begun = run?.course.filter((segment) => segment.at <= at).length ?? 1;
  return lineOrder(run?.deployment.number ?? 0, Math.max(begun - 1, 0), 2);
}

const longestPath = 500;

// Node has refused whatever is no visible character.
function shown(world: World, path: string): string {
  return world.journal.clean(path.slice(0, longestPath));
}

// A request's index lies behind those of made-up lines of the same instant and place.
const firstIndex = 1_000_000_000;

/** What a container's log is made of. */
export function logContextOf(world: World, record: ContainerRecord): LogContext {
  return {
    random: world.random,
    stackName: stackNameOf(world, record),
    // What the user's own app writes, nobody here knows.
    isSilent: upstreamOf(world, record) !== undefined,
    requests: (window) => listContainerRequests(world.db, record.seq, window).map(lineOf),
  };
}

function lineOf({
  at,
  place,
  seq,
  method,
  path,
  status,
  ms,
}: ReturnType<typeof listContainerRequests>[number]): LogLine {
  const level = status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info';
  return { at, order: place, index: firstIndex + seq, level, message: `${method} ${path} ${status} ${ms}ms` };
}
