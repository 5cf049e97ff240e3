// Control operations of the history of a world: its points, and what each changed.

import * as z from 'zod';
import { operation } from '../../control/operation.js';
import type { ChangedField, ChangedRow } from '../journal/row-changes.js';
import { worldAt } from './fork.js';
import { lookAt } from './look.js';
import { findPoint, historyOf, placeOf } from './places.js';
import { changesOf, pageOf, requestLines, viewPoint } from './points.js';
import {
  type HistoryDetails,
  type HistoryPage,
  type HistoryQuery,
  historyDetails,
  historyPage,
  historyQuery,
} from './schema.js';
import { stateOf } from './state.js';
import { wordsOfRow } from './words.js';

export const historyOperations = {
  /**
   * Lists what has changed the world, the oldest first: requests, faults, effects that were due, the clock, control
   * operations and restores. Each has a number, from which a world can be forked.
   *
   * @example controls.history.list({ kind: 'request' }).points.at(-1)
   * @throws ApiError CONFLICT where the setting data.history is off
   */
  list: operation({
    id: 'control.history.list',
    route: 'GET /history',
    summary: 'List what has changed the world, point by point',
    query: historyQuery,
    output: historyPage,
    errors: ['CONFLICT'],
    command: {
      line: 'history list',
      prints: 'history',
      untrusted: 'points',
      examples: [
        ['history', 'the last fifty points: requests, jumps of the clock, charges, faults'],
        ['history --kind request --after 120', 'the requests after point 120'],
      ],
    },
    run({ world }, query: HistoryQuery = {}): HistoryPage {
      return pageOf(world, historyOf(world), query);
    },
  }),
  /**
   * Shows a point with the rows that it changed, before and after.
   *
   * @param point its number, or the id of a request
   * @param options.state adds the world as it was after it
   * @example controls.history.show(requestId).changes.map(({ words }) => words) // ['credits 1000 → 999.5', …]
   * @throws ApiError NOT_FOUND, or CONFLICT where the world cannot be exactly as it was
   */
  show: operation({
    id: 'control.history.show',
    route: 'GET /history/{point}',
    summary: 'Show a point of the history, and the rows that it changed',
    params: z.lazy(() => z.object({ point: z.string().describe('The number of the point, or the id of a request') })),
    query: z.lazy(() =>
      z.object({
        state: z
          .boolean()
          .optional()
          .describe('Add the world as it was: containers, hosted agents, balances, limits, faults'),
      }),
    ),
    output: historyDetails,
    errors: ['NOT_FOUND', 'CONFLICT'],
    command: {
      line: 'history show <point>',
      prints: 'history-point',
      untrusted: 'whole',
      examples: [
        ['history show 12', 'credits 1000 → 999.5, container web: created'],
        ['history show req_7820e0a… --state', 'and the world as it was after that request'],
      ],
    },
    run({ world }, name: string | number, { state }: { state?: boolean | undefined } = {}): HistoryDetails {
      const history = historyOf(world);
      const found = findPoint(history, name);
      const { entry, point } = found;
      const tables = changesOf(world, history, new Set([entry.seq])).get(entry.seq) ?? [];
      const lines = requestLines(world, new Set([point.request]));
      const changes = tables.flatMap(({ table, rows }) =>
        rows.map((row) => ({ table, key: row.key, ...sidesOf(row), words: wordsOfRow(table, row) })),
      );
      const shown = { ...viewPoint(entry, point, tables, lines), changes };
      if (state !== true) return shown;
      const image = worldAt(world, history, placeOf(history, found, 'after'));
      return { ...shown, state: lookAt.of(world)(image, stateOf) };
    },
  }),
};

function sidesOf({ change, fields }: ChangedRow): Pick<HistoryDetails['changes'][number], 'before' | 'after'> {
  const side = (name: 'before' | 'after'): Record<string, unknown> =>
    Object.fromEntries(fields.map((field: ChangedField) => [field.name, field[name]]));
  return {
    before: change === 'added' ? null : side('before'),
    after: change === 'removed' ? null : side('after'),
  };
}
