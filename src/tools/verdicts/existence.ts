// What responses show of a thing whose creation got lost, and whether another creation is the same under another name.

import { parsedJson } from '../../core/json.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { fieldOf, succeeded } from './reading.js';

/** The fields by which clients tell their resources apart, the most reliable first. */
const names = ['project_name', 'username', 'name', 'agentName'] as const;

/** Reads that count things or charges: what was created is among them. */
const countReads = ['account.transactions', 'containers.quota'];
const endStates = ['failed', 'stopped', 'deleting', 'deleted', 'deletion_pending', 'error'];

/** The name of what a creation asks for, with the field that it is in. */
export function nameOf({ requestBody, formName }: JournalEntry): { field: string; value: string } | undefined {
  for (const field of names) {
    const value = fieldOf(requestBody, field);
    if (value !== undefined) return { field, value };
  }
  return formName === undefined ? undefined : { field: 'name', value: formName };
}

/** A creation whose response was lost. */
export interface Lost {
  entry: JournalEntry;
  /** The id of what it created, once a response has shown it. */
  id: string | null;
}

/**
 * Whether a response settles that a lost creation may be sent again: it showed that the thing is not there or that it has
 * ended, or the client deleted it. A response of which the journal does not hold enough counts as one that did.
 *
 * @param reads the operations that show whether such a thing exists
 */
export function settles(answer: JournalEntry, lost: Lost, reads: readonly string[]): boolean {
  const { operation, responseBody, subject } = answer;
  if (operation === null) return false;
  if (operation.endsWith('.delete')) return subject !== null && subject === lost.id;
  const { happened } = lost.entry;
  if (countReads.includes(operation)) return happened !== true;
  if (!reads.includes(operation)) return false;
  const isSingle = operation.endsWith('.get');
  const neverWas = happened !== true;
  if (responseBody === null || (neverWas && !isSingle)) return true;
  const body = parsedJson(responseBody);
  // A body that was cut off.
  if (body === undefined) return !shows(responseBody, lost.entry);
  const found = thingIn(body, lost);
  if (typeof found?.id === 'string') lost.id = found.id;
  if (found !== undefined) return endStates.includes(String(found.status));
  // A single thing shows only itself.
  return !isSingle || nameOf(lost.entry) === undefined;
}

function shows(text: string, lost: JournalEntry): boolean {
  const name = nameOf(lost);
  return name !== undefined && text.includes(`"${name.field}":${JSON.stringify(name.value)}`);
}

/** Whether a creation asks for the same as another one, under the other one's name with something added. */
export function isRenamed(creation: JournalEntry, lost: JournalEntry): boolean {
  const [name, former] = [nameOf(creation), nameOf(lost)];
  if (creation.operation !== lost.operation || name === undefined || name.field !== former?.field) return false;
  if (!name.value.startsWith(former.value) || !added.test(name.value.slice(former.value.length))) return false;
  const content = contentWithoutNames(creation);
  return content !== undefined && content === contentWithoutNames(lost);
}

const added = /^[-_. ]?(?:\w*\d\w*|again|copy|new|retry)$/i;

/** The ids of what a caller deleted. */
export function deletedIn(sequence: readonly JournalEntry[]): ReadonlySet<string | null> {
  const deletions = sequence.filter((entry) => entry.operation?.endsWith('.delete') === true && succeeded(entry));
  return new Set(deletions.map(({ subject }) => subject));
}

function contentWithoutNames({ requestBody }: JournalEntry): string | undefined {
  const body = requestBody === null ? undefined : parsedJson(requestBody);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  return JSON.stringify(Object.entries(body).filter(([field]) => !names.some((name) => name === field)));
}

/** The object in a body that is the thing: by its id or, where that is not known, by its name. */
function thingIn(body: unknown, { entry, id }: Lost): Record<string, unknown> | undefined {
  const name = nameOf(entry);
  const open = [body];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const object = next as Record<string, unknown>;
    const hasName = name !== undefined && object[name.field] === name.value;
    if (id === null || object.id === undefined ? hasName : object.id === id) return object;
    open.push(...Object.values(object));
  }
  return undefined;
}
