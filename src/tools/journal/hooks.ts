// Writes one journal record and one log line for each request.

import { wallMoment, wallNow } from '../../core/clock.js';
import { parsedJson } from '../../core/json.js';
import { real } from '../../core/real-time.js';
import { connectionOf } from '../../http/connections.js';
import { type RequestContext, readRest } from '../../http/request-context.js';
import type { WholeBody } from '../../http/unread-body.js';
import { journalOf, type RequestEnd } from './journal.js';
import type { JournalEntry } from './journal-entry.js';
import type { PendingEntry } from './pending-entry.js';

/** The fields of a request in the request log; without secrets, as in the journal. */
type LoggedRequest = Pick<
  JournalEntry,
  'requestId' | 'method' | 'path' | 'operation' | 'status' | 'durationMs' | 'errorCode' | 'warnings'
>;

/** Receives each finished request, for the request log. */
export type RequestListener = (request: LoggedRequest, worldId: string) => void;

/** Records and logs a request whose response (or the start of its stream) is decided. */
export function recordRequest(context: RequestContext, listener: RequestListener | undefined): void {
  const { ctx, world, requestId, path, errorCode, warnings } = context;
  const end = endOf(context);
  if (context.notedAs === undefined) noteRequest(context, end);
  else journalOf(world).ended(context.notedAs, end);
  // Nothing else comes through its connection before its stream ends.
  if (!ctx.res.shouldKeepAlive || context.outcome === 'streaming') context.connections?.release(ctx.req.socket);
  if (listener === undefined) return;
  const clean = (text: string): string => world.redactor.text(text);
  const request: LoggedRequest = {
    requestId,
    method: ctx.method,
    path: clean(path).slice(0, 500),
    operation: operationOf(context),
    status: statusOf(context),
    durationMs: end.durationMs,
    errorCode,
    warnings: warnings.map(clean),
  };
  listener(request, world.id);
}

/**
 * Makes the record of a request, which `recordRequest` completes. Call it before where the response takes time to be sent:
 * a client may have ended its work, and its world, by its first bytes.
 */
export function noteRequest(context: RequestContext, end = endOf(context)): void {
  const { ctx, world, caller, endpoint, requestId, path, errorCode, warnings } = context;
  if (context.isInternal || world.isClosed) return;
  if (context.epoch === world.epoch) world.remembered.history?.finished(context.label);
  const { req } = ctx;
  const operation = operationOf(context);
  const connection = connectionOf(req.socket);
  const raw: PendingEntry = {
    kind: 'raw',
    seq: 0,
    requestId,
    at: context.arrivedAt,
    wall: Math.round(wallNow() - end.durationMs),
    begunAt: wallMoment(context.startedAt),
    ...end,
    method: ctx.method,
    path,
    url: req.url ?? '',
    operation,
    named: context.params.id ?? Object.values(context.params)[0],
    secrets: endpoint?.secrets,
    status: statusOf(context),
    caller: context.identity?.bucketOwner ?? 'unknown',
    organizationId: caller?.organizationId ?? null,
    keyId: caller?.keyId ?? null,
    errorCode,
    fault: context.fault,
    happened: context.happened,
    connection,
    otherConnections: context.otherConnections,
    earlierRequests: context.earlierRequests,
    findings: context.findings,
    warnings,
    requestHeaders: req.rawHeaders,
    requestBody: context.bodyText,
    responseHeaders: headersOf(context),
    responseBody: context.responseText,
  };
  const { upload, longBody, responseLength } = context;
  if (responseLength !== undefined) raw.cut = { responseLength };
  if (longBody !== undefined) {
    const { length, hash, holdsLive } = longBody;
    raw.cut = { ...raw.cut, requestLength: length, requestHash: hash, requestHoldsLive: holdsLive };
  }
  if (upload?.hash !== undefined) takeHash(raw, upload.hash, upload.formName);
  else if (upload?.isWhole === false) {
    raw.isArriving = true;
    void upload.discard().then(() => {
      raw.isArriving = false;
      if (upload.hash !== undefined) takeHash(raw, upload.hash, upload.formName);
    });
  }
  const rest = raw.requestBody === undefined ? readRest(context) : undefined;
  if (rest !== undefined) {
    raw.isArriving = true;
    void rest.then((whole) => takeBody(raw, whole));
  }
  const seq = journalOf(world).record(raw);
  context.notedAs = seq;
  if (context.outcome === 'streaming' && seq > 0) markEnd(context, seq);
}

// The body arrived after the response. In texts that are not JSON secrets cannot be located.
function takeBody(raw: PendingEntry, whole: WholeBody | undefined): void {
  raw.isArriving = false;
  if (whole?.text !== undefined && parsedJson(whole.text) !== undefined) raw.requestBody = whole.text;
  else if (whole !== undefined) takeHash(raw, whole.hash, whole.formName);
}

function takeHash(raw: PendingEntry, requestHash: string, formName: string | undefined): void {
  raw.cut = { ...raw.cut, requestHash };
  raw.formName = formName;
}

// Only answers to pages of other origins have headers that were set before.
function headersOf({ ctx: { res }, headers }: RequestContext): Record<string, unknown> {
  return res.getHeaderNames().length === 0 ? headers : { ...headers, ...res.getHeaders() };
}

/** What is known of a request when its response has been sent. */
function endOf({ outcome, startedAt }: RequestContext): RequestEnd {
  return { outcome, durationMs: Math.round((real.elapsed() - startedAt) * 10) / 10, endedAt: wallMoment() };
}

function operationOf({ isUnmatched, endpoint }: RequestContext): string | null {
  return isUnmatched ? null : (endpoint?.id ?? null);
}

// A client that received no status line has status 0 in the journal, too.
function statusOf({ ctx: { res } }: RequestContext): number {
  return res.headersSent ? res.statusCode : 0;
}

function markEnd({ ctx: { res }, world }: RequestContext, seq: number): void {
  const mark = (): void => journalOf(world).mark('stream-ended', String(seq), res.writableEnded ? 'server' : 'client');
  if (res.closed) mark();
  else res.once('close', mark);
}
