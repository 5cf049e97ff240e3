// Building a journal by hand: requests of a client, waits, advances of the clock, markers.

import type { JournalEntry, JournalMarker, JournalRecord } from '../../src/tools/journal/journal-entry.js';
import type { Judgement, Rule, VerdictContext } from '../../src/tools/verdicts/verdict.js';
import { surface } from './surface.js';

export interface Timeline {
  readonly records: JournalRecord[];
  /** Adds a request that begins now; time moves to the end of its answer. */
  request(fields?: Partial<JournalEntry>): JournalEntry;
  /** Adds requests that begin at the same time. */
  together(...requests: Partial<JournalEntry>[]): JournalEntry[];
  /** Lets wall time pass; virtual time with it, unless it is frozen. */
  wait(ms: number): void;
  /** Moves virtual time only. */
  advance(ms: number): void;
  mark(event: JournalMarker['event'], fields?: Partial<JournalMarker>): void;
}

/** The beginning of timelines, in virtual and in wall time. */
export const start = Date.parse('2026-01-01T00:00:00Z');

/** An empty journal. */
export function timeline({ frozen = false, caller = 'key:one' } = {}): Timeline {
  const records: JournalRecord[] = [];
  let wall = start;
  let at = start;
  const pass = (ms: number): void => {
    wall += ms;
    if (!frozen) at += ms;
  };
  const add = (fields: Partial<JournalEntry>): JournalEntry => {
    const seq = records.length + 1;
    const made = entry({ seq, requestId: `req_${seq}`, at, wall, caller, ...fields });
    records.push(made);
    return made;
  };
  return {
    records,
    request(fields = {}) {
      const made = add(fields);
      pass(Math.ceil(made.durationMs));
      return made;
    },
    together(...requests) {
      const openedAt = wall - 1;
      const others = requests.length - 1;
      const made = requests.map((fields, index) =>
        add({ connection: { number: index + 1, openedAt, others }, ...fields }),
      );
      pass(Math.ceil(Math.max(0, ...made.map(({ durationMs }) => durationMs))));
      return made;
    },
    wait: pass,
    advance(ms) {
      at += ms;
    },
    mark(event, fields = {}) {
      records.push({ kind: 'marker', seq: records.length + 1, at, wall, event, subject: '', ...fields });
    },
  };
}

/** A request as the journal keeps it: a list of containers that was answered, unless told otherwise. */
export function entry(fields: Partial<JournalEntry> = {}): JournalEntry {
  return {
    kind: 'request',
    seq: 1,
    requestId: 'req_1',
    at: start,
    wall: start,
    method: 'GET',
    path: '/api/v1/containers',
    query: '',
    operation: 'containers.list',
    subject: null,
    status: 200,
    durationMs: 2,
    caller: 'key:one',
    organizationId: 'org',
    keyId: 'one',
    errorCode: null,
    retryAfter: null,
    fault: null,
    outcome: 'answered',
    findings: [],
    warnings: [],
    assumptions: [],
    requestHeaders: {},
    requestBody: null,
    requestBodyHash: null,
    responseHeaders: {},
    responseBody: null,
    ...fields,
  };
}

/** A creation of a container. */
export const creation = (fields: Partial<JournalEntry> = {}): Partial<JournalEntry> => ({
  method: 'POST',
  operation: 'containers.create',
  subject: 'c1',
  status: 202,
  requestBodyHash: 'hash',
  responseBody: '{"success":true,"data":{"id":"c1","status":"pending"},"polling":{"intervalMs":10000}}',
  ...fields,
});

/** A look at a container that shows a status. */
export const look = (status: string, fields: Partial<JournalEntry> = {}): Partial<JournalEntry> => ({
  operation: 'containers.get',
  path: '/api/v1/containers/c1',
  subject: 'c1',
  responseBody: JSON.stringify({ success: true, data: { id: 'c1', status } }),
  ...fields,
});

/** A list of containers that shows a status of one. */
export const listing = (status: string, fields: Partial<JournalEntry> = {}): Partial<JournalEntry> => ({
  operation: 'containers.list',
  responseBody: JSON.stringify({
    success: true,
    data: [
      { id: 'c0', status: 'running' },
      { id: 'c1', status },
    ],
  }),
  ...fields,
});

/** A refusal that tells how long to wait. */
export const refusal = (retryAfter: number, fields: Partial<JournalEntry> = {}): Partial<JournalEntry> => ({
  status: 429,
  errorCode: 'RATE_LIMITED',
  retryAfter,
  ...fields,
});

/** A failure that tells nothing. */
export const failure = (fields: Partial<JournalEntry> = {}): Partial<JournalEntry> => ({
  status: 500,
  errorCode: 'INTERNAL_ERROR',
  ...fields,
});

/** The judgement of one rule. */
export function judgedBy(rule: Rule, records: readonly JournalRecord[], known: VerdictContext = context): Judgement {
  const judgement = rule.judge(records, known);
  return 'verdict' in judgement ? judgement : judgement;
}

/** The knowledge of rules besides the journal, where nothing special is set. */
export const context = {
  faults: [],
  pollingIntervalMs: 10_000,
  runningSince: 0,
  endpointOf: (operation: string) => surface.find(({ id }) => id === operation),
  queryNames: () => undefined,
};
