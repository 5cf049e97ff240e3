// Patterns of names and paths, against regular expressions that say the same.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitsPattern, patternsMeet } from '../../src/core/patterns.js';
import { runsOf } from '../support/campaign.js';

it.each([
  ['/a/{id}', '/a/b', true],
  ['/a/{id}', '/a/', false],
  ['/a/{id}', '/a/b/c', false],
  ['/a/*', '/a/b/c', true],
  ['/a/*', '/a/', true],
  ['/a/*', '/a', false],
  ['*', '', true],
  ['', '', true],
  ['', 'a', false],
  ['**', 'abc', true],
  ['{}', '{}', true],
  ['{', '{', true],
  ['*😀', 'a😀', true],
])('the pattern %j and %j: %s', (pattern, text, expected) => {
  expect(fitsPattern(pattern, text)).toBe(expected);
});

it.each([
  ['/a/{id}', '/a/*', true],
  ['/a/{id}/c', '/*/c', true],
  ['/a/{id}', '/b/*', false],
  ['/a/{id}', '/a/{x}/{y}', false],
  ['*a*', 'b*', true],
  ['*a', '*b', false],
  ['{x}', '/', false],
  ['*', '{x}', true],
])('the patterns %j and %j have something in common: %s', (a, b, expected) => {
  expect(patternsMeet(a, b)).toBe(expected);
  expect(patternsMeet(b, a)).toBe(expected);
});

const part = fc.constantFrom('a', 'b', '/', '*', '{x}', 'ab');
const textPart = fc.constantFrom('a', 'b', '/', 'ab');
const joined = (parts: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(parts, { maxLength }).map((all) => all.join(''));

it('a pattern means what a regular expression would', () => {
  fc.assert(
    fc.property(joined(part, 6), joined(textPart, 8), (pattern, text) => {
      const regex = new RegExp(`^${pattern.replaceAll('*', '[^]*').replaceAll('{x}', '[^/]+')}$`);
      expect(fitsPattern(pattern, text)).toBe(regex.test(text));
      if (fitsPattern(pattern, text)) expect(patternsMeet(pattern, text)).toBe(true);
    }),
    { numRuns: runsOf(3_000) },
  );
});

it('a pattern takes no time where a regular expression would', () => {
  const began = performance.now();
  expect(fitsPattern('*a'.repeat(100), `${'a'.repeat(400)}b`)).toBe(false);
  expect(performance.now() - began).toBeLessThan(15_000);
});
