// One journal entry and one log line for each request.

import type { JournalEntry } from '../store/journal.js';
import type { Exchange } from './exchange.js';

/** Hears of each finished request, for the request log. */
export type RequestListener = (entry: JournalEntry, worldId: string) => void;

/** Records a request once its answer (or its stream's beginning) is decided. */
export function recordRequest(exchange: Exchange, listener: RequestListener | undefined): void {
  const { ctx, world, caller, endpoint } = exchange;
  const entry: JournalEntry = {
    seq: exchange.seq,
    requestId: exchange.requestId,
    at: exchange.now,
    method: ctx.method,
    path: exchange.path.slice(0, 500),
    operation: endpoint?.id ?? null,
    status: ctx.res.statusCode,
    durationMs: Math.round((performance.now() - exchange.startedAt) * 10) / 10,
    organizationId: caller?.organizationId ?? null,
    keyId: caller?.keyId ?? null,
    errorCode: exchange.errorCode,
    fault: exchange.fault,
    warnings: exchange.warnings,
    assumptions: exchange.assumptions ?? [],
  };
  world.journal.record(entry);
  listener?.(entry, world.id);
}
