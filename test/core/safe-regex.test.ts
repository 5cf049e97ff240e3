// Regular expressions of strangers mean what JavaScript's mean.

import { expect, it } from 'vitest';
import { readRegex, regexFinds, regexProblem } from '../../src/core/safe-regex.js';

const texts = [
  '',
  'a',
  'curl/8.5',
  'CURL',
  'naïve Käfer 😀',
  'a.b.c',
  'x=1;y=22',
  'line\nnext',
  'ſ',
  '/path/to',
  'A\u0000B',
  '2026-11-22',
];

it.each([
  '/^curl/i',
  '/\\d+/',
  '/^[\\w.]+$/',
  '/(?<name>y)=(\\d)/',
  '/\\u0041/',
  '/\\x41\\0B/',
  '/[^]next/',
  '/line.next/',
  '/line.next/s',
  '/k\u00e4fer/iu',
  '/\\p{Lu}/u',
  '/\\/path\\b/',
  '/a|b/',
  '/^$/',
  '/(?:\\d{4})-(\\d\\d)-\\d{2}$/',
  '/[\\u{1F600}-\\u{1F64F}]/u',
  '/\\bto$/',
  '/a.{1,3}c/',
  '/a.{1,3}?c/',
])('a safe regex takes %s', (written) => {
  const regex = readRegex(written);
  if (regex === undefined) throw new Error('is no regular expression');
  expect(regexProblem(regex)).toBeUndefined();
  const native = new RegExp(regex.source, regex.flags);
  expect(texts.map((text) => [text, regexFinds(regex, text)])).toEqual(texts.map((text) => [text, native.test(text)]));
});

it.each([
  ['/(/', /^is not a regular expression \(missing closing \)/],
  ['/a/g', /^has flags other than i, s and u$/],
  ['/(?=a)/', /^cannot be used \(.*\): write it without looking around or back, and repeat less$/],
  ['/(a)\\1/', /^cannot be used/],
  ['/[a-z]{900}[0-9]{200}/', /^is too large: repeat less$/],
])('a safe regex refuses %s: %s', (written, problem) => {
  expect(regexProblem(readRegex(written) ?? { source: '', flags: '' })).toMatch(problem);
});
