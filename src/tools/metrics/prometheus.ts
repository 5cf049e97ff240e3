// The text that Prometheus reads. The library is loaded with the first request for it.

import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { bounds, type RequestCount } from './request-counts.js';

/** The figures of the emulator; the library adds those of the process. */
export interface Reading {
  requests: Iterable<RequestCount>;
  worlds: { open: number; closed: number };
  /** Requests that journals of open worlds no longer hold. */
  journalDropped: number;
}

export function createPrometheus(read: () => Reading) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  registry.registerMetric(
    metric('cloudemu_requests_total', 'counter', 'Requests to the platform, by operation and status', () =>
      [...read().requests].map(({ operation, status, count }) => ({ labels: { operation, status }, value: count })),
    ),
  );
  registry.registerMetric(
    metric('cloudemu_request_duration_seconds', 'histogram', 'How long requests took until they were answered', () =>
      [...read().requests].flatMap(durations),
    ),
  );
  new Gauge({
    name: 'cloudemu_worlds',
    help: 'Worlds that are open, and those that are opened when they are asked for',
    labelNames: ['state'],
    registers,
    collect() {
      const { open, closed } = read().worlds;
      this.set({ state: 'open' }, open);
      this.set({ state: 'closed' }, closed);
    },
  });
  new Gauge({
    name: 'cloudemu_journal_dropped_requests',
    help: 'Requests that the journals of open worlds no longer hold',
    registers,
    collect() {
      this.set(read().journalDropped);
    },
  });
  return { contentType: registry.contentType, text: () => registry.metrics() };
}

export type Prometheus = ReturnType<typeof createPrometheus>;

interface Value {
  labels: Record<string, string | number>;
  value: number;
  metricName?: string;
}

// The library's own counters would have to be there from the first request on, with all that they load.
function metric(name: string, type: string, help: string, values: () => Value[]): Metric {
  return { name, get: async () => ({ name, help, type, values: values(), aggregator: 'sum' }) } as unknown as Metric;
}

function durations({ operation, status, count, sum, buckets }: RequestCount): Value[] {
  const name = 'cloudemu_request_duration_seconds';
  const labels = { operation, status };
  let within = 0;
  const steps = bounds.map((le, index) => {
    within += buckets[index] ?? 0;
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: within };
  });
  return [
    ...steps,
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
