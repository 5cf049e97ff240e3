// The control of the timeline: what happened in a world, and what is still to come.

import type * as z from 'zod';
import { invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { checkInput } from '../../http/validate.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import type { Operation } from '../limits/views.js';
import { aheadOf } from './ahead.js';
import { beginning, type Cursor, entriesAfter } from './past.js';
import { type AheadEntry, inOrder, pageOf, type TimelineEntry, type TimelineQuery, timelineQuery } from './timeline.js';

export interface Timeline {
  /** Virtual time, ISO 8601. */
  now: string;
  /** The oldest first. */
  entries: TimelineEntry[];
  /** Whether there are older ones than these. */
  hasOlder: boolean;
  /** For `after`: what was in this answer. */
  cursor: string;
  /** What is still to come, the earliest first; at most 200. */
  ahead: AheadEntry[];
}

export type TimelineControls = ReturnType<typeof createTimelineControls>;

const mostAhead = 200;

/** The timeline of a world whose operations are these. */
export function createTimelineControls(world: World, operations: readonly Operation[]) {
  return {
    /**
     * What happened, page by page from the newest on, and what will happen unless somebody interferes: requests,
     * transitions of containers and jobs, movements of credits, changes of the clock; expiries and ends of windows.
     *
     * @param query.after the cursor of an earlier answer; what happened at its very instant may come again
     * @example
     * const { ahead } = controls.timeline();
     * if (ahead[0] !== undefined) await controls.clock.advance({ to: ahead[0].at });
     * @throws ApiError VALIDATION_ERROR
     */
    timeline(query: TimelineQuery = {}): Timeline {
      const wanted = checkInput(timelineQuery, query, { strict: true, warn: () => {} }) as z.output<
        typeof timelineQuery
      >;
      const now = world.clock.now();
      world.settle(now);
      const { entries, cursor } = entriesAfter(world, readCursor(wanted.after), now);
      return {
        now: iso(now),
        ...pageOf(inOrder(entries), wanted),
        cursor: [cursor.journal, cursor.ledger, cursor.clock, cursor.at].join('.'),
        ahead: aheadOf(world, operations, now, mostAhead),
      };
    },
  };
}

function readCursor(text: string | undefined): Cursor {
  if (text === undefined) return beginning;
  const numbers = text.split('.').map(Number);
  const [journal = 0, ledger = 0, clock = 0, at = 0] = numbers;
  if (numbers.length === 4 && numbers.every(Number.isSafeInteger)) return { journal, ledger, clock, at };
  throw invalid({ path: 'after', message: 'must be the cursor of an earlier answer', received: describe(text) });
}
