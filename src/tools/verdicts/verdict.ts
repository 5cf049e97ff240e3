// Verdicts on clients, and how rules build them.

import * as z from 'zod';
import { formatDuration } from '../../core/duration.js';
import { counted } from '../../core/words.js';
import type { Endpoint } from '../../http/endpoint.js';
import { iso } from '../../http/wire.js';
import type { JournalEntry, JournalRecord } from '../journal/journal-entry.js';

export const outcomes = ['pass', 'fail', 'unclear', 'not-exercised'] as const;
export type Outcome = (typeof outcomes)[number];

const evidence = z.lazy(() =>
  z
    .object({
      requestId: z.string().nullable(),
      at: z.string().nullable().describe('Virtual time, ISO 8601'),
      operation: z.string().nullable(),
      method: z.string().nullable(),
      path: z.string().nullable(),
      message: z.string(),
    })
    .describe('One thing that a client did; what no request shows (a fault that never fired) has nulls'),
);

export type Evidence = z.output<typeof evidence>;

const judgement = z.lazy(() =>
  z.object({
    verdict: z.enum(outcomes),
    summary: z.string().describe('One sentence: what happened, and what to do'),
    evidence: z.array(evidence).describe('At most 20, oldest first'),
    furtherEvidence: z.int().describe('How many more there are'),
  }),
);

/** The verdict of a rule on a client. */
export type Judgement = z.output<typeof judgement>;

export const verdict = z.lazy(() => judgement.unwrap().extend({ rule: z.string(), title: z.string() }));

export type Verdict = z.output<typeof verdict>;

/** A fault rule, as far as a verdict needs it. */
export interface FaultHits {
  id: string;
  /** The match and the effect of the rule, for a person. */
  description: string;
  hits: number;
}

/** The facts that rules know in addition to the journal. */
export interface VerdictContext {
  /** Optional ones only if they have fired. */
  faults: readonly FaultHits[];
  /** The polling interval of a deploying container whose creation is not among the records. */
  pollingIntervalMs: number;
  /** The declaration of an operation in the world of the records. */
  endpointOf: (operation: string) => Endpoint | undefined;
  /** The query parameters that an operation knows. */
  queryNames: (operation: string) => readonly string[] | undefined;
  /** Wall time at which this process started, in milliseconds: streams of an earlier process ended with it. */
  runningSince: number;
}

export interface Rule {
  id: string;
  title: string;
  /** The demand on a client, in a sentence. */
  demands: string;
  judge: (records: readonly JournalRecord[], context: VerdictContext) => Judgement;
}

const maxEvidence = 20;

/** A request as evidence. */
export function evidenceOf(entry: JournalEntry, message: string): Evidence {
  const { requestId, at, operation, method, path } = entry;
  return { requestId, at: iso(at), operation, method, path, message };
}

/**
 * A judgement on cases of which some went wrong, or may have: without cases nothing was exercised.
 *
 * @param unclear requests that would be wrong unless the client planned them before it could know better
 */
export function conclude(
  cases: number,
  wrong: readonly Evidence[],
  summaries: { none: string; pass: string; fail: string; unclear?: string },
  unclear: readonly Evidence[] = [],
): Judgement {
  const verdict = wrong.length > 0 ? 'fail' : unclear.length > 0 ? 'unclear' : cases > 0 ? 'pass' : 'not-exercised';
  const evidence = verdict === 'unclear' ? unclear : wrong;
  return {
    verdict,
    summary: {
      fail: summaries.fail,
      pass: summaries.pass,
      'not-exercised': summaries.none,
      unclear:
        summaries.unclear ??
        `${counted(unclear.length, 'request')} may break this rule: equal requests came over several connections, so a request may have been sent before its client knew.`,
    }[verdict],
    evidence: evidence.slice(0, maxEvidence),
    furtherEvidence: Math.max(0, evidence.length - maxEvidence),
  };
}

/**
 * A wait as text, finer than durations elsewhere: the wait that was asked for and the actual one may differ by little.
 *
 * @example waitText(1_640) // '1.6 s'
 */
export function waitText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < 600_000 ? `${Number((ms / 1_000).toFixed(1))} s` : formatDuration(ms);
}
