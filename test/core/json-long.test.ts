// The parser that works in slices reads what the engine's reads, and refuses what it refuses, in the same words.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Json, readJson } from '../../src/core/json.js';
import { readJsonInSlices } from '../../src/core/json-long.js';
import { finish } from '../../src/core/slices.js';
import { testSeed } from '../support/seed.js';

const limits = { names: 500, entries: 500 };
const inSlices = (text: string) => finish(readJsonInSlices(text, limits));

const texts = fc.tuple(fc.json({ stringUnit: 'binary' }), fc.constantFrom(undefined, 0, 1, 2)).map(([text, indent]) => {
  const value = JSON.parse(text) as Json;
  return JSON.stringify(value, null, indent);
});

/** A text with a character taken out, put in or replaced. */
const damaged = fc
  .tuple(texts, fc.nat(), fc.nat(2), fc.constantFrom(...'{}[]:,"\\ \n-+.eE0919ufltrn\u0001'))
  .map(([text, place, length, character]) => {
    const at = place % (text.length + 1);
    return text.slice(0, at) + character + text.slice(at + length);
  })
  // A text that was decoded from bytes holds halves of pairs only as escapes.
  .filter((text) => text.isWellFormed());

it('the JSON parser in slices reads what the parser of the engine reads', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(inSlices(text)).toEqual(readJson(text, limits));
    }),
    { seed: testSeed, numRuns: 500 },
  );
});

it('the JSON parser in slices refuses what is damaged in the same words', () => {
  fc.assert(
    fc.property(damaged, (text) => {
      const [mine, usual] = [inSlices(text), readJson(text, limits)];
      // The reader goes no further than the first problem, which need not be the one that is told of the whole.
      if ('problem' in mine && 'problem' in usual && mine.problem !== usual.problem)
        expect([mine.problem, usual.problem]).toContainEqual(expect.stringMatching(/surrogate|__proto__|empty/));
      else expect(mine).toEqual(usual);
    }),
    { seed: testSeed, numRuns: 2_000 },
  );
});

const long = 1_000_000;

describe('long texts', () => {
  it.each([
    ['a string of escapes', `{"a":"${'\\"\\u0041\\\\'.repeat(long / 10)}"}`],
    ['a string of pairs', `["${'😀\\ud83d\\ude00'.repeat(long / 14)}"]`],
    ['a long key', `{"${'k'.repeat(long)}":1}`],
    ['much space', `${' \n'.repeat(long / 2)}{}`],
    ['a string that does not end', `{"a":"${'x'.repeat(long)}`],
    ['half of an escape at the end', `{"a":"${'x'.repeat(long)}\\`],
    ['a line end in a string', `{"a":"${'x'.repeat(long)}\n"}`],
    ['half of a pair', `{"a":"${'x'.repeat(long)}\\ud83d"}`],
    ['repeated keys', `{"a":"${'x'.repeat(long)}","b":1,"a":2,"b":3}`],
    ['something behind the end', `["${'x'.repeat(long)}"] x`],
  ])('reads %s as the parser of the engine does, with turns between', (_, text) => {
    const work = readJsonInSlices(text, limits);
    let slices = 1;
    for (;;) {
      const { done, value } = work.next();
      if (done === true) {
        expect(value).toEqual(readJson(text, limits));
        break;
      }
      slices++;
    }
    expect(slices).toBeGreaterThan(5);
  });

  it('bounds the digits of one number', () => {
    expect(inSlices(`[${'1'.repeat(long)}]`)).toEqual({
      problem: 'holds more than 10,000 digits in one number, the most that is read: send it in parts',
      excess: true,
    });
    expect(inSlices(`[${'1'.repeat(300)}]`)).toEqual(readJson(`[${'1'.repeat(300)}]`));
  });
});
