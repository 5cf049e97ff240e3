// Requests as they come to the journal, and journals to put them in.

import { createHash } from 'node:crypto';
import { createRedactor } from '../../src/core/redact.js';
import type { Db } from '../../src/db/db.js';
import { Journal, type JournalOptions } from '../../src/tools/journal/journal.js';
import type { PendingEntry, RedactionContext } from '../../src/tools/journal/pending-entry.js';

export const redactor = createRedactor(['ek_test_'], 'ek_live_');

export const tools: RedactionContext = {
  redactor,
  hash: (text) => createHash('sha256').update(text).digest('hex'),
  refusesLive: true,
};

/** A request as the control operation hands it over: a list of containers that was answered, unless told otherwise. */
export function rawRequest(fields: Partial<PendingEntry> = {}): PendingEntry {
  return {
    kind: 'raw',
    seq: 0,
    requestId: 'req_1',
    at: 0,
    wall: 0,
    method: 'GET',
    path: '/api/v1/containers',
    url: '/api/v1/containers',
    operation: 'containers.list',
    named: undefined,
    secrets: undefined,
    status: 200,
    durationMs: 1,
    begunAt: 0,
    endedAt: 1,
    caller: 'key:one',
    organizationId: 'org',
    keyId: 'one',
    errorCode: null,
    fault: null,
    outcome: 'answered',
    happened: false,
    connection: { number: 1, openedAt: 0, requests: 1 },
    otherConnections: 0,
    earlierRequests: 0,
    findings: undefined,
    warnings: [],
    requestHeaders: [],
    requestBody: undefined,
    responseHeaders: {},
    responseBody: undefined,
    ...fields,
  };
}

/** A journal over a database, with a clock that stands at 0. */
export function openJournal(db: Db, options: Partial<JournalOptions> = {}): Journal {
  return new Journal({
    db,
    capacity: 1_000,
    now: () => 0,
    tools: () => tools,
    onRecord: () => {},
    write: (act) => db.transaction(act),
    ...options,
  });
}

/** Records so many requests, each under a path that is its number. */
export function recordMany(journal: Journal, count: number, fields: Partial<PendingEntry> = {}): void {
  for (let i = 0; i < count; i++) {
    const number = journal.last() + 1;
    journal.record(rawRequest({ requestId: `req_${number}`, path: `/${number}`, ...fields }));
  }
}
