// Small clients, each with its right verdicts written down and why.

import { expect, it } from 'vitest';
import { sampleOf } from '../../support/campaign.js';
import { corpus, judge } from './corpus/judged.js';

it('the corpus has at least sixty clients, each of its own name', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(60);
  expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
});

it.each(sampleOf(corpus, 16))('the verdicts on $name are right: $why', judge);
