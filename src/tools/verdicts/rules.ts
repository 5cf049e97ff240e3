// All verdict rules, in the order of the report.

import type { JournalRecord } from '../journal/journal-entry.js';
import { backoffGrows } from './backoff.js';
import { noDuplicateCreate } from './duplicate-create.js';
import { faultsAllFired } from './faults.js';
import { noExpiredCredential, noLiveKey, noSecretInUrl, noUnknownFields } from './findings.js';
import { pollIntervalObeyed } from './poll-interval.js';
import { quietAfterEnd } from './quiet-after-end.js';
import { inOrder } from './reading.js';
import { retryAfterObeyed } from './retry-after.js';
import { streamsClosed } from './streams.js';
import type { Rule, Verdict, VerdictContext } from './verdict.js';

export const rules: readonly Rule[] = [
  retryAfterObeyed,
  pollIntervalObeyed,
  backoffGrows,
  noDuplicateCreate,
  noSecretInUrl,
  noLiveKey,
  noExpiredCredential,
  streamsClosed,
  faultsAllFired,
  quietAfterEnd,
  noUnknownFields,
];

/** The verdict of every rule on the clients that sent these requests. */
export function judge(records: readonly JournalRecord[], context: VerdictContext): Verdict[] {
  const verdicts: Verdict[] = [];
  // Each rule orders them: what is in order already costs little.
  const ordered = inOrder(records);
  for (const rule of rules) {
    const judgement = rule.judge(ordered, context);
    verdicts.push({ rule: rule.id, title: rule.title, ...judgement });
  }
  return verdicts;
}
