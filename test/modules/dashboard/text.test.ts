// Times and amounts as the dashboard writes them.

import { describe, expect, it } from 'vitest';
import { numberText, resultText, signedText, tickText, whenText } from '../../../src/modules/dashboard/web/text.js';

describe('an instant in a column', () => {
  it.each([
    ['2026-03-02T13:03:36.250Z', '13:03:36'],
    ['2026-03-01T23:59:59Z', '03-01 23:59:59'],
    ['2025-12-31T08:00:00Z', '2025-12-31 08:00:00'],
  ])('%s has only as much of its day as differs from today: %s', (at, text) => {
    expect(whenText(at, '2026-03-02')).toBe(text);
  });
});

describe('a tick of an axis of time', () => {
  it.each([
    ['2026-03-02T13:03:36Z', '13:03:36'],
    ['2026-03-02T00:00:00Z', '03-02'],
  ])('%s is %s', (at, text) => {
    expect(tickText(at)).toBe(text);
  });
});

describe('an amount', () => {
  it.each([
    [1_000, '+1,000', '1,000'],
    [-0.000062, '−0.000062', '−0.000062'],
    [0.1 + 0.2, '+0.3', '0.3'],
  ])('%d is %s as a movement and %s as a balance', (amount, movement, balance) => {
    expect(signedText(amount)).toBe(movement);
    expect(numberText(amount)).toBe(balance);
  });

  it.each([
    ['-0.5', '−0.5'],
    ['+1000', '+1,000'],
    ['200', '200'],
    ['-x', '-x'],
  ])('in a result of the timeline, %s is %s', (result, text) => {
    expect(resultText(result)).toBe(text);
  });
});
