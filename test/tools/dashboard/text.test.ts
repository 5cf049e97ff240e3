// Times and amounts as the dashboard writes them.

import { describe, expect, it } from 'vitest';
import {
  conditionText,
  creditsText,
  effectText,
  resultText,
  signedText,
  tickText,
  whenText,
} from '../../../src/tools/dashboard/web/text.js';

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
    [1_000, '+1000', '1000'],
    [106.199998, '+106.199998', '106.199998'],
    [0.000001, '+0.000001', '0.000001'],
    [-0.000062, '−0.000062', '−0.000062'],
    [0.1 + 0.2, '+0.3', '0.3'],
  ])('%d is %s as a movement and %s as a balance', (amount, movement, balance) => {
    expect(signedText(amount)).toBe(movement);
    expect(creditsText(amount)).toBe(balance);
  });

  it.each([
    ['-0.5', '−0.5'],
    ['+1000', '+1000'],
    ['200', '200'],
    ['-x', '-x'],
  ])('in a result of the timeline, %s is %s', (result, text) => {
    expect(resultText(result)).toBe(text);
  });
});

describe('a fault rule', () => {
  it.each([
    [{}, 'always'],
    [{ nth: 9, expiresIn: 1_800_000 }, 'on the 9th request, for 30 min'],
    [{ every: 2, after: 3, times: 1 }, 'on every 2nd request, after the first 3 requests, once'],
    [{ times: 11, probability: 0.3 }, '11 times, with 30 % probability'],
    [{ probability: 0 }, 'with 0 % probability'],
  ])('that fires when %j says so in words', (when, text) => {
    expect(conditionText(when)).toBe(text);
  });

  it.each([
    [{ status: 503, retryAfter: 2 }, 'status 503, retry after 2 s'],
    [{ error: 'CONFLICT', delay: { min: 1_000, max: 2_500 } } as const, 'CONFLICT, delay 1 s to 2.5 s'],
    [{ network: 'truncate', afterEvents: 3 } as const, 'network truncate, after 3 events'],
  ])('that does %j says so in words', (effect, text) => {
    expect(effectText(effect)).toBe(text);
  });
});
