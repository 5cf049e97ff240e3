// Properties of every rule, whatever the journal holds.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JournalEntry, JournalRecord } from '../../../src/tools/journal/journal-entry.js';
import { judge, rules } from '../../../src/tools/verdicts/rules.js';
import { outcomes, type VerdictContext } from '../../../src/tools/verdicts/verdict.js';
import { runsOf } from '../../support/campaign.js';
import { context, creation, entry, look } from '../../support/records.js';

const start = Date.parse('2026-01-01T00:00:00Z');
const known: VerdictContext = {
  ...context,
  faults: [{ id: 'f1', description: 'a fault', hits: 0 }],
};

const body = fc.oneof(
  fc.constant(null),
  fc
    .constantFrom('pending', 'running', 'failed', 'deleting', 'nonsense')
    .map((status) => look(status).responseBody ?? null),
  fc.constant(creation().responseBody ?? null),
  fc.string(),
  fc.json(),
);

const fields = fc.record<Partial<JournalEntry>>({
  method: fc.constantFrom('GET', 'POST', 'DELETE'),
  path: fc.constantFrom('/api/v1/containers', '/api/v1/containers/c1', '/%00'),
  query: fc.constantFrom('', '?page=1'),
  operation: fc.constantFrom(
    null,
    'containers.get',
    'containers.create',
    'containers.delete',
    'containers.list',
    'agents.create',
    'agents.list',
    '__proto__',
  ),
  subject: fc.constantFrom(null, 'c1', 'c2', 'constructor'),
  status: fc.constantFrom(0, 200, 202, 401, 404, 429, 500, 503),
  durationMs: fc.constantFrom(0, 0.4, 3, 400),
  retryAfter: fc.constantFrom(null, 0, 1, 60),
  fault: fc.constantFrom(null, 'f1'),
  outcome: fc.constantFrom('answered', 'lost', 'aborted', 'streaming'),
  findings: fc.subarray(['secret-in-url', 'live-key', 'expired-credential', 'unknown-field']),
  requestBodyHash: fc.constantFrom(null, 'a', 'b'),
  responseHeaders: fc.constantFrom({}, { 'x-ratelimit-limit': '60' }),
  responseBody: body,
});

const gap = fc.constantFrom(0, 1, 20, 100, 1_000, 10_000, 60_000);

/** A caller's requests, with wall time between them. */
const requestsOf = (caller: string) =>
  fc.array(fc.tuple(fields, gap), { maxLength: 18 }).map((steps) => {
    let wall = start;
    return steps.map(([made, ms], index) => {
      wall += ms;
      return entry({ ...made, caller, keyId: caller, wall, at: wall, requestId: `${caller}_${index}` });
    });
  });

function numbered(records: readonly JournalRecord[]): JournalRecord[] {
  return records.map((record, index) => ({ ...record, seq: index + 1 }));
}

it('every rule judges any journal without throwing, in one of four ways, and the same each time', () => {
  const marker = fc.record({
    kind: fc.constant('marker' as const),
    seq: fc.nat(40),
    at: fc.nat(),
    wall: fc.nat(),
    event: fc.constantFrom('reset', 'restored', 'scenario', 'stream-ended'),
    subject: fc.constantFrom('', '1', '7', 'before'),
  });
  const records = fc
    .tuple(requestsOf('a'), requestsOf('b'), fc.array(marker, { maxLength: 4 }))
    .chain(([a, b, marks]) => fc.shuffledSubarray<JournalRecord>([...a, ...b, ...marks]));
  fc.assert(
    fc.property(records, fc.boolean(), (shuffled, inOrder) => {
      const journal = inOrder ? numbered(shuffled) : shuffled;
      const before = JSON.stringify(journal);
      const verdicts = judge(journal, known);
      expect(verdicts.map(({ rule }) => rule)).toEqual(rules.map(({ id }) => id));
      for (const { verdict, summary, evidence, furtherEvidence } of verdicts) {
        expect(outcomes).toContain(verdict);
        expect(summary).toMatch(/^\S.*\.$/);
        expect(evidence.length > 0).toBe(verdict === 'fail' || verdict === 'unclear');
        expect(furtherEvidence > 0 ? evidence.length : 20).toBe(20);
      }
      expect(judge(journal, known)).toEqual(verdicts);
      expect(JSON.stringify(journal), 'the journal is only read').toBe(before);
    }),
    { numRuns: runsOf(200) },
  );
});

it('every rule judges a caller by its own requests, whoever else’s are between them', () => {
  fc.assert(
    fc.property(requestsOf('a'), requestsOf('b'), (own, others) => {
      const together = numbered([...own, ...others].sort((a, b) => a.wall - b.wall || (a.caller < b.caller ? -1 : 1)));
      const alone = judge(numbered(own), known);
      for (const [index, verdict] of judge(together, known).entries()) {
        const about = verdict.evidence.filter(({ requestId }) => requestId?.startsWith('a_') !== false);
        const mine = alone[index];
        // A finding that is unclear of one caller is not told where another one has broken the rule.
        const isHidden = mine?.verdict === 'unclear' && verdict.verdict === 'fail';
        expect(about, verdict.rule).toEqual(isHidden ? [] : mine?.evidence);
      }
    }),
    { numRuns: runsOf(200) },
  );
});

it('every rule says what it demands', () => {
  for (const { id, title, demands } of rules) {
    expect(id).toMatch(/^[a-z]+(-[a-z]+)+$/);
    expect(title).not.toMatch(/\.$/);
    expect(demands).toMatch(/\.$/);
  }
  expect(new Set(rules.map(({ id }) => id)).size).toBe(11);
});
