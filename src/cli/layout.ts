// Tables and lists of names and values, fitted to where they are shown: a terminal, or a script that wants all of it.

import { type Colour, type Line, type Part, painted } from './print.js';
import { type Screen, stdoutScreen } from './terminal.js';
import { cut, padded, widthOf } from './width.js';

export interface Column {
  name: string;
  /** It is left out where the table is too wide; of several the last one first. */
  isOptional?: boolean;
  /** What a cell is shown in. */
  colourOf?: ((cell: string) => Colour | undefined) | undefined;
}

const gap = '  ';
/** What a column that is cut keeps for as long as others can be left out. */
const comfortable = 36;
const least = 6;

/** A table with its heading; on a terminal never wider than that. */
export function tableOf(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  screen: Screen = stdoutScreen(),
): Line[] {
  const all = columns.map((column, i) => ({ ...column, cells: rows.map((row) => row[i] ?? '') }));
  if (!screen.isTerminal) return linesOf(all, all.map(naturalWidth));
  if (excessOf(all.map(naturalWidth), screen.columns) <= 0) return linesOf(all, all.map(naturalWidth));
  const short = all.map((column) => ({ ...column, cells: shortenedAlike(column.cells) }));
  return fitted(short, screen.columns);
}

type Filled = Column & { cells: readonly string[] };

function fitted(columns: readonly Filled[], room: number, missing: readonly string[] = []): Line[] {
  const last = columns.findLastIndex(({ isOptional }) => isOptional === true);
  const widths = narrowed(columns, room, last === -1 ? least : comfortable);
  if (widths === undefined && last !== -1)
    return fitted(columns.toSpliced(last, 1), room, [columns[last]?.name ?? '', ...missing]);
  const lines = linesOf(columns, widths ?? columns.map(() => least));
  if (missing.length === 0) return lines;
  return [...lines, painted('dim', cut(`(${missing.join(', ')}: in a wider terminal, or with --json)`, room))];
}

// The widest columns give way, down to a limit; undefined where that is not enough.
function narrowed(columns: readonly Filled[], room: number, limit: number): number[] | undefined {
  const widths = columns.map(naturalWidth);
  let excess = excessOf(widths, room);
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= limit) return undefined;
    const next = Math.max(limit, ...widths.filter((width) => width < widest));
    const those = widths.flatMap((width, i) => (width === widest ? [i] : []));
    for (const i of those) {
      const less = Math.min(widest - next, Math.ceil(excess / those.length), excess);
      widths[i] = widest - less;
      excess -= less;
    }
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
// Also inside of a path.
const longId = /\b(?<start>(?:req_|0x)?[0-9a-f]{8})[0-9a-f-]{8,}(?![\w-])/gi;

// Ids and instants as people tell them apart, on one day by the hour.
function shortenedAlike(cells: readonly string[]): string[] {
  const days = new Set(cells.map((cell) => instant.exec(cell)?.[1]).filter((day) => day !== undefined));
  return cells.map((cell) => {
    const [, day, time = '', fraction = ''] = instant.exec(cell) ?? [];
    if (day !== undefined) return days.size === 1 ? time + fraction : `${day} ${time}`;
    return cell.replace(longId, '$<start>…');
  });
}

/** Aligned `name  value` lines; on a terminal values go on below themselves, and only a word as wide as it is stays whole. */
export function namedValues(
  rows: readonly (readonly [name: string, value: string])[],
  screen: Screen = stdoutScreen(),
): string[] {
  const width = Math.max(...rows.map(([name]) => widthOf(name)));
  const indent = ' '.repeat(width + 2 * gap.length);
  return rows.flatMap(([name, value]) => {
    const [first = '', ...more] = wrapped(value, screen.columns - indent.length);
    return [`${gap}${padded(name, width)}${gap}${first}`, ...more.map((line) => indent + line)];
  });
}

/** A beginning and a text, which on a terminal goes on below itself. */
export function hanging(start: readonly Part[], text: string, screen: Screen = stdoutScreen()): Line[] {
  const indent = start.reduce((width, part) => width + widthOf(textOf(part)), 0);
  const [first = '', ...more] = wrapped(text, screen.columns - indent);
  return [[...start, first], ...more.map((line) => ' '.repeat(indent) + line)];
}

function textOf(part: Part): string {
  return typeof part === 'string' ? part : part.text;
}

/** A text in lines of at most so many columns, broken at blanks. */
export function wrapped(text: string, room: number): string[] {
  if (widthOf(text) <= room) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && widthOf(longer) > room) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
