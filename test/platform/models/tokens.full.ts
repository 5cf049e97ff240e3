// The estimate of tokens: the parts are the text, and their number is what is counted.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTokens, splitTokens } from '../../../src/platform/models/tokens.js';

it('the estimate of tokens splits a text into parts that are the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const tokens = splitTokens(text);
      expect(tokens.join('')).toBe(text);
      expect(countTokens(text)).toBe(tokens.length);
      expect(tokens.every((token) => token !== '')).toBe(true);
    }),
  );
});

it('the estimate of tokens never cuts a character in two', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      for (const token of splitTokens(text)) expect(token).not.toMatch(/\p{Surrogate}/u);
    }),
  );
});

it('the estimate of tokens stops at the number that is asked for', () => {
  expect(splitTokens('one two three', 2)).toEqual(['one', ' two']);
  expect(countTokens('one two three', 2)).toBe(2);
});

describe('is near what tokenizers count', () => {
  it.each([
    ['One two three four', 4],
    ['internationalization', 3],
    ['3.14159', 4],
    ['日本語です', 5],
    ['Größe', 3],
    ['😀😀', 2],
    ['   \n\n', 1],
    ['', 0],
  ])('%j: %i', (text, count) => {
    expect(countTokens(text)).toBe(count);
  });

  it('in English, a token for four or five characters', () => {
    const text =
      'The quick brown fox jumps over the lazy dog, and runs through the neighbouring forest until nightfall.';
    expect(text.length / countTokens(text)).toBeGreaterThan(4);
    expect(text.length / countTokens(text)).toBeLessThan(5.5);
  });
});
