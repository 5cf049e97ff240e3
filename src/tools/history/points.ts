// Points of a history as people read them.

import type { History } from '../../db/history.js';
import { changesIn } from '../../db/history-changes.js';
import { type Entry, type Point, type PointKind, textOfAnyPoint } from '../../db/history-entry.js';
import { iso } from '../../http/wire.js';
import { containerNames } from '../../platform/containers/store.js';
import type { World } from '../../world/world.js';
import { journalOf } from '../journal/journal.js';
import { type ChangedRow, type ChangedTable, changedTables } from '../journal/row-changes.js';
import { endsOf } from './places.js';
import type { HistoryPage, HistoryPoint, HistoryQuery } from './schema.js';
import { wordsOf } from './words.js';

const partsOfContainers = new Set(['deployments', 'interventions', 'container_lines']);

/** As much as the rows of a point may take as text; beyond it they are only counted. */
const mostOfPoint = 64_000;
const mostWords = 3;

/** A page of the points of a world: of a long history, only what is shown is read. */
export function pageOf(world: World, history: History, query: HistoryQuery): HistoryPage {
  const { after = 0, before = Infinity, kind, limit = 50 } = query;
  const entries = history.entries();
  const found: Entry[] = [];
  const isMeant = ({ point }: Entry): boolean =>
    point !== undefined && point.point > after && point.point < before && (kind === undefined || point.kind === kind);
  for (const entry of query.after === undefined ? entries.backwards(textOfAnyPoint) : entries.after(0)) {
    if (isMeant(entry)) found.push(entry);
    if (found.length >= limit) break;
  }
  if (query.after === undefined) found.reverse();
  return { points: viewPoints(world, history, found), ...endsOf(history) };
}

/** Points with what is known of them. */
export function viewPoints(world: World, history: History, entries: readonly Entry[]): HistoryPoint[] {
  const changes = changesOf(world, history, new Set(entries.map(({ seq }) => seq)));
  const lines = requestLines(world, new Set(entries.map(({ point }) => point?.request)));
  return entries.flatMap((entry) =>
    entry.point === undefined ? [] : [viewPoint(entry, entry.point, changes.get(entry.seq) ?? [], lines)],
  );
}

/** What entries have changed, by their numbers, without secrets. */
export function changesOf(world: World, history: History, seqs: ReadonlySet<number>): Map<number, ChangedTable[]> {
  const groupOf = ({ seq }: Entry): number | undefined => (seqs.has(seq) ? seq : undefined);
  const from = seqs.size === 0 ? Infinity : Math.min(...seqs);
  const differences = changesIn(world.db, history.entries(), groupOf, from);
  const clean = (text: string): string => world.redactor.text(text);
  const shown = new Map([...differences].map(([seq, tables]) => [seq, changedTables(tables, clean, mostOfPoint)]));
  nameParts(world, [...shown.values()].flat());
  return shown;
}

// Rows of containers are known by the number of the container alone.
function nameParts(world: World, tables: readonly ChangedTable[]): void {
  const parts = tables.flatMap(({ table, rows }) => (partsOfContainers.has(table) ? rows : []));
  const numberOf = ({ key }: ChangedRow): number => Number(key.split(' / ')[0]);
  const names = parts.length === 0 ? undefined : containerNames(world.db, parts.map(numberOf));
  const ofRows = tables.flatMap(({ table, rows }) => (table === 'containers' ? rows : []));
  for (const part of parts)
    part.name =
      names?.get(numberOf(part)) ??
      ofRows.find(({ key }) => Number(key) === numberOf(part))?.name ??
      `#${numberOf(part)}`;
}

/** What the journal says of requests, by their ids: method, path and status. */
export function requestLines(world: World, ids: ReadonlySet<string | undefined>): Map<string, string> {
  const lines = new Map<string, string>();
  for (const record of journalOf(world).records()) {
    if (record.kind === 'request' && ids.has(record.requestId))
      lines.set(record.requestId, `${record.method} ${record.path} ${record.status || 'without a response'}`);
  }
  return lines;
}

const meanings: Record<PointKind, string> = {
  request: 'request',
  fault: 'a fault rule was counted',
  effect: 'effects',
  clock: 'clock',
  control: '',
  restore: 'snapshot restored:',
};

/** A point with what is known of it. */
export function viewPoint(
  entry: Entry,
  { point, kind, request, subject }: Point,
  changes: readonly ChangedTable[],
  lines: ReadonlyMap<string, string>,
): HistoryPoint {
  const words = wordsOf(changes);
  const shown =
    words.slice(0, mostWords).join('; ') + (words.length > mostWords ? `; ${words.length - mostWords} more` : '');
  const line = kind === 'request' && request !== undefined ? lines.get(request) : undefined;
  const what = [line ?? meanings[kind], subject?.replace(/^control\./, '') ?? '']
    .filter((part) => part !== '')
    .join(' ');
  return {
    point,
    kind,
    requestId: request ?? null,
    at: iso(entry.at),
    summary: [kind === 'clock' && shown !== '' ? '' : what, shown].filter((part) => part !== '').join(': '),
  };
}
