// Counts the platform's requests by operation and status, and how long they took, from the start of the emulator on.

import { elapsed } from '../../core/real-time.js';
import type { RequestContext } from '../../http/request-context.js';

/** The path of the metrics. */
export const metricsPath = '/_emulator/metrics';

/** Upper bounds of durations, in seconds. */
export const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** The requests of an operation that were answered with a status. */
export interface RequestCount {
  /** `none` where no operation has the path. */
  operation: string;
  /** 0: the client got no status. */
  status: number;
  count: number;
  /** The sum of all durations, in seconds. */
  sum: number;
  /** How many took at most as long as each of `bounds`, and longer than the one before it. */
  buckets: number[];
}

/** Counts without a timer or a library, so that it costs nothing where nobody asks: a microsecond a request. */
export class RequestCounts {
  private readonly counts = new Map<string, RequestCount>();

  add({ ctx: { res }, endpoint, isUnmatched, startedAt }: RequestContext): void {
    const operation = isUnmatched ? 'none' : (endpoint?.id ?? 'none');
    const status = res.headersSent ? res.statusCode : 0;
    const key = `${operation} ${status}`;
    let requestCount = this.counts.get(key);
    if (requestCount === undefined) {
      requestCount = { operation, status, count: 0, sum: 0, buckets: bounds.map(() => 0) };
      this.counts.set(key, requestCount);
    }
    const seconds = (elapsed() - startedAt) / 1_000;
    requestCount.count++;
    requestCount.sum += seconds;
    const place = bounds.findIndex((bound) => seconds <= bound);
    if (place >= 0) requestCount.buckets[place] = (requestCount.buckets[place] ?? 0) + 1;
  }

  all(): Iterable<RequestCount> {
    return this.counts.values();
  }
}
