// Cloning jobs over time: the state at an instant follows from plan, interventions and the clock.

import type { Config } from '../../config/schema.js';
import { type CloningFailure, cloningFailures } from '../../config/voice.js';
import { nearest } from '../../core/nearest.js';
import type { CloneType, Job, JobIntervention, JobPlan } from './store.js';

export const jobStatuses = ['pending', 'processing', 'completed', 'failed'] as const;
export type JobStatus = (typeof jobStatuses)[number];

export interface JobState {
  status: JobStatus;
  /** 0 to 100. */
  progress: number;
  error: string | null;
  startedAt: number | null;
  endedAt: number | null;
  /** When time next changes its status, or null. */
  nextAt: number | null;
}

const words: Record<'instant' | 'fast' | 'realistic', Record<CloneType, Pick<JobPlan, 'pending' | 'processing'>>> = {
  instant: { instant: { pending: 0, processing: 0 }, professional: { pending: 0, processing: 0 } },
  fast: { instant: { pending: 1_000, processing: 4_000 }, professional: { pending: 2_000, processing: 8_000 } },
  realistic: {
    instant: { pending: 5_000, processing: 25_000 },
    professional: { pending: 300_000, processing: 2_400_000 },
  },
};

const reasons: Record<CloningFailure, string> = {
  'audio-quality': 'Audio quality is too low: record again with little background noise',
  'too-short': 'The samples are too short: 1 to 5 minutes of clear audio are needed',
  'provider-error': 'The voice provider failed; try again later',
};

/** The reason of a failed job. */
export function reasonOf(failure: CloningFailure): string {
  return reasons[failure];
}

/** The failure that a request's header names, if it is a known one. */
export function failureNamed(header: string | undefined, warn: (text: string) => void): CloningFailure | undefined {
  if (header === undefined) return undefined;
  const known = cloningFailures.find((name) => name === header);
  const suggestion = nearest(header, cloningFailures);
  const hint = suggestion === undefined ? '' : `, did you mean ${suggestion}?`;
  if (known === undefined)
    warn(`X-Emulator-Failure names no failure of a cloning job: ${cloningFailures.join(', ')}${hint}`);
  return known;
}

/** The plan of a job that begins now. */
export function drawPlan({ voice, containers }: Config, kind: CloneType, failure: CloningFailure | null): JobPlan {
  const timing = voice.cloning.timing ?? (typeof containers.timing === 'string' ? containers.timing : 'fast');
  const times = typeof timing === 'string' ? words[timing][kind] : timing;
  return { ...times, error: failure === null ? null : reasonOf(failure) };
}

/** The state of a job at an instant. */
export function jobAt(
  { plan, act, created_at: created }: Pick<Job, 'plan' | 'act' | 'created_at'>,
  now: number,
): JobState {
  const begins = created + plan.pending;
  const end = endOf({ plan, act, created_at: created });
  if (now >= end.at) {
    const startedAt = Math.min(begins, end.at);
    const progress = end.error === null ? 100 : progressAt(plan, begins, end.at);
    const status = end.error === null ? 'completed' : 'failed';
    return { status, progress, error: end.error, startedAt, endedAt: end.at, nextAt: null };
  }
  if (now < begins) return { ...underWay, status: 'pending', progress: 0, startedAt: null, nextAt: begins };
  const progress = progressAt(plan, begins, now);
  return { ...underWay, status: 'processing', progress, startedAt: begins, nextAt: end.at };
}

/** When and how a job ends. */
export function endOf({ plan, act, created_at: created }: Pick<Job, 'plan' | 'act' | 'created_at'>): JobIntervention {
  return act ?? { at: created + plan.pending + plan.processing, error: plan.error };
}

const underWay = { error: null, endedAt: null };

function progressAt({ processing }: JobPlan, begins: number, now: number): number {
  return processing === 0 ? 0 : Math.max(0, Math.min(99, Math.floor(((now - begins) / processing) * 100)));
}
