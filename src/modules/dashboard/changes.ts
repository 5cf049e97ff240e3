// What kinds of things have changed in a world, a few times a second at most: for pages, which then read what they show.

import { controlled } from '../../control/operation.js';
import { readFeed } from '../../core/async-queue.js';
import { afterWall, type ClockView } from '../../core/clock.js';
import { streamed } from '../../http/open-streams.js';
import { clockChanged, closing, replaced, type World } from '../../world/world.js';
import { watchContainers } from '../containers/watch.js';
import { recorded } from '../journal/journal.js';

/** all: the data were replaced, and must be read anew. */
export const changeTopics = ['request', 'stream', 'container', 'clock', 'control', 'all'] as const;
export type ChangeTopic = (typeof changeTopics)[number];

export interface Change {
  topics: ChangeTopic[];
  /** How the clock stands now. */
  clock: ClockView;
}

const restMs = 100;
const size = 200;
/** Requests a second of which it is recorded what they changed. */
const mostRecorded = 200;

const topicOf: Record<string, ChangeTopic> = {
  [recorded]: 'request',
  [streamed]: 'stream',
  [clockChanged]: 'clock',
  [controlled]: 'control',
  [replaced]: 'all',
};

/** The changes of a world from the first reading on; the first item tells how the clock stands. */
export function followChanges(world: World, signal?: AbortSignal): AsyncIterable<Change> {
  return readFeed<Change>((feed) => {
    const { bus, clock } = world;
    const topics = new Set<ChangeTopic>();
    let cancelTimer: (() => void) | undefined;
    const tell = (): void => {
      cancelTimer = undefined;
      feed.push({ topics: [...topics], clock: clock.view() }, size);
      topics.clear();
    };
    const note = (topic: ChangeTopic): void => {
      topics.add(topic);
      cancelTimer ??= afterWall(restMs, tell);
    };
    // Who looks at a request wants to know what it changed.
    const stopRecording = world.db.recorder.watch(mostRecorded);
    const containers = watchContainers(world, () => note('container'));
    const stop = bus.onAny((topic) => {
      if (topic === closing) return feed.end();
      if (topic === replaced) containers.restart();
      if (topic.startsWith('container:')) return containers.touched(topic.slice('container:'.length));
      const known = topicOf[topic];
      if (known !== undefined) note(known);
    });
    tell();
    return {
      more: () => [],
      close() {
        stop();
        stopRecording();
        cancelTimer?.();
        containers.close();
      },
    };
  }, signal);
}
