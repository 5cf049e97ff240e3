// What happened to jobs, as entries of the timeline.

import type { Sliced } from '../../core/slices.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { rankWithin } from '../containers/timeline.js';
import { agentJobAt } from '../hosted-agents/lifecycle.js';
import { listAgentJobs } from '../hosted-agents/store.js';
import { jobAt } from '../voice/jobs.js';
import { listJobs } from '../voice/store.js';
import { nothing } from './entries.js';
import { agentJobTitle } from './forecast.js';
import type { Placed, Tone } from './timeline.js';

interface Course {
  id: string;
  title: string;
  /** What its status is called while it works. */
  work: string;
  status: string;
  startedAt: number | null;
  endedAt: number | null;
  error: string | null;
  act: { at: number; after?: number; turn?: number } | null;
  created_at: number;
  occurrence: number;
  request_id: string | null;
}

type NumberOf = (requestId: string | null) => number;

/** All jobs of a world, as they are stored now. */
export function storedJobs({ db }: World) {
  return { voices: listJobs(db), agents: listAgentJobs(db) };
}

/** The steps of jobs by an instant. */
export function* jobEntries(
  { voices, agents }: ReturnType<typeof storedJobs>,
  now: number,
  numberOf: NumberOf,
): Sliced<Placed[]> {
  const placed: Placed[] = [];
  for (const job of voices) {
    const title = `Cloning of voice ${job.voice_name}`;
    placed.push(...stepsOf({ ...job, ...jobAt(job, now), title, work: 'processing' }, numberOf));
    yield;
  }
  for (const job of agents) {
    const title = agentJobTitle(job);
    placed.push(...stepsOf({ ...job, ...agentJobAt(job, now), title, work: 'in_progress' }, numberOf));
    yield;
  }
  return placed;
}

function stepsOf(job: Course, numberOf: NumberOf): Placed[] {
  const { status, startedAt, endedAt, error, act, created_at: createdAt, occurrence, request_id: requestId } = job;
  const steps: [string, number | null, Tone][] = [
    ['pending', createdAt, 'neutral'],
    [job.work, startedAt, 'neutral'],
    [status, endedAt, status === 'failed' ? 'bad' : 'good'],
  ];
  return steps.flatMap(([result, at, tone], index) => {
    if (at === null) return [];
    const isByAct = act !== null && at === act.at && (index === 2 || (index === 1 && startedAt === endedAt));
    const request = isByAct ? (act.after ?? 0) : at === createdAt ? numberOf(requestId) : 0;
    return [
      {
        at,
        request,
        order: rankWithin((isByAct ? act.turn : undefined) ?? occurrence, index),
        entry: {
          ...nothing,
          id: `job:${job.id}:${result}`,
          kind: 'job' as const,
          at: iso(at),
          title: job.title,
          result,
          tone,
          detail: index === 2 ? error : null,
          subject: job.id,
          requestId: index === 0 ? requestId : null,
        },
      },
    ];
  });
}
