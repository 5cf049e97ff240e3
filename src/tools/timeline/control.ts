// The control operation of the timeline: what happened in a world, and what is still to come.

import type * as z from 'zod';
import { operation } from '../../control/operation.js';
import { invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { iso } from '../../http/wire.js';
import { projectNames } from '../../platform/containers/store.js';
import type { World } from '../../world/world.js';
import { worldAt } from '../history/fork.js';
import { lookAt } from '../history/look.js';
import { findPoint, historyOf, placeOf } from '../history/places.js';
import { forecast } from './forecast.js';
import { beginning, type Cursor, entriesAfter, type Notes, notesBy } from './past.js';
import { pageOf, type Timeline, type TimelineEntry, type TimelineQuery, timeline, timelineQuery } from './schema.js';

const mostAhead = 200;

export const timelineOperations = {
  /**
   * Returns what happened, in pages from the newest on, and what will happen if nothing else does: requests,
   * transitions of containers, hosted agents and jobs, movements of credits, changes of the clock; expiries and ends of windows.
   *
   * @param query.after the cursor of an earlier result: each entry comes once
   * @param query.point all as it was after this point of the history
   * @example
   * const { ahead } = controls.timeline();
   * if (ahead[0] !== undefined) await controls.clock.advance({ to: ahead[0].at });
   * @throws ApiError VALIDATION_ERROR; NOT_FOUND or CONFLICT where there is no such point, or nobody can go back to it
   */
  timeline: operation({
    id: 'control.timeline',
    route: 'GET /timeline',
    summary: 'Show what happened and what is still to come: requests, containers, agents, jobs, credits, expiries',
    query: timelineQuery,
    output: timeline,
    errors: ['NOT_FOUND', 'CONFLICT'],
    command: {
      line: 'timeline',
      untrusted: 'entries',
      prints: 'timeline',
      examples: [
        ['timeline', 'what happened and what is still to come'],
        ['timeline --kinds container,credits --search web', 'of one container'],
        ['timeline --point 19', 'what had happened by point 19 of the history, and what was to come then'],
      ],
    },
    run({ world }, query: TimelineQuery = {}): Timeline {
      const wanted = query as Wanted;
      if (wanted.point !== undefined) return timelineBy(world, wanted.point, wanted);
      world.settle(world.clock.now());
      return timelineOf(world, wanted);
    },
  }),
};

type Wanted = z.output<typeof timelineQuery>;

function timelineOf(world: World, wanted: Wanted, notes?: Notes): Timeline {
  const now = world.clock.now();
  const most = wanted.after === undefined ? Infinity : wanted.limit;
  const { entries, cursor, isCut } = entriesAfter(world, readCursor(wanted.after), now, most, notes);
  const { journal, ledger, clock, at, order } = cursor;
  const page = pageOf(entries, wanted);
  return {
    now: iso(now),
    entries: withProjects(world, page.entries),
    hasOlder: page.hasOlder || isCut,
    cursor: [journal, ledger, clock, at, order].join('.'),
    ahead: forecast(world, now, mostAhead),
  };
}

// What had happened to the data of then is in them; who had asked for it, the world itself knows.
function timelineBy(world: World, point: number, wanted: Wanted): Timeline {
  if (wanted.after !== undefined)
    throw invalid({ path: 'after', message: 'cannot be given with `point`: after a point nothing new comes' });
  const history = historyOf(world);
  const place = placeOf(history, findPoint(history, point), 'after');
  const image = worldAt(world, history, place, true);
  const notes = notesBy(world, history, place);
  return lookAt.of(world)(image, (then) => timelineOf(then, wanted, notes));
}

// Clients name containers by their ids, people by their projects.
function withProjects({ db }: World, entries: readonly TimelineEntry[]): TimelineEntry[] {
  const isOne = ({ operation, subject }: TimelineEntry): boolean =>
    subject !== null && operation?.startsWith('containers.') === true;
  const names = projectNames(db, [...new Set(entries.filter(isOne).map(({ subject }) => subject ?? ''))]);
  return entries.map((entry) => (isOne(entry) ? { ...entry, project: names.get(entry.subject ?? '') ?? null } : entry));
}

function readCursor(text: string | undefined): Cursor {
  if (text === undefined) return beginning;
  const numbers = text.split('.').map(Number);
  const [journal = 0, ledger = 0, clock = 0, at = 0, order = 0] = numbers;
  if (numbers.length === 5 && numbers.every(Number.isSafeInteger)) return { journal, ledger, clock, at, order };
  throw invalid({ path: 'after', message: 'must be the cursor of an earlier response', received: describe(text) });
}
