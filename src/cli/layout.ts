// Tables and lists of names and values, fitted to where they are shown: a terminal, or a script that wants all of it.

import { relative } from 'node:path';
import stringWidth from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';
import { asTyped } from '../core/typed-command.js';
import { visible } from '../core/visible.js';
import { type Colour, type Line, type Part, painted, type Screen, stdoutScreen } from './print.js';

export interface Column {
  name: string;
  /** The column is left out where the table is too wide; of several, the last one is left out first. */
  isOptional?: boolean;
  /** The colour of a cell. */
  colourOf?: ((cell: string) => Colour | undefined) | undefined;
}

const gap = '  ';
/** Columns that are wider give way before others are left out. */
const comfortable = 48;
/** Columns that are narrower give way to nothing. */
const least = 14;

/** A table with its heading; on a terminal never wider than that. */
export function tableOf(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  screen: Screen = stdoutScreen(),
): Line[] {
  const all = columns.map((column, i) => ({ ...column, cells: rows.map((row) => row[i] ?? '') }));
  if (!screen.isTerminal) return linesOf(all, all.map(naturalWidth));
  const telling = all.filter(({ isOptional, cells }) => isOptional !== true || cells.some((cell) => cell !== '-'));
  if (excessOf(telling.map(naturalWidth), screen.columns) <= 0) return linesOf(telling, telling.map(naturalWidth));
  const short = telling.map((column) => ({ ...column, cells: shortenedAlike(column.cells) }));
  return fitted(short, screen.columns);
}

type Filled = Column & { cells: readonly string[] };

function fitted(columns: readonly Filled[], room: number, missing: readonly string[] = []): Line[] {
  const last = columns.findLastIndex(({ isOptional }) => isOptional === true);
  const widths = narrowed(columns, room, last === -1 ? least : comfortable);
  if (widths === undefined && last !== -1)
    return fitted(columns.toSpliced(last, 1), room, [columns[last]?.name ?? '', ...missing]);
  const lines = linesOf(columns, widths ?? narrowed(columns, room, 1) ?? columns.map(() => 1));
  if (missing.length === 0) return lines;
  const hint = wrapped(`(${missing.join(', ')}: in a wider terminal, or with --json)`, room);
  return [...lines, ...hint.map((line) => painted('dim', line))];
}

// The widest columns give way, down to a limit; undefined where that is not enough.
function narrowed(columns: readonly Filled[], room: number, limit: number): number[] | undefined {
  const widths = columns.map(naturalWidth);
  for (let excess = excessOf(widths, room); excess > 0; excess--) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (width <= limit) return undefined;
    widths[widest] = width - 1;
  }
  return widths;
}

function excessOf(widths: readonly number[], room: number): number {
  return widths.reduce((total, width) => total + width + gap.length, -gap.length) - room;
}

function naturalWidth({ name, cells }: Filled): number {
  return cells.reduce((most, cell) => Math.max(most, widthOf(cell)), widthOf(name));
}

function linesOf(columns: readonly Filled[], widths: readonly number[]): Line[] {
  const hasHeading = columns.some(({ name }) => name !== '');
  const heading = hasHeading ? [lineOf(columns.map(({ name }, i) => placed(name, 'bold', widths, i)))] : [];
  const count = columns[0]?.cells.length ?? 0;
  const rows = Array.from({ length: count }, (_, row) =>
    lineOf(columns.map(({ cells, colourOf }, i) => placed(cells[row] ?? '', colourOf?.(cells[row] ?? ''), widths, i))),
  );
  return [...heading, ...rows];
}

function placed(cell: string, colour: Colour | undefined, widths: readonly number[], i: number): Part {
  const room = widths[i] ?? 0;
  const text = padded(cut(cell, room), room) + (i < widths.length - 1 ? gap : '');
  return colour === undefined ? text : painted(colour, text);
}

// Without blanks at the end.
function lineOf(parts: readonly Part[]): Line {
  const line = [...parts];
  while (line.length > 0) {
    const last = line.at(-1) ?? '';
    const text = textOf(last).trimEnd();
    line.pop();
    if (text === '') continue;
    line.push(typeof last === 'string' ? text : painted(last.colour, text));
    break;
  }
  return line;
}

