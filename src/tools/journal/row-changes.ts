// Changed rows for people: their fields before and after, without secrets.

import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { ClockState } from '../../core/clock.js';
import { parsedJson } from '../../core/json.js';
import { toCredits } from '../../core/money.js';
import { looksLikeJson, redactAny } from '../../core/redact-json.js';
import { mask, secrecyOf } from '../../core/secrets.js';
import { isTree, type Tree } from '../../core/tree.js';
import { changesIn } from '../../db/history-changes.js';
import type { Entry } from '../../db/history-entry.js';
import type { RowDifference, StoredRow, TableDifference } from '../../db/row-difference.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';

const rowChanges = ['added', 'removed', 'changed'] as const;

const shownField = z.lazy(() =>
  z
    .object({
      name: z.string(),
      before: z.string().nullable().describe('null: there was none'),
      after: z.string().nullable(),
    })
    .describe('A field of a row; of a document it is the path within it, such as `spec.image`'),
);

export type ChangedField = z.output<typeof shownField>;

const shownRow = z.lazy(() =>
  z.object({
    change: z.enum(rowChanges),
    key: z.string().describe('Its primary key'),
    name: z.string().nullable().describe('What it is called, where it has a name'),
    fields: z.array(shownField).describe('Of a changed row those that differ; secrets are masked'),
  }),
);

export type ChangedRow = z.output<typeof shownRow>;

export const changedTable = z.lazy(() =>
  z.object({
    table: z.string(),
    added: z.int(),
    removed: z.int(),
    changed: z.int(),
    rows: z.array(shownRow).describe('The first of them, by their keys; the counts are those of all'),
  }),
);

export type ChangedTable = z.output<typeof changedTable>;

const longestValue = 400;
const mostFields = 60;
const deepest = 6;

/**
 * Tables whose rows differ, as they may be shown.
 *
 * @param clean masks what looks like a secret in a text
 * @param most characters; rows beyond them are only counted
 */
export function changedTables(
  differences: readonly TableDifference[],
  clean: (text: string) => string,
  most = Infinity,
): ChangedTable[] {
  let left = most;
  return differences.map(({ rows, ...counts }) => {
    const read = counts.table === 'meta' ? noteOf : (row: StoredRow) => row;
    const shown: ChangedRow[] = [];
    for (const row of rows) {
      if (left <= 0) break;
      const changed = changedRow(
        { ...row, before: row.before && read(row.before), after: row.after && read(row.after) },
        clean,
      );
      left -= JSON.stringify(changed).length;
      shown.push(changed);
    }
    return { ...counts, rows: shown };
  });
}

function changedRow({ key, before, after }: RowDifference, clean: (text: string) => string): ChangedRow {
  const [was, is] = [documentsOf(before, clean), documentsOf(after, clean)];
  const { name = null } = { ...was.shown, ...is.shown };
  const fields: ChangedField[] = [];
  collect(was, is, [], fields);
  return {
    change: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    key: clean(key.join(' / ')).slice(0, longestValue),
    name: typeof name === 'string' ? name.slice(0, longestValue) : null,
    fields,
  };
}

/** A row or a part of it, as it is stored and as it may be shown: differences are told by the first. */
interface Documents {
  stored: unknown;
  shown: unknown;
}

function documentsOf(row: StoredRow | undefined, clean: (text: string) => string): { stored: Tree; shown: Tree } {
  const stored: Tree = {};
  for (const [column, value] of Object.entries(row ?? {})) stored[column] = readable(column, value);
  return { stored, shown: JSON.parse(clean(redactAny(JSON.stringify(stored), secrecyOf))) as Tree };
}

// Shows a named value of the world: its settings, or its clock in readable form.
function noteOf({ key, value }: StoredRow): StoredRow {
  if (key !== 'clock') return { [String(key)]: value };
  const { anchorVirtual, floor, speed, skewMs } = JSON.parse(String(value)) as ClockState;
  return { now: iso(Math.max(anchorVirtual, floor)), speed, skewMs };
}

// Documents are read, instants are told as such, and money in credits (or USDC) instead of millionths.
function readable(column: string, value: unknown): unknown {
  if (value instanceof Uint8Array)
    return `${value.length} bytes, SHA-256 ${createHash('sha256').update(value).digest('hex').slice(0, 12)}…`;
  if (typeof value === 'number' && /_(at|until)$/.test(column) && Math.abs(value) <= 8.64e15)
    return new Date(value).toISOString();
  if (typeof value === 'number' && /^(amount|balance)(_|$)/.test(column)) return toCredits(value);
  if (typeof value !== 'string' || !looksLikeJson(value)) return value;
  return parsedJson(value) ?? value;
}

function collect(before: Documents, after: Documents, path: readonly string[], fields: ChangedField[]): void {
  const inside = [before.stored, after.stored].filter((one) => one !== undefined);
  const isRecord = inside.length > 0 && inside.every(isTree);
  if (isRecord && path.length < deepest) {
    for (const name of new Set(inside.flatMap(Object.keys)))
      collect(within(before, name), within(after, name), [...path, name], fields);
    return;
  }
  const [stored, other] = [before.stored, after.stored].map((one) => JSON.stringify(one) ?? 'null');
  if (stored === other || fields.length >= mostFields) return;
  fields.push({ name: path.join('.').slice(0, longestValue), before: shortText(before), after: shortText(after) });
}

function within({ stored, shown }: Documents, name: string): Documents {
  return {
    stored: isTree(stored) && Object.hasOwn(stored, name) ? stored[name] : undefined,
    shown: isTree(shown) && Object.hasOwn(shown, name) ? shown[name] : mask,
  };
}

function shortText({ stored, shown }: Documents): string | null {
  if (stored === undefined || stored === null) return null;
  const text = typeof shown === 'string' ? shown : JSON.stringify(shown);
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}…`;
}

/** As much as both bodies of a request may take: beyond it rows are only counted. */
const mostOfChanges = 16_384;

/** The rows that a request changed, without secrets; null: the history does not hold it. */
export function changesOfRequest(world: World, requestId: string): ChangedTable[] | null {
  const { history } = world.remembered;
  if (history === undefined) return null;
  const groupOf = ({ point }: Entry): true | undefined => (point?.request === requestId ? true : undefined);
  const differences = changesIn(world.db, history.entries(), groupOf).get(true);
  if (differences === undefined) return null;
  return changedTables(differences, (text) => world.redactor.text(text), mostOfChanges);
}
