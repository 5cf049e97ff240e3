// One journal record and one log line for each request.

import { wallNow } from '../kernel/clock.js';
import type { JournalEntry } from '../store/journal-entry.js';
import { connectionOf } from './connections.js';
import type { Exchange } from './exchange.js';

/** What the request log tells of a request; without secrets, as the journal. */
export type LoggedRequest = Pick<
  JournalEntry,
  'requestId' | 'method' | 'path' | 'operation' | 'status' | 'durationMs' | 'errorCode' | 'warnings'
>;

/** Hears of each finished request, for the request log. */
export type RequestListener = (request: LoggedRequest, worldId: string) => void;

/** Records a request once its answer (or its stream's beginning) is decided. */
export function recordRequest(exchange: Exchange, listener: RequestListener | undefined): void {
  const { ctx, world, caller, endpoint, requestId, path, errorCode, warnings } = exchange;
  const { req, res } = ctx;
  const { body } = ctx.request as { body?: unknown };
  const elapsed = performance.now() - exchange.startedAt;
  const seq = world.journal.record({
    kind: 'raw',
    seq: 0,
    requestId,
    at: exchange.now,
    wall: Math.round(wallNow() - elapsed),
    method: ctx.method,
    path,
    url: req.url ?? '',
    operation: endpoint?.id ?? null,
    params: exchange.params,
    secrets: endpoint?.secrets,
    status: statusOf(exchange),
    durationMs: Math.round(elapsed * 10) / 10,
    caller: exchange.bucketOwner,
    organizationId: caller?.organizationId ?? null,
    keyId: caller?.keyId ?? null,
    errorCode,
    fault: exchange.fault,
    outcome: exchange.outcome,
    connection: connectionOf(req.socket),
    findings: exchange.findings,
    warnings,
    requestHeaders: req.rawHeaders,
    requestBody: typeof body === 'string' ? body : undefined,
    responseHeaders: [exchange.headers, res.getHeaders()],
    responseBody: exchange.responseText,
  });
  if (exchange.outcome === 'streaming') markEnd(exchange, seq);
  if (listener === undefined) return;
  const { clean } = world.journal;
  const request: LoggedRequest = {
    requestId,
    method: ctx.method,
    path: clean(path).slice(0, 500),
    operation: endpoint?.id ?? null,
    status: statusOf(exchange),
    durationMs: Math.round(elapsed * 10) / 10,
    errorCode,
    warnings: warnings.map(clean),
  };
  listener(request, world.id);
}

// A client that got no status line has none in the journal either.
function statusOf({ ctx: { res } }: Exchange): number {
  return res.headersSent ? res.statusCode : 0;
}

function markEnd({ ctx: { res }, world }: Exchange, seq: number): void {
  const mark = (): void => world.journal.mark('stream-ended', String(seq), res.writableEnded ? 'server' : 'client');
  if (res.closed) mark();
  else res.once('close', mark);
}
