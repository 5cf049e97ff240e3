// All verdict rules, in the order of the report.

import type { Sliced } from '../../core/slices.js';
import type { JournalRecord } from '../journal/journal-entry.js';
import { backoffGrows } from './backoff.js';
import { noDuplicateCreate } from './duplicate-create.js';
import { faultsAllFired } from './faults.js';
import { noExpiredCredential, noLiveKey, noSecretInUrl, noUnknownFields } from './findings.js';
import { pollIntervalObeyed } from './poll-interval.js';
import { quietAfterEnd } from './quiet-after-end.js';
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
export function* judge(records: readonly JournalRecord[], context: VerdictContext): Sliced<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const rule of rules) {
    verdicts.push({ rule: rule.id, title: rule.title, ...rule.judge(records, context) });
    yield;
  }
  return verdicts;
}
