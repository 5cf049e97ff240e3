// Durations, as people write them and as they are shown.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { exactDuration, formatDuration, parseDuration } from '../../src/core/duration.js';

it.each([
  ['90s', 90_000],
  ['10m', 600_000],
  ['1h30m', 5_400_000],
  ['1h 30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['2D', 172_800_000],
  ['1w', 604_800_000],
  ['250ms', 250],
  ['1m1ms', 60_001],
  ['0s', 0],
  [' 5s ', 5_000],
  ['1500', 1_500],
  [1_500, 1_500],
  [0, 0],
  [0.6, 1],
])('the duration %j is %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each([
  '',
  ' ',
  'x',
  '1x',
  's',
  '-1s',
  '1.5',
  '1,5s',
  '1e3',
  '10 m',
  '1h30',
  '9'.repeat(400),
  `${'9'.repeat(400)}s`,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
])('%j is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

it.each([
  [0, '0ms'],
  [999, '999ms'],
  [999.6, '1s'],
  [1_000, '1s'],
  [59_600, '1m'],
  [612_000, '10m12s'],
  [3_600_000, '1h'],
  [90_061_000, '1d1h'],
])('%d ms are shown as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it('a shown duration is read back, within a tenth', () => {
  fc.assert(
    fc.property(fc.nat(10_000_000_000), (ms) => {
      const back = parseDuration(formatDuration(ms)) ?? Number.NaN;
      expect(Math.abs(back - ms)).toBeLessThanOrEqual(Math.max(500, ms / 10));
    }),
  );
});

it('a duration that is written exactly is read back as it was', () => {
  expect(exactDuration(0)).toBe('0s');
  expect(exactDuration(3_723_004)).toBe('1h2m3s4ms');
  fc.assert(
    fc.property(fc.nat(2_000_000_000), fc.nat(50), (ms, times) => {
      expect(parseDuration(exactDuration(ms * times))).toBe(ms * times);
    }),
  );
});
