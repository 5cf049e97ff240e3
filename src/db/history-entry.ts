// One entry of a world's history: what changed, as it was before. Going back undoes entries, the newest first.

import { parsedJson } from '../core/json.js';
import { isTree } from '../core/tree.js';
import { DamagedError } from './connection.js';
import type { NotedRow } from './row-log.js';
import type { SqlValue } from './sql-value.js';

/** What a point of a history is about. */
export const pointKinds = ['request', 'fault', 'effect', 'clock', 'control', 'restore'] as const;

export type PointKind = (typeof pointKinds)[number];

/** What changes belong to. */
export interface Label {
  kind: PointKind;
  /** The id of the request. */
  request?: string;
  /** A few words: the control operation, the snapshot. */
  subject?: string;
  /** The first entry that belongs to it, where that is an earlier one: going before the point undoes it, too. */
  from?: number;
}

/** What changes belong to that are being made. */
export interface Cause extends Label {
  /** Virtual time after them, where the clock does not say so yet. */
  at?: number;
}

export interface Point extends Label {
  /** Its number, from 1 on. */
  point: number;
}

/** A rate window as it was; without numbers: there was none. */
export type WindowBefore = [
  caller: string,
  bucket: string,
  startedAt?: number,
  count?: number,
  fullUntil?: number | null,
];

/** How often a key had been used, and when last. */
export type KeyBefore = [id: string, count: number, lastUsedAt: number | null];

export interface Entry {
  seq: number;
  /** Virtual time before it, and after it. */
  from: number;
  at: number;
  /** The number of the request that arrived. */
  request?: number;
  windows?: WindowBefore[];
  keys?: KeyBefore[];
  rows?: NotedRow[];
  point?: Point;
  /** All data were replaced: the image of the former ones lies beside it. */
  replaced?: true;
}

/** An entry as text; bytes become base64. */
export function entryText(entry: Entry): string {
  const { rows = [] } = entry;
  if (!rows.some(({ before }) => before?.some(Buffer.isBuffer))) return JSON.stringify(entry);
  const asText = (value: SqlValue): unknown => (Buffer.isBuffer(value) ? { base64: value.toString('base64') } : value);
  return JSON.stringify({ ...entry, rows: rows.map((row) => ({ ...row, before: row.before?.map(asText) ?? null })) });
}

/** What the texts of entries contain that have a point: others, such as the parts of a long document, need not be parsed. */
export const textOfAnyPoint = '"point":{"point":';

/** What the text of the entry contains that has the point of this number, and no other one: rows are lists of values. */
export const textOfPoint = (point: number): string => `${textOfAnyPoint}${point},`;

/** What the texts of entries contain that belong to this request. */
export const textOfRequest = (request: string): string => `"request":${JSON.stringify(request)}`;

/** @throws DamagedError when it is not as it was written */
export function entryOf(text: string): Entry {
  const entry = parsedJson(text);
  if (!isTree(entry) || typeof entry.seq !== 'number')
    throw new DamagedError('an entry of its history is no JSON object');
  return entry as unknown as Entry;
}

/** A value of a row as SQLite takes it. */
export function sqlValue(value: unknown): SqlValue {
  if (isTree(value) && typeof value.base64 === 'string') return Buffer.from(value.base64, 'base64');
  return value as SqlValue;
}
