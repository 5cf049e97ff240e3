// The control operation that streams all events of a world: requests, markers, changes of the clock, containers, agents, jobs.

import { operation } from '../../control/operation.js';
import { readQueue } from '../../core/async-queue.js';
import type { ClockView } from '../../core/clock.js';
import { clockChanged, closing, replaced } from '../../world/topics.js';
import { sizeOf } from '../journal/control.js';
import { journalOf, recorded } from '../journal/journal.js';
import type { JournalEntry, JournalMarker } from '../journal/journal-entry.js';
import { type StatusEvent, StatusWatch } from './watch.js';

export type WorldEvent =
  | { type: 'request'; data: JournalEntry }
  | { type: 'marker'; data: JournalMarker }
  | { type: 'clock'; data: ClockView }
  | StatusEvent;

const smallEvent = 300;

export const eventOperations = {
  /**
   * Reads all events from now on, with `for await`, until the emulator ends, the loop ends or the signal aborts. It does
   * not repeat what was missed: `requests.follow` can go back.
   *
   * @example for await (const { type, data } of controls.events()) console.log(type, data)
   * @throws SlowConsumerError, while reading, to a reader with more than 1 MB unread; ApiError SERVICE_UNAVAILABLE when the
   *   storage fails
   */
  events: operation({
    id: 'control.events',
    route: 'GET /events',
    summary: 'Stream all events as server-sent events: requests, markers, clock, containers, hosted agents, jobs',
    extras: ['signal'],
    run: ({ world }, { signal }: { signal?: AbortSignal | undefined } = {}): AsyncIterable<WorldEvent> =>
      readQueue<WorldEvent>((queue) => {
        const { bus, clock } = world;
        const journal = journalOf(world);
        let last = journal.last();
        const watch = new StatusWatch(world, (event) => queue.push(event, smallEvent), queue.fail);
        function hear(topic: string): void {
          if (topic === recorded) {
            for (const record of journal.since(last)) {
              last = record.seq;
              if (record.kind === 'request') queue.push({ type: 'request', data: record }, sizeOf(record));
              else queue.push({ type: 'marker', data: record }, sizeOf(record));
            }
          } else if (topic === clockChanged) queue.push({ type: 'clock', data: clock.view() }, smallEvent);
          else if (topic === replaced) watch.restart();
          else if (topic === closing) queue.end();
          else watch.hear(topic);
        }
        const stop = bus.onAny((topic) => queue.attempt(() => hear(topic)));
        return {
          more: () => [],
          close() {
            stop();
            watch.close();
          },
        };
      }, signal),
  }),
};
