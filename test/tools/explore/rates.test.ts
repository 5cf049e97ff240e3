// Rates of mistakes: their intervals, what counts as one, and what became worse.

import { describe, expect, it } from 'vitest';
import type { Consequence } from '../../../src/tools/explore/consequence.js';
import {
  type AgentReport,
  differencesOf,
  isAmbiguous,
  mistakesIn,
  rateOf,
  ratesOf,
} from '../../../src/tools/explore/rates.js';

const spent: Consequence = { grade: 'A', kind: 'spent', says: 'It spent 1 credit.', advice: 'Check.' };
const failed: Consequence = { grade: 'E', kind: 'failed', says: 'It failed.', advice: 'Retry.' };

describe('a rate', () => {
  // The values of Wilson's interval in tables: 3 of 3, 0 of 10, 5 of 10.
  it.each([
    [3, 3, 0.4385, 1],
    [0, 10, 0, 0.2775],
    [5, 10, 0.2366, 0.7634],
    [0, 0, 0, 1],
  ])('of %i of %i runs has these bounds', (count, of, from, to) => {
    expect(rateOf(count, of)).toEqual({ count, of, from, to });
  });
});

describe('mistakes of an agent', () => {
  const judged = (consequences: Consequence[], failure: 'none' | 'platform' | 'other' = 'none') => ({
    met: true,
    consequences,
    failure,
  });

  it('are giving up, too, as its task can be done under one fault', () => {
    const kinds = (judgement: Parameters<typeof mistakesIn>[0], isFailed = false, unmet: string[] = []): string[] =>
      mistakesIn(judgement, { isFailed, unmet }).map(({ grade, kind }) => `${grade} ${kind}`);
    expect(kinds(judged([failed], 'platform'))).toEqual(['C gave up']);
    expect(kinds(judged([]), true)).toEqual(['C gave up']);
    expect(kinds(judged([spent]), false, ['container one: gone, expected running'])).toEqual(['A spent', 'C gave up']);
    expect(kinds(judged([{ ...failed, grade: 'D', kind: 'died' }], 'other'), true)).toEqual(['D died']);
    expect(kinds(judged([]))).toEqual([]);
  });

  it('are counted once a run', () => {
    const rates = ratesOf([[spent, spent], [], [spent], [{ ...spent, kind: 'gave up', grade: 'C' }]]);
    expect(rates.map(({ kind, rate }) => [kind, rate.count, rate.of])).toEqual([
      ['spent', 2, 4],
      ['gave up', 1, 4],
    ]);
  });
});

it('ambiguous are the faults after which the request may have taken effect, or the response may not be whole', () => {
  expect(isAmbiguous({ id: 'lost', says: '', phase: 'after' })).toBe(true);
  expect(isAmbiguous({ id: 'broken', says: '', phase: 'partial' })).toBe(true);
  expect(isAmbiguous({ id: 'ok-error', says: '' })).toBe(true);
  expect(isAmbiguous({ id: '503', says: '' })).toBe(false);
});

it('two reports differ where a mistake is more or less frequent, surely where the intervals lie apart', () => {
  const report = (count: number, of: number): AgentReport => ({
    agent: true,
    command: ['agent'],
    seconds: 1,
    runs: of,
    repeat: of,
    withoutFaults: { runs: 3, failed: 0 },
    tried: [
      {
        label: 'default',
        operation: 'containers.create',
        occurrence: 1,
        fault: 'lost',
        what: 'The first containers.create takes effect, but the response is lost',
        recovered: rateOf(of - count, of),
        mistakes: count === 0 ? [] : [{ ...spent, rate: rateOf(count, of) }],
      },
    ],
    notTried: [],
    recovered: rateOf(of - count, of),
  });
  const between = (before: AgentReport, now: AgentReport) =>
    differencesOf(before, now).map(({ kind, isSure }) => [kind, isSure]);
  expect(between(report(0, 10), report(9, 10))).toEqual([['spent', true]]);
  expect(between(report(9, 10), report(0, 10))).toEqual([['spent', true]]);
  expect(between(report(1, 3), report(2, 3))).toEqual([['spent', false]]);
  expect(between(report(1, 2), report(2, 4))).toEqual([]);
});
