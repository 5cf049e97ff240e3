// The control operations of the journal and the stream of events.

import * as z from 'zod';
import type { JournalRecord } from '../modules/journal/journal-entry.js';
import { requestFilter, sincePlace } from '../modules/journal/request-filter.js';
import { byId, type ControlOperation, control, controlStream } from './operation.js';

const texts = z.record(z.string(), z.string());

const request = z.object({
  kind: z.literal('request'),
  seq: z.int().describe('Sequence number of the record'),
  requestId: z.string(),
  at: z.number().describe('Virtual milliseconds since the epoch'),
  wall: z.number().describe('Wall milliseconds since the epoch'),
  method: z.string(),
  path: z.string(),
  query: z.string(),
  operation: z.string().nullable(),
  subject: z.string().nullable().describe('Id of the resource that it concerns'),
  status: z.int().describe('0: the client received no response'),
  durationMs: z.number(),
  caller: z.string(),
  organizationId: z.string().nullable(),
  keyId: z.string().nullable(),
  errorCode: z.string().nullable(),
  retryAfter: z.number().nullable(),
  fault: z.string().nullable(),
  outcome: z.enum(['answered', 'lost', 'aborted', 'streaming']),
  connection: z
    .object({ number: z.int(), openedAt: z.number().describe('Wall milliseconds since the epoch') })
    .optional()
    .describe('The connection that the request used'),
  findings: z.array(z.string()),
  warnings: z.array(z.string()),
  assumptions: z.array(z.string()),
  requestHeaders: texts,
  requestBody: z.string().nullable(),
  requestBodyHash: z.string().nullable(),
  responseHeaders: texts,
  responseBody: z.string().nullable(),
});

export const requestOperations: readonly ControlOperation[] = [
  control({
    id: 'control.requests.list',
    method: 'GET',
    path: '/_emulator/requests',
    summary: 'List requests and their responses, newest first, without secrets',
    query: requestFilter,
    response: z.object({ requests: z.array(request), total: z.int(), dropped: z.int() }),
    act: (controls, { query }) => controls.requests.list(query),
  }),
  controlStream({
    id: 'control.requests.stream',
    path: '/_emulator/requests/stream',
    summary: 'Stream requests and markers as server-sent events; Last-Event-ID resumes the stream',
    query: z.object({ since: sincePlace.optional() }),
    open: (controls, { query, lastEventId, signal }) =>
      controls.requests.follow({ since: query.since, after: lastEventId, signal }),
    idOf: (record) => String((record as JournalRecord).seq),
  }),
  control({
    id: 'control.requests.get',
    method: 'GET',
    path: '/_emulator/requests/{id}',
    summary: 'Show a request by its X-Request-Id',
    params: byId,
    errors: ['NOT_FOUND'],
    response: request,
    act: (controls, { params }) => controls.requests.get(params.id),
  }),
  control({
    id: 'control.requests.clear',
    method: 'DELETE',
    path: '/_emulator/requests',
    summary: 'Empty the journal',
    response: z.object({ cleared: z.int() }),
    act: (controls) => controls.requests.clear(),
  }),
  controlStream({
    id: 'control.events',
    path: '/_emulator/events',
    summary: 'Stream all events as server-sent events: requests, markers, clock, containers',
    open: (controls, { signal }) => controls.events({ signal }),
  }),
];
