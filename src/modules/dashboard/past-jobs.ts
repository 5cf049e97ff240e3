// What happened to jobs, as entries of the timeline.

import { iso } from '../../http/wire.js';
import type { AnyJob } from '../jobs/named.js';
import { stepsOfJob } from '../jobs/steps.js';
import { nothing } from './entries.js';
import { jobTones, type Placed } from './timeline.js';

type NumberOf = (requestId: string | null) => number;

/** The steps of jobs by an instant. */
export function jobEntries(jobs: readonly AnyJob[], now: number, numberOf: NumberOf): Placed[] {
  const placed: Placed[] = [];
  for (const job of jobs) {
    placed.push(...entriesOf(job, now, numberOf));
  }
  return placed;
}

function entriesOf(job: AnyJob, now: number, numberOf: NumberOf): Placed[] {
  const { id, created_at: createdAt, request_id: requestId } = job.voice ?? job.agent;
  const title = jobTitle(job);
  return stepsOfJob(job, now).map(({ status, at, order, error, after }, index) => ({
    at,
    request: after ?? (at === createdAt ? numberOf(requestId) : 0),
    order,
    entry: {
      ...nothing,
      id: `job:${id}:${status}`,
      kind: 'job' as const,
      at: iso(at),
      title,
      result: status,
      tone: jobTones[status] ?? 'neutral',
      detail: error,
      subject: id,
      requestId: index === 0 ? requestId : null,
    },
  }));
}

/** A job, as the timeline names it. */
export function jobTitle({ voice, agent }: AnyJob): string {
  if (voice !== undefined) return `Cloning of voice ${voice.voice_name}`;
  const verb = agent.type.replace('agent_', '').replace(/^./, (first) => first.toUpperCase());
  return `${verb} hosted agent ${agent.agent_name}`;
}
