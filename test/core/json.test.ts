// JSON from strangers: what is refused, in words that tell the place and nothing of the content.

import { describe, expect, it } from 'vitest';
import { readJson } from '../../src/core/json.js';

it.each([
  ['', 'the body is empty'],
  ['{"a": nope}', 'unexpected character at line 1, column 7'],
  ['{\n  "key": "s3cret",\n}', 'unexpected character at line 3, column 1'],
  ['{"a":1', 'it ends too early: a bracket or a quote is not closed'],
  ['{\u00a0}', 'unexpected character at line 1, column 2'],
  ['{} \u00a0', 'unexpected character at line 1, column 4'],
  ['{"a":"\u0080\u00ff" x}', 'unexpected character at line 1, column 11'],
  ['{"a": 1 // why\n}', 'a comment at line 1, column 9, which JSON does not have'],
  ['{"__proto__":1}', 'the key "__proto__" is not allowed'],
  [`${'['.repeat(201)}${']'.repeat(201)}`, 'nested deeper than 200 levels'],
])('the broken JSON %j is refused: %s', (text, problem) => {
  expect(readJson(text)).toEqual({ problem });
});

describe('half of a surrogate pair', () => {
  it.each(['"\\ud800"', '{"a":["x\\uDFFFy"]}', '{"\\udc00":1}', '"\\ude00\\ud83d"'])('%s is refused', (text) => {
    expect(readJson(text)).toEqual({ problem: expect.stringContaining('half of a surrogate pair') });
  });

  it.each([
    ['"\\ud83d\\ude00"', '😀'],
    ['"\\\\ud800"', '\\ud800'],
    ['"😀"', '😀'],
  ])('%s is none', (text, value) => {
    expect(readJson(text)).toEqual({ value, repeated: { first: [], count: 0 } });
  });
});

it.each([
  ['a long string', `{"a":"${'x'.repeat(4_000_000)}",}`],
  ['a long string that does not end', `{"a":"${'x'.repeat(4_000_000)}`],
  ['many escapes', `{"a":"${'\\n'.repeat(2_000_000)}" x`],
  ['much nesting', '['.repeat(1_000_000)],
  ['a long number', `[${'1'.repeat(4_000_000)} x`],
  ['much space', `${' '.repeat(4_000_000)}x`],
])('a broken JSON text is refused with the fault of %s', (_, text) => {
  expect(readJson(text)).toEqual({
    problem: expect.stringMatching(/^(unexpected character at line 1|it ends too early|nested deeper than 200 levels)/),
  });
});

describe('what a text may hold', () => {
  const limits = { names: 20_000, entries: 30_000 };
  const times = (count: number, piece: string): string => Array(count).fill(piece).join(',');

  it.each([
    ['names', `{${times(20_000, '"a":1')}}`, '20,000 names, objects and lists'],
    ['objects', `[${times(20_000, '{ }')}]`, '20,000 names, objects and lists'],
    ['lists', `[${times(10_001, '[[]]')}]`, '20,000 names, objects and lists'],
    ['entries', `[${times(30_002, '10')}]`, '30,000 commas'],
    ['names, in what is no JSON', times(20_001, '{}'), '20,000 names, objects and lists'],
  ])('%s too many', (_, text, what) => {
    expect(readJson(text, limits)).toEqual({
      problem: `holds more than ${what}, the most that is read: send it in parts`,
      excess: true,
    });
  });

  it.each([
    ['as many names as allowed', `{${times(19_999, '"a":1')}}`],
    ['as many entries as allowed', `[${times(30_001, '10')}]`],
    ['signs in a text', JSON.stringify('{[:,\\"'.repeat(30_000))],
  ])('%s', (_, text) => {
    expect(readJson(text, limits)).toMatchObject({ value: JSON.parse(text) });
  });

  it('is unlimited where nothing is said', () => {
    expect(readJson(`[${times(60_000, '{}')}]`)).toMatchObject({ value: expect.any(Array) });
  });
});
