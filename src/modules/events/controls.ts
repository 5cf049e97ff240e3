// Everything that happens in a world, as it happens: requests, markers, changes of the clock and of containers.

import { readFeed } from '../../core/async-queue.js';
import type { ClockView } from '../../core/clock.js';
import { clockChanged, closing, replaced, type World } from '../../world/world.js';
import { type ContainerChange, watchContainers } from '../containers/watch.js';
import { sizeOf } from '../journal/controls.js';
import { journalOf, recorded } from '../journal/journal.js';
import type { JournalEntry, JournalMarker } from '../journal/journal-entry.js';

export type WorldEvent =
  | { type: 'request'; data: JournalEntry }
  | { type: 'marker'; data: JournalMarker }
  | { type: 'clock'; data: ClockView }
  | { type: 'container'; data: ContainerChange };

const smallEvent = 300;

export type EventControls = ReturnType<typeof createEventControls>;

/** The events of a world. */
export function createEventControls(world: World) {
  return {
    /**
     * What happens from the first reading on, for `for await`, until the emulator ends, the loop is left or the
     * signal aborts. What was missed is not told again: `requests.follow` can go back.
     *
     * @example for await (const { type, data } of controls.events()) console.log(type, data)
     * @throws FellBehind, while reading, to a reader with more than 1 MB unread
     */
    events({ signal }: { signal?: AbortSignal | undefined } = {}): AsyncIterable<WorldEvent> {
      return readFeed<WorldEvent>((feed) => {
        const { bus, clock } = world;
        const journal = journalOf(world);
        let last = journal.last();
        const containers = watchContainers(world, (data) => feed.push({ type: 'container', data }, smallEvent));
        const stop = bus.onAny((topic) => {
          if (topic === recorded) {
            for (const record of journal.since(last)) {
              last = record.seq;
              if (record.kind === 'request') feed.push({ type: 'request', data: record }, sizeOf(record));
              else feed.push({ type: 'marker', data: record }, sizeOf(record));
            }
          } else if (topic === clockChanged) feed.push({ type: 'clock', data: clock.view() }, smallEvent);
          else if (topic === replaced) containers.restart();
          else if (topic === closing) feed.end();
          else if (topic.startsWith('container:')) containers.touched(topic.slice('container:'.length));
        });
        return {
          more: () => [],
          close() {
            stop();
            containers.close();
          },
        };
      }, signal);
    },
  };
}
