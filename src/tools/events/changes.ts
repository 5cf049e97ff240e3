// Follows the kinds of changes in a world, a few times a second at most: pages then read what they show.

import { controlled, operation } from '../../control/operation.js';
import { readQueue } from '../../core/async-queue.js';
import { afterWall, type ClockView } from '../../core/clock.js';
import { streamed } from '../../http/open-streams.js';
import { clockChanged, closing, replaced } from '../../world/topics.js';
import type { World } from '../../world/world.js';
import { recorded } from '../journal/journal.js';

/** all: the data were replaced, and must be read anew. */
export type ChangeTopic = 'request' | 'stream' | 'container' | 'agent' | 'job' | 'clock' | 'control' | 'all';

export interface Change {
  topics: ChangeTopic[];
  /** How the clock stands now. */
  clock: ClockView;
}

// A single change is reported soon; without a pause between changes, only as often as a page can show them.
const shortestRestMs = 100;
const longestRestMs = 400;
const size = 200;

// By topics of the world's bus; those of a thing go on with its id.
const topicOf: Record<string, ChangeTopic> = {
  container: 'container',
  'hosted-agent': 'agent',
  job: 'job',
  [recorded]: 'request',
  [streamed]: 'stream',
  [clockChanged]: 'clock',
  [controlled]: 'control',
  [replaced]: 'all',
};

/**
 * The changes of a world from the first reading on; the first item tells how the clock stands. What it costs is bounded by
 * time, whatever comes: they are gathered, and a reader who is busy gets them together. A container that time alone moves is
 * no change: when that happens was known.
 */
function followChanges(world: World, signal?: AbortSignal): AsyncIterable<Change> {
  return readQueue<Change>((queue) => {
    const { bus, clock } = world;
    const topics = new Set<ChangeTopic>();
    let isRead = false;
    let rest = shortestRestMs;
    let cancelTimer: (() => void) | undefined;
    const tell = (): void => {
      queue.push({ topics: [...topics], clock: clock.view() }, size);
      topics.clear();
      isRead = false;
    };
    const rested = (): void => {
      cancelTimer = undefined;
      const isCalm = topics.size === 0;
      if (!isCalm && isRead) tell();
      rest = isCalm ? shortestRestMs : Math.min(2 * rest, longestRestMs);
      if (!isCalm) cancelTimer = afterWall(rest, rested);
    };
    const stop = bus.onAny((topic) => {
      if (topic === closing) return queue.end();
      const known = topicOf[topic.split(':')[0] ?? ''];
      if (known === undefined) return;
      topics.add(known);
      cancelTimer ??= afterWall(rest, rested);
    });
    tell();
    return {
      // Asked for when all was read.
      more() {
        isRead = true;
        return [];
      },
      close() {
        stop();
        cancelTimer?.();
      },
    };
  }, signal);
}

export const changeOperations = {
  /**
   * Reads which kinds of things change, with `for await`: at most ten times a second, three times while they do so without a
   * pause. It does not report what time alone does to things; `events` does, and reports each thing itself.
   *
   * @example for await (const { topics } of controls.changes()) if (topics.includes('container')) show();
   */
  changes: operation({
    id: 'control.changes',
    route: 'GET /changes',
    summary:
      'Stream which kinds of things change, at most ten times a second: requests, streams, containers, agents, jobs, clock …',
    extras: ['signal'],
    run: ({ world }, { signal }: { signal?: AbortSignal | undefined } = {}): AsyncIterable<Change> =>
      followChanges(world, signal),
  }),
};
