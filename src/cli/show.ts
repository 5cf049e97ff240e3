// Prints responses of control operations for people: lists as tables, objects as names and values.

import { exactDuration, formatDuration } from '../core/duration.js';
import { isTree, type Tree } from '../core/tree.js';
import { colourOf, namedValues, tableOf } from './layout.js';
import { type Line, type Screen, stdoutScreen } from './print.js';

/**
 * An answer as lines; `wanted` are the columns of its lists, all without it. Those with a question mark are left out where
 * the terminal is too narrow.
 */
export function show(answer: Tree, wanted?: readonly string[]): Line[] {
  const [name, list] = Object.entries(answer).find(([, value]) => Array.isArray(value)) ?? [];
  return name !== undefined && typeof answer.total === 'number'
    ? showList(answer, name, list as unknown[], wanted)
    : showThing(answer, wanted);
}

function showList({ total, ...answer }: Tree, name: string, list: unknown[], wanted?: readonly string[]): Line[] {
  const counts = Object.entries(answer).filter(([key, value]) => key !== name && value !== 0);
  if (total !== list.length) counts.unshift(['shown', `${list.length} of ${total}`]);
  const lines = counts.map(([key, value]) => `${label(key)}: ${inline(value, key)}`);
  return [...(list.length === 0 ? ['None.'] : rowsOf(list, wanted)), ...lines];
}

function showThing(thing: Tree, wanted?: readonly string[]): Line[] {
  const isList = (value: unknown): value is Tree[] => Array.isArray(value) && isTree(value[0]);
  const entries = Object.entries(thing);
  const rows = entries
    .filter(([, value]) => !isList(value))
    .map(([name, value]) => [label(name), isTree(value) ? partsOf(value) : inline(value, name)] as const);
  const lists = entries.flatMap(([name, value]) =>
    isList(value) ? ['', `${label(name)}:`, ...indented(value, { wanted })] : [],
  );
  return rows.length === 0 ? lists.slice(1) : [...namedValues(rows), ...lists];
}

/** A table of all columns or the wanted ones, indented by a number of columns of the screen. */
export function indented(
  list: readonly Tree[],
  { wanted, by = 2 }: { wanted?: readonly string[] | undefined; by?: number } = {},
): Line[] {
  const screen = stdoutScreen();
  const lines = rowsOf(list, wanted, { ...screen, columns: screen.columns - by });
  return lines.map((line): Line => [' '.repeat(by), line].flat());
}

function rowsOf(list: readonly unknown[], wanted?: readonly string[], screen?: Screen): Line[] {
  const things = list.map((entry) => (isTree(entry) ? entry : { value: entry }));
  const all = wanted ?? [...new Set(things.flatMap((thing) => Object.keys(thing)))];
  const names = all.map((name) => name.replace('?', ''));
  const columns = names.map((name, i) => ({
    name: label(name),
    // Without chosen columns, the first ones are the most useful.
    isOptional: wanted === undefined ? i > 0 : name !== all[i],
    colourOf: colourOf(name),
  }));
  return tableOf(
    columns,
    things.map((thing) => names.map((name) => inline(thing[name], name))),
    screen,
  );
}

// Metrics over time have two hundred samples.
const mostParts = 20;

/** A value on one line: what is nested as `name=value`. */
export function inline(value: unknown, name = ''): string {
  if (value === null || value === undefined || value === '') return '-';
  if (value === true || value === false) return value ? 'yes' : 'no';
  if (typeof value === 'number' && isInstant(name, value)) return new Date(value).toISOString();
  if (typeof value === 'number' && name.endsWith('Ms')) return formatDuration(value);
  if (typeof value === 'number' && /^(delay|expiresIn)$/.test(name)) return exactDuration(value);
  if (Array.isArray(value) && value.length > mostParts && isTree(value[0]))
    return `${value.length} (--json shows them)`;
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map((entry) => inline(entry)).join(', ');
  if (isTree(value) && name === 'delay') return ['min', 'max'].map((end) => inline(value[end], name)).join(' to ');
  if (isTree(value)) return partsOf(value).join(' ');
  return String(value);
}

function partsOf(value: Tree): string[] {
  const parts = Object.entries(value).filter(([, part]) => part !== undefined);
  return parts.length === 0 ? ['-'] : parts.map(([key, part]) => `${nestedLabel(key)}=${inline(part, key)}`);
}

// Milliseconds since 1970, which nothing else of such a name is.
function isInstant(name: string, value: number): boolean {
  return /^(at|wall)$/.test(name) || (name.endsWith('At') && value > 1e11);
}

const whole: Record<string, string> = {
  apiKey: 'API key',
  nextTransitionAt: 'next stage',
  organizationId: 'organization',
  project_name: 'project',
  requestId: 'request',
  userId: 'user',
  baseUrl: 'base URL',
  ttlMs: 'ends after',
  url: 'URL',
  usdc: 'USDC',
};

/**
 * The name of a column, or of a value.
 *
 * @example label('durationMs') // 'duration'
 */
export function label(name: string): string {
  return whole[name] ?? wordsOf(name).join(' ');
}

/** The same as one word, for `name=value`: as flags are written. */
export function nestedLabel(name: string): string {
  return wordsOf(name).join('-');
}

// A name that comes from a client, such as that of a header, stays as it is.
function wordsOf(name: string): string[] {
  if (!/^[a-z][A-Za-z0-9]*$/.test(name))
    return [name.replace(/^[a-z]+(_[a-z]+)+$/, (said) => said.replaceAll('_', ' '))];
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  return words.length > 1 && /^(ms|at)$/.test(words.at(-1) ?? '') ? words.slice(0, -1) : words;
}
