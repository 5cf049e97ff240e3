// The streams of a world: what was sent through each so far, and how it ended. Kept in memory, for people who watch.

import type { WorldPart } from '../world/parts.js';
import type { PartKey, World } from '../world/world.js';
import type { RequestContext } from './request-context.js';
import type { SseEvent } from './response.js';

/** The topic that announces that something went through a stream, or that one ended. */
export const streamed = 'stream';

/** complete: all was sent. aborted: the client went away. lost: a fault broke it off. */
type StreamEnd = 'complete' | 'aborted' | 'lost';

/** A stream as it was sent so far, with its secrets still in it. */
export interface StreamRecord {
  readonly requestId: string;
  readonly operation: string | null;
  /** Virtual milliseconds. */
  readonly openedAt: number;
  lastAt: number | null;
  /** How many events were sent. */
  events: number;
  /** The data of the first of them. */
  readonly data: string[];
  /** Whether `data` lacks some. */
  isCut: boolean;
  end: { at: number; how: StreamEnd } | null;
}

interface StreamRecorder {
  sent(events: readonly SseEvent[]): void;
  ended(how: StreamEnd): void;
}

interface Streams extends WorldPart {
  open(request: RequestContext): StreamRecorder;
  /** The oldest first. */
  all(): readonly StreamRecord[];
}

const mostCharacters = 32_768;
/** The number of ended streams that are kept; open ones are all kept. */
const mostEnded = 50;

const streamsKey: PartKey<Streams> = { name: 'streams', create: createStreams };

/** The streams of a world: those that are open, and the latest that have ended. */
export function streamsOf(world: World): Streams {
  return world.part(streamsKey);
}

function createStreams({ clock, bus }: World): Streams {
  const records = new Set<StreamRecord>();
  const ended: StreamRecord[] = [];
  return {
    open({ requestId, endpoint, now }) {
      const record: StreamRecord = {
        requestId,
        operation: endpoint?.id ?? null,
        openedAt: now,
        lastAt: null,
        events: 0,
        data: [],
        isCut: false,
        end: null,
      };
      let left = mostCharacters;
      records.add(record);
      bus.emit(streamed);
      return {
        sent(events) {
          record.events += events.length;
          record.lastAt = clock.now();
          for (const { data } of events) {
            if (left > 0) record.data.push(data.slice(0, left));
            left -= data.length;
          }
          record.isCut = left < 0;
          bus.emit(streamed);
        },
        ended(how) {
          record.end = { at: clock.now(), how };
          ended.push(record);
          if (ended.length > mostEnded)
            for (const old of ended.splice(0, ended.length - mostEnded)) records.delete(old);
          bus.emit(streamed);
        },
      };
    },
    all: () => [...records],
    replaced(event) {
      if (event === 'restored') return;
      for (const record of ended.splice(0)) records.delete(record);
    },
  };
}
