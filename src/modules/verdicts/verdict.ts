// Verdicts on clients, and how rules build them.

import { formatDuration } from '../../core/duration.js';
import type { Sliced } from '../../core/slices.js';
import { counted } from '../../core/words.js';
import { iso } from '../../http/wire.js';
import type { JournalEntry, JournalRecord } from '../journal/journal-entry.js';

export const outcomes = ['pass', 'fail', 'unclear', 'not-exercised'] as const;
export type Outcome = (typeof outcomes)[number];

/** One thing that a client did; what no request shows (a fault that never acted) has nulls. */
export interface Evidence {
  requestId: string | null;
  /** Virtual time, ISO 8601. */
  at: string | null;
  operation: string | null;
  method: string | null;
  path: string | null;
  message: string;
}

/** The verdict of a rule on a client. */
export interface Judgement {
  verdict: Outcome;
  /** One sentence: what happened, and what to do. */
  summary: string;
  /** At most 20, oldest first. */
  evidence: Evidence[];
  /** How many more there are. */
  furtherEvidence: number;
}

export interface Verdict extends Judgement {
  rule: string;
  title: string;
}

/** A fault rule, as far as a verdict needs it. */
export interface FaultHits {
  id: string;
  /** What it matches and does, for a person. */
  description: string;
  hits: number;
}

/** What rules know besides the journal. */
export interface VerdictContext {
  faults: readonly FaultHits[];
  /** How often a deploying container may be polled where its create answer is not among the records. */
  pollingIntervalMs: number;
  /** The query parameters that an operation knows. */
  queryNames: (operation: string) => readonly string[] | undefined;
  /** Wall milliseconds at which this process began: streams of an earlier one ended with it. */
  runningSince: number;
}

export interface Rule {
  id: string;
  title: string;
  /** What a client must do to pass, in a sentence. */
  demands: string;
  /** In slices, where it compares many requests with each other. */
  judge: (records: readonly JournalRecord[], context: VerdictContext) => Judgement | Sliced<Judgement>;
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
 * @param unclear what would be wrong if the client had not planned it before
 */
export function conclude(
  cases: number,
  wrong: readonly Evidence[],
  summaries: { none: string; pass: string; fail: string },
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
      unclear: `${counted(unclear.length, 'request')} may break this rule, or may have been planned before, as equal requests came by several connections.`,
    }[verdict],
    evidence: evidence.slice(0, maxEvidence),
    furtherEvidence: Math.max(0, evidence.length - maxEvidence),
  };
}

/**
 * A wait for people, finer than durations elsewhere: what was asked and what came differ by little.
 *
 * @example waitText(1_640) // '1.6 s'
 */
export function waitText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < 600_000 ? `${Number((ms / 1_000).toFixed(1))} s` : formatDuration(ms);
}
