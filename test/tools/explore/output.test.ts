// The output of a test runner, and what it says of one of several tests.

import { expect, it } from 'vitest';
import { failureIn, linesAbout } from '../../../src/tools/explore/output.js';

const signs = [/503/];
const labels = ['deploys-11111111', 'lists-22222222'];

it.each([
  ['node:test in TAP', 'not ok 1 - lists\n  error: gave 503\n# pass 1\n# fail 1\n'],
  ['node:test for people', '✖ failing tests:\n✖ lists (3ms)\n  gave 503\nℹ fail 1\n'],
  [
    'Vitest',
    ' FAIL  a.spec.ts > lists\nError: 503\n⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯\n Test Files  1 failed (1)\n      Tests  1 failed | 1 passed (2)\n',
  ],
  ['Jest', 'FAIL ./a.spec.js\n  ● lists\n    gave 503\nTests:       1 failed, 1 passed, 2 total\n'],
  ['pytest', '___ test lists ___\nE  503\n=== short ===\nFAILED a.py::lists\n=== 1 failed, 1 passed in 0.1s ===\n'],
  [
    'unittest',
    '=====\nERROR: lists (a.T.lists)\n----------\nTraceback (most recent call last):\nRuntimeError: 503\n\n----------\nRan 2 tests\n\nFAILED (errors=1)\n',
  ],
  ['Playwright', '  1) a.spec.ts:3 › lists\n    503\n  1 failed\n    a.spec.ts:3 › lists\n  1 passed (1s)\n'],
])('the output of %s: a test that the count of failures leaves out has passed', (_, output) => {
  expect(failureIn(output, 'lists-22222222', signs, labels)).toBe('platform');
  expect(failureIn(output, 'deploys-11111111', signs, labels)).toBe('none');
  // Any of them may have failed where more failed than can be told.
  expect(
    failureIn(
      output.replace(/\b1 failed|fail 1|errors=1/g, (text) => text.replace('1', '2')),
      'deploys-11111111',
      signs,
      labels,
    ),
  ).toBe('unknown');
});

it('a test is found in the output by its whole name', () => {
  const output = ' ❯ a.spec.ts (2 tests | 1 failed)\n   ✓ a 3ms\n FAIL  a.spec.ts > c\nError: expected 401\n';
  expect(failureIn(output, 'a-11111111', signs, ['a-11111111', 'c-22222222'])).toBe('none');
});

it('a test that is said to have passed has, although the run was killed', () => {
  expect(failureIn('ok 1 - deploys\nnot ok 2 - lists\n', 'deploys-11111111', signs, labels)).toBe('none');
  expect(failureIn('not ok 2 - lists\n', 'deploys-11111111', signs, labels)).toBe('unknown');
});

it.each([
  [
    'Vitest, whose excerpt shows the lines of the test before',
    [
      ' FAIL  a.spec.ts > deploys',
      'Error: other',
      '⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯',
      ' FAIL  a.spec.ts > lists',
      "TypeError: Cannot read properties of null (reading 'data')",
      ' ❯ a.spec.ts:12:5',
      "     10|   test('deploys', async () => {",
      '     11|   });',
      '       |       ^',
      '⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯',
    ],
    ["TypeError: Cannot read properties of null (reading 'data')"],
  ],
  [
    'unittest, which draws a ruler below the name',
    [
      '======================================================================',
      'ERROR: lists (a.T.lists)',
      '----------------------------------------------------------------------',
      'Traceback (most recent call last):',
      '  File "/tests/a.py", line 5, in lists',
      "    print(answer['data'])",
      '          ~~~~~~^^^^^^^^',
      "KeyError: 'data'",
      '',
      '----------------------------------------------------------------------',
      'Ran 3 tests in 0.003s',
    ],
    ["KeyError: 'data'"],
  ],
])('the lines about a test begin with its name and its own error: %s', (_, lines, said) => {
  const [name] = lines.filter((line) => / lists\b/.test(line));
  expect(linesAbout(lines.join('\n'), 'lists-22222222', 20)).toEqual([name, ...said]);
});

it('the lines about tests that share a world are those of the first that failed', () => {
  const output =
    'ok 1 - lists\nERROR: deploys (a.T.deploys)\n--------\n  File "a.py", line 5, in deploys\nKeyError: 1\n--------\n';
  expect(linesAbout(output, 'default', 20)).toEqual(['ERROR: deploys (a.T.deploys)', 'KeyError: 1']);
});

it('tests that Vitest names together, above an error that all of them had, failed with that error', () => {
  const output = [
    ' FAIL  a.spec.ts > deploys',
    ' FAIL  a.spec.ts > lists',
    'TypeError: fetch failed',
    'Caused by: Error: read ECONNRESET',
    '⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/2]⎯',
    '',
    ' FAIL  a.spec.ts > reads',
    "TypeError: Cannot read properties of undefined (reading 'length')",
    '⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[2/2]⎯',
    '      Tests  3 failed (3)',
  ].join('\n');
  const all = [...labels, 'reads-33333333'];
  expect(all.map((label) => failureIn(output, label, [/ECONNRESET/], all))).toEqual(['platform', 'platform', 'other']);
  const said = ['TypeError: fetch failed', 'Caused by: Error: read ECONNRESET'];
  expect(linesAbout(output, 'deploys-11111111', 9)).toEqual([' FAIL  a.spec.ts > deploys', ...said]);
  expect(linesAbout(output, 'lists-22222222', 9)).toEqual([' FAIL  a.spec.ts > lists', ...said]);
});
