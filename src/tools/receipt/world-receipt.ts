// What a world has seen of its clients, for the receipt of a run.

import * as z from 'zod';

const counts = z.record(z.string(), z.int());

export const worldReceipt = z.lazy(() =>
  z.object({
    id: z.string(),
    label: z.string().nullable().describe('The test that the world was made for, as the fixture says it'),
    requests: z.int(),
    operations: counts.describe('Requests by operation'),
    statuses: counts.describe('Requests by status; 0 stands for no response'),
    errors: counts.describe('Errors that were answered, by code'),
    notImplemented: counts
      .default({})
      .describe('Requests by operation that the platform has and the emulator does not; older receipts lack them'),
    unmatched: z.int().describe('Requests that match no endpoint, and no operation of the platform either'),
    faults: z.array(z.object({ rule: z.string(), hits: z.int() })).describe('Fault rules, and how often each acted'),
    verdicts: z.record(z.string(), z.string()).describe('Results by rule'),
    assumptions: z.array(z.string()).describe('Assumptions that responses rested on'),
    complete: z
      .boolean()
      .describe('Whether assumptions and clock are those of all requests, not of the last ones only'),
    clock: z.object({
      from: z.string().nullable().describe('Virtual time of the first request'),
      to: z.string(),
      skippedMs: z.int().describe('Virtual time that passed faster than the wall clock, as by an advance'),
    }),
  }),
);

/** What a world has seen of its clients. */
export type WorldReceipt = z.output<typeof worldReceipt>;

/** The answers of control operations that a receipt is made from. */
export interface WorldAnswers {
  requests: readonly { at: number; wall: number; assumptions: readonly string[] }[];
  total: number;
  coverage: {
    operations: readonly { operation: string; requests: number; statuses: Record<string, number> }[];
    errors: readonly { code: string; count: number }[];
    notImplemented: readonly { operation: string; requests: number }[];
    unmatched: number;
  };
  faults: readonly {
    match: object;
    when: object;
    phase: string;
    effect: object;
    optional?: boolean | undefined;
    hits: number;
  }[];
  verdicts: readonly { rule: string; verdict: string }[];
  /** Virtual and wall milliseconds at the end. */
  now: number;
  wall: number;
}

/** The receipt of a world at its end. */
export function worldReceiptOf(
  { id, label }: { id: string; label: string | null },
  answers: WorldAnswers,
): WorldReceipt {
  const { requests, total, coverage, faults, verdicts, now, wall } = answers;
  const used = coverage.operations.filter((one) => one.requests > 0);
  const statuses: Record<string, number> = {};
  for (const one of used)
    for (const [status, count] of Object.entries(one.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
  const first = requests.reduce<(typeof requests)[number] | undefined>(
    (earliest, one) => (earliest === undefined || one.wall < earliest.wall ? one : earliest),
    undefined,
  );
  return {
    id,
    label,
    requests: total,
    operations: Object.fromEntries(used.map((one) => [one.operation, one.requests])),
    statuses,
    errors: Object.fromEntries(
      coverage.errors.filter(({ count }) => count > 0).map(({ code, count }) => [code, count]),
    ),
    notImplemented: Object.fromEntries(coverage.notImplemented.map((one) => [one.operation, one.requests])),
    unmatched: coverage.unmatched,
    faults: faults
      .filter(({ hits, optional }) => hits > 0 || optional !== true)
      .map(({ hits, match, when, phase, effect }) => ({
        rule: JSON.stringify({ match, when, phase, effect }),
        hits,
      })),
    verdicts: Object.fromEntries(verdicts.map(({ rule, verdict }) => [rule, verdict])),
    assumptions: [...new Set(requests.flatMap(({ assumptions }) => assumptions))].sort(),
    complete: requests.length === total,
    clock: {
      from: first === undefined ? null : new Date(first.at).toISOString(),
      to: new Date(now).toISOString(),
      skippedMs: first === undefined ? 0 : Math.max(0, Math.round(now - first.at - (wall - first.wall))),
    },
  };
}
