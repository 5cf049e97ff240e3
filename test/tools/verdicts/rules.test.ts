// What each rule says of the journals in cases/: when each record came (in milliseconds, behind a slash by the virtual clock,
// if that stood still or jumped), what it is, and in which fields it differs from the usual one.

import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JournalEntry, JournalRecord } from '../../../src/tools/journal/journal-entry.js';
import { rules } from '../../../src/tools/verdicts/rules.js';
import type { Rule, VerdictContext } from '../../../src/tools/verdicts/verdict.js';
import { expectCases } from '../../support/cases.js';
import { context, creation, entry, failure, judgedBy, listing, look, refusal, start } from '../../support/records.js';

const kinds: Record<string, (word: string) => Partial<JournalEntry>> = {
  request: () => ({}),
  creation: () => creation(),
  look: (status) => look(status),
  listing: (status) => listing(status),
  refusal: (seconds) => refusal(Number(seconds)),
  failure: () => failure(),
};

function recordIn(line: string, index: number): JournalRecord {
  const [, ms = '', virtual = ms, kind = '', word = '', more] =
    /^(\d+)(?:\/(\d+))? {2}(\w+)(?: (\S+))?(?: {2}(.*))?$/.exec(line) ?? [];
  const { connection, ...fields } = fieldsIn(more);
  const time = { seq: index + 1, wall: start + Number(ms), at: start + Number(virtual) };
  if (kind === 'marker') return { kind, ...time, event: word, subject: '', ...fields } as JournalRecord;
  const [number, openedMs, others, earlier] = connection ?? [];
  return entry({
    ...time,
    requestId: `req_${index + 1}`,
    ...kinds[kind]?.(word),
    ...fields,
    ...(connection && {
      connection: { number, openedAt: start + openedMs, others, ...(earlier !== undefined && { earlier }) },
    }),
  });
}

const fieldsIn = (text?: string): Record<string, any> => (text === undefined ? {} : parse(text));

function judged(rule: Rule, lines: readonly string[]): string[] {
  const more = lines[0]?.startsWith('context') ? fieldsIn(lines[0].slice('context'.length)) : undefined;
  const known: VerdictContext = { ...context, ...more };
  if (more?.runningSince !== undefined) known.runningSince = start + more.runningSince;
  const records = (more === undefined ? lines : lines.slice(1)).map(recordIn);
  const { verdict, summary, evidence, furtherEvidence } = judgedBy(rule, records, known);
  const further = furtherEvidence > 0 ? [`and ${furtherEvidence} more`] : [];
  return [
    `${verdict}: ${summary}`,
    ...evidence.map(({ requestId, message }) => `${requestId}: ${message}`),
    ...further,
  ];
}

it.each(rules)('$id', ({ id, ...rule }) =>
  expectCases(`tools/verdicts/cases/${id}.txt`, (lines) => judged({ id, ...rule }, lines)),
);

it('every rule has its cases', () => {
  const files = readdirSync('test/tools/verdicts/cases').map((name) => name.replace('.txt', ''));
  expect(files.sort()).toEqual(rules.map(({ id }) => id).sort());
});
