// Tables and lists at screens of any width, without a terminal.

import { describe, expect, it } from 'vitest';
import { cut, hanging, namedValues, ownLine, tableOf, widthOf, wrapped } from '../../src/cli/layout.js';
import { type Line, painted } from '../../src/cli/print.js';
import { inline, label, nestedLabel } from '../../src/cli/show.js';

const terminal = (columns: number) => ({ isTerminal: true, columns, hasColours: false });
const pipe = { isTerminal: false, columns: Number.POSITIVE_INFINITY, hasColours: false };
const textOf = (lines: Line[]): string[] =>
  lines.map((line) =>
    [line]
      .flat()
      .map((part) => (typeof part === 'string' ? part : part.text))
      .join(''),
  );

const id = '8804a201-0a4c-41c5-9d35-5e4c1f1ad90b';
const columns = [
  { name: 'id' },
  { name: 'path' },
  { name: 'why', isOptional: true },
  { name: 'more', isOptional: true },
];

describe('a table', () => {
  it('is complete in a pipe', () => {
    expect(textOf(tableOf(columns, [[id, `/a/${id}`, 'x', '-']], pipe))[1]).toBe(`${id}  /a/${id}  x    -`);
  });

  it('leaves out what says nothing, shortens ids, then leaves out the last optional column', () => {
    const rows = [[id, `/a/${id}/logs`, 'because', '-']];
    expect(textOf(tableOf(columns, rows, terminal(40)))).toEqual([
      'id         path               why',
      '8804a201…  /a/8804a201…/logs  because',
    ]);
    expect(textOf(tableOf(columns, rows, terminal(30)))).toEqual([
      'id         path',
      '8804a201…  /a/8804a201…/logs',
      '(why: in a wider terminal, or',
      'with --json)',
    ]);
  });

  it('keeps what people copy', () => {
    const address = `0x${'aB'.repeat(20)}`;
    expect(
      textOf(
        tableOf([{ name: 'address' }, { name: 'x', isOptional: true }], [[address, 'y'.repeat(40)]], terminal(50)),
      )[1],
    ).toBe(address);
  });

  it.each([10, 20, 33, 50, 79, 80])('is never wider than %i columns', (room) => {
    const rows = [[id, '漢字'.repeat(30), '\u001b'.repeat(9), 'z'.repeat(90)]];
    for (const line of textOf(tableOf(columns, rows, terminal(room)))) expect(widthOf(line)).toBeLessThanOrEqual(room);
  });
});

it('a text that has no room beside its beginning stands below it', () => {
  const shown = (columns: number): string[] =>
    textOf(hanging(['FAILED  ', 'retry-after-obeyed  '], 'came before the time that was named', terminal(columns)));
  expect(shown(70)).toEqual(['FAILED  retry-after-obeyed  came before the time that was named']);
  expect(shown(52)).toEqual([
    'FAILED  retry-after-obeyed  came before the time',
    '                            that was named',
  ]);
  expect(shown(32)).toEqual(['FAILED  retry-after-obeyed', '    came before the time that', '    was named']);
  for (const room of [10, 20, 33, 50]) expect(Math.max(...shown(room).slice(1).map(widthOf))).toBeLessThanOrEqual(room);
});

it('values go on below themselves, and parts of one have a line each', () => {
  expect(namedValues([['a', 'one two three']], terminal(12))).toEqual(['  a  one two', '     three']);
  expect(namedValues([['a', ['x=1', 'y=2']]], terminal(10))).toEqual(['  a  x=1', '     y=2']);
  expect(namedValues([['a', ['x=1', 'y=2']]], terminal(20))).toEqual(['  a  x=1 y=2']);
  expect(namedValues([['key', 'x'.repeat(90)]], terminal(20))).toEqual([`  key  ${'x'.repeat(90)}`]);
});

it('text is broken at blanks, and a long word within', () => {
  expect(wrapped('to be or not', 6)).toEqual(['to be', 'or not']);
  expect(wrapped(`a ${'x'.repeat(9)} b`, 6)).toEqual(['a xxxx', 'xxxxx', 'b']);
});

it('width counts wide signs twice, escapes as they are shown, and what combines not at all', () => {
  expect(['a', '漢', '\u001b', 'e\u0301', '😀'].map(widthOf)).toEqual([1, 2, 6, 1, 2]);
  expect(cut('漢字漢字', 5)).toBe('漢字…');
});

it('labels are words, without the unit that the value says', () => {
  expect(['durationMs', 'expiresAt', 'statusHistory', 'apiKey', 'x-Custom'].map(label)).toEqual([
    'duration',
    'expires',
    'status history',
    'API key',
    'x-Custom',
  ]);
  expect(nestedLabel('retryAfter')).toBe('retry-after');
});

it('what is nested is a line: durations as people write them, and of many things their number', () => {
  expect(inline({ times: 2, expiresIn: 5_400_000, delay: 250 })).toBe('times=2 expires-in=1h30m delay=250ms');
  const samples = Array.from({ length: 21 }, () => ({ cpu: 1 }));
  expect(inline({ samples })).toBe('samples=21 (--json shows them)');
  expect(inline({ samples: samples.slice(19) })).toBe('samples=cpu=1, cpu=1');
});

describe('a line for its own sake', () => {
  const asked = `  GET /api/v1/containers/${id}/logs  containers.logs  12ms`;
  const line = ['2026-01-01T00:00:00.000Z  request  ', painted('yellow', '404'), asked];

  it('has short ids and instants on a terminal, and never goes on in another line', () => {
    const at = (width: number): string => textOf([ownLine(line, terminal(width))]).join('\n');
    expect(at(80)).toBe('01-01 00:00:00  request  404  GET /api/v1/containers/8804a201…/logs  containers…');
    expect(at(200)).toMatch(/containers\.logs {2}12ms$/);
    for (const width of [20, 80]) expect(widthOf(at(width))).toBeLessThanOrEqual(width);
  });

  it('is complete in a pipe', () => {
    expect(textOf([ownLine(line, pipe)])).toEqual(textOf([line]));
  });
});

// The library alone would take minutes for the first.
it.each(['\u001b]8;;', '\u001b[', '\u0301'])('measures and breaks a text of 200,000 times %j', (part) => {
  const text = part.repeat(200_000);
  expect(Math.max(...wrapped(text, 80).map(widthOf))).toBeLessThanOrEqual(80);
});
