// What a door answers, for people: lists as tables, single things as names and values.

import { formatDuration } from '../kernel/duration.js';
import { isTree, type Tree } from '../kernel/tree.js';
import { columns, table } from './print.js';

const widestCell = 90;

/** An answer as text; `wanted` are the columns of a list, all that are short without it. */
export function show(answer: Tree, wanted?: readonly string[]): string {
  const [name, list] = Object.entries(answer).find(([, value]) => Array.isArray(value)) ?? [];
  return name !== undefined && typeof answer.total === 'number'
    ? showList(answer, name, list as unknown[], wanted)
    : showThing(answer);
}

function showList({ total, ...answer }: Tree, name: string, list: unknown[], wanted?: readonly string[]): string {
  const counts = Object.entries(answer).filter(([key, value]) => key !== name && value !== 0);
  if (total !== list.length) counts.unshift(['shown', `${list.length} of ${total}`]);
  const lines = counts.map(([key, value]) => `${key}: ${inline(value, key)}`);
  if (list.length === 0) lines.unshift('None.');
  else lines.unshift(rowsOf(list, wanted));
  return lines.join('\n');
}

function showThing(thing: Tree): string {
  const isList = (value: unknown): value is Tree[] => Array.isArray(value) && isTree(value[0]);
  const entries = Object.entries(thing);
  const values = entries.filter(([, value]) => !isList(value));
  const lists = entries.flatMap(([name, value]) => (isList(value) ? [`${name}:\n${indented(rowsOf(value))}`] : []));
  const rows = values.map(([name, value]) => [name, inline(value, name)] as const);
  return [...(rows.length > 0 ? [table(rows)] : []), ...lists].join('\n\n');
}

function rowsOf(list: readonly unknown[], wanted?: readonly string[]): string {
  const things = list.map((entry) => (isTree(entry) ? entry : { value: entry }));
  const names = wanted ?? [...new Set(things.flatMap((thing) => Object.keys(thing)))];
  const rows = things.map((thing) => names.map((name) => shortened(inline(thing[name], name))));
  return columns([names, ...rows]);
}

/** A value on one line: what is nested as `name=value`, what a terminal would obey escaped. */
export function inline(value: unknown, name = ''): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'number' && /^(at|wall)$/.test(name)) return new Date(value).toISOString();
  if (typeof value === 'number' && name.endsWith('Ms')) return formatDuration(value);
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map((entry) => inline(entry)).join(', ');
  if (isTree(value)) {
    const parts = Object.entries(value).filter(([, part]) => part !== undefined);
    return parts.length === 0 ? '-' : parts.map(([key, part]) => `${key}=${inline(part, key)}`).join(' ');
  }
  return String(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}

function escaped(sign: string): string {
  if (sign === '\n') return '\\n';
  return `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}

function shortened(cell: string): string {
  return cell.length > widestCell ? `${cell.slice(0, widestCell - 1)}…` : cell;
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}
