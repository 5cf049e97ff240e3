// The verdicts on a journal of 20,000 requests.

import { expect, it } from 'vitest';
import type { JournalEntry } from '../../../src/tools/journal/journal-entry.js';
import { judge } from '../../../src/tools/verdicts/rules.js';
import { context, creation, entry, look } from '../../support/records.js';

const start = Date.parse('2026-01-01T00:00:00Z');

it('the verdicts judge a long journal quickly', () => {
  const journal: JournalEntry[] = Array.from({ length: 20_000 }, (_, index) =>
    entry({
      seq: index + 1,
      wall: start + index,
      at: start + index,
      ...(index % 3 === 0 ? { status: 429, retryAfter: 1 } : index % 3 === 1 ? creation() : look('failed')),
      ...(index % 7 === 0 && { outcome: 'lost' as const }),
    }),
  );
  const startedAt = performance.now();
  judge(journal, context);
  expect(performance.now() - startedAt).toBeLessThan(15_000);
});
