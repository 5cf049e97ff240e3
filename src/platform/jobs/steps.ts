// What became of a job: each status with its instant, and its place among what else happened then.

import { rankWithin } from '../containers/lifecycle/timeline.js';
import { agentJobAt } from '../hosted-agents/lifecycle.js';
import { jobAt } from '../voice/jobs.js';
import type { AnyJob, AnyJobStatus } from './named.js';

/** A status of a job from an instant on. */
export interface JobStep {
  status: AnyJobStatus;
  at: number;
  /** The rank among all that happens in its world at that instant. */
  order: number;
  /** Why it failed. */
  error: string | null;
  /** The number of the last record of the journal before the intervention that caused it; null: none did. */
  after: number | null;
}

/** The statuses of a job up to an instant. */
export function stepsOfJob({ voice, agent }: AnyJob, now: number): JobStep[] {
  const { status, startedAt, endedAt, error } = voice === undefined ? agentJobAt(agent, now) : jobAt(voice, now);
  const { created_at: createdAt, occurrence } = voice ?? agent;
  const act: { at: number; turn?: number; after?: number } | null = (voice ?? agent).act;
  const steps: [AnyJobStatus, number | null][] = [
    ['pending', createdAt],
    [voice === undefined ? 'in_progress' : 'processing', startedAt],
    [status, endedAt],
  ];
  return steps.flatMap(([name, at], index): JobStep[] => {
    if (at === null) return [];
    const isByAct = act !== null && at === act.at && (index === 2 || (index === 1 && startedAt === endedAt));
    const order = rankWithin((isByAct ? act.turn : undefined) ?? occurrence, index);
    return [{ status: name, at, order, error: index === 2 ? error : null, after: isByAct ? (act.after ?? 0) : null }];
  });
}