const instant = /^\d{4}-(\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/;
// Also inside of a path. What people copy, such as an address or a key, is none of them.
const longId =
  /(?<![\w-])((?:req_)?[0-9a-f]{8})(?:[0-9a-f]{16}|-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?![\w-])/g;

// Ids and instants as people tell them apart, on one day by the hour.
function shortenedAlike(cells: readonly string[]): string[] {
  const days = new Set(cells.map((cell) => instant.exec(cell)?.[1]).filter((day) => day !== undefined));
  return cells.map((cell) => {
    const [, day, time = ''] = instant.exec(cell) ?? [];
    if (day !== undefined) return days.size === 1 ? time : `${day} ${time}`;
    return cell.replace(longId, '$1…');
  });
}

/** A line for its own sake, such as one that is followed: on a terminal it has short ids and instants, and is never wider. */
export function ownLine(line: readonly Part[], screen: Screen = stdoutScreen()): Line {
  if (!screen.isTerminal) return [...line];
  let room = screen.columns;
  return line.map((part) => {
    const dated = textOf(part).replace(/\d{4}-(\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d+Z/g, '$1 $2');
    const text = cut(dated.replace(longId, '$1…'), room);
    room -= widthOf(text);
    return typeof part === 'string' ? text : painted(part.colour, text);
  });
}

/** A value that has less room beside its name stands below it, and so does one with a word that fits only there. */
const leastValue = 18;

/**
 * Aligned `name  value` lines; on a terminal values go on below themselves. A value of several parts has a line for each
 * where they do not fit on one.
 */
export function namedValues(
  rows: readonly (readonly [name: string, value: string | readonly string[]])[],
  screen: Screen = stdoutScreen(),
): string[] {
  const width = Math.max(...rows.map(([name]) => widthOf(name)));
  const indent = ' '.repeat(width + 2 * gap.length);
  const room = screen.columns - indent.length;
  return rows.flatMap(([name, value]) => {
    const parts = [value].flat();
    const whole = parts.join(' ');
    const below = screen.columns - 2 * gap.length;
    if (
      widthOf(whole) > room &&
      2 * below >= 3 * room &&
      !hasWide(whole, below) &&
      (room < leastValue || hasWide(whole, room))
    )
      return [
        `${gap}${name.trimEnd()}`,
        ...parts.flatMap((part) => wrapped(part, below)).map((line) => gap + gap + line),
      ];
    // A word that is wider, such as a key, stays whole: it is there to be copied.
    const lines =
      widthOf(whole) <= room ? [whole] : parts.flatMap((part) => (hasWide(part, room) ? part : wrapped(part, room)));
    const [first = '', ...more] = lines;
    return [`${gap}${padded(name, width)}${gap}${first}`, ...more.map((line) => indent + line)];
  });
}

function hasWide(text: string, room: number): boolean {
  return text.split(' ').some((word) => widthOf(word) > room);
}

/** A text that has less room beside what it begins with stands below that. */
const leastBeside = 24;

/** A beginning and a text, which on a terminal goes on below itself. */
export function hanging(start: readonly Part[], text: string, screen: Screen = stdoutScreen()): Line[] {
  const indent = start.reduce((width, part) => width + widthOf(textOf(part)), 0);
  const below = gap + gap;
  if (indent > below.length && screen.columns - indent < leastBeside)
    return [lineOf(start), ...wrapped(text, screen.columns - below.length).map((line) => below + line)];
  const [first = '', ...more] = wrapped(text, screen.columns - indent);
  return [[...start, first], ...more.map((line) => ' '.repeat(indent) + line)];
}

function textOf(part: Part): string {
  return typeof part === 'string' ? part : part.text;
}

/** A text in lines of at most so many columns, broken at blanks, and only words that are wider within them. */
export function wrapped(text: string, room: number): string[] {
  const typed = asTyped(text);
  return widthOf(typed) <= room ? [typed] : wrapAnsi(visible(typed), room, { hard: true }).split('\n');
}

/** A path as a person in the working directory would write it: from there on, or in full. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short !== '' && !short.startsWith('..') ? `./${short}` : path;
}

// How many columns of a terminal a text takes.

/** The columns of a text as it is printed: escaped first, as unfinished escape sequences would keep the library busy for long. */
export function widthOf(text: string): number {
  return stringWidth(visible(text));
}

/** The text in at most so many columns, with `…` where it was cut; escapes are not cut in the middle. */
export function cut(text: string, room: number): string {
  if (widthOf(text) <= room) return text;
  let width = 0;
  let kept = '';
  for (const sign of text) {
    width += widthOf(sign);
    if (width > room - 1) break;
    kept += sign;
  }
  return room < 1 ? '' : `${kept}…`;
}

/** The text, filled up with blanks. */
export function padded(text: string, room: number): string {
  return text + ' '.repeat(Math.max(0, room - widthOf(text)));
}

// The colours of words: green, yellow or red.

const byWord: Record<string, Colour> = {
  running: 'green',
  pass: 'green',
  failed: 'red',
  fail: 'red',
  unclear: 'yellow',
};

/** The colour of the cells of a column. */
export function colourOf(column: string): ((cell: string) => Colour | undefined) | undefined {
  return column === 'status' || column === 'verdict' || column === 'state' ? ofStatus : undefined;
}

/** A status in its colour, filled up with blanks. */
export function statusPart(status: string, width = 0): Part {
  const colour = ofStatus(status);
  return colour === undefined ? padded(status, width) : painted(colour, padded(status, width));
}

/** The colour of a status: of an answer as HTTP counts it, or of a container. 0 is no answer. */
function ofStatus(status: string): Colour | undefined {
  if (!/^\d+$/.test(status)) return byWord[status];
  const number = Number(status);
  if (number >= 500 || number === 0) return 'red';
  if (number >= 400) return 'yellow';
  return number >= 200 && number < 300 ? 'green' : undefined;
}
