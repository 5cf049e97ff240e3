// Controls of voices and cloning jobs: list them, and end a job now.

import type { CloningFailure } from '../../config/voice.js';
import { ApiError } from '../../core/errors.js';
import { nearest } from '../../core/nearest.js';
import { describe } from '../../core/problems.js';
import { iso, isoOrNull } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { isReady } from './access.js';
import { endJob, type JobStatus, jobAt, jobFailed, reasonOf } from './jobs.js';
import { type CloneType, findJob, findJobOfVoice, type Job, listAllVoices, listJobs } from './store.js';

export interface ControlledVoice {
  id: string;
  /** Its id at the voice provider. */
  providerId: string;
  organizationId: string;
  name: string;
  cloneType: CloneType;
  /** Whether it can speak. */
  active: boolean;
  /** Whether its job has completed. */
  ready: boolean;
  usageCount: number;
  createdAt: string;
}

export interface ControlledJob {
  id: string;
  voiceId: string;
  voiceName: string;
  organizationId: string;
  jobType: CloneType;
  status: JobStatus;
  /** 0 to 100. */
  progress: number;
  error: string | null;
  createdAt: string;
  nextTransitionAt: string | null;
  /** When its charge was refunded. */
  refundedAt: string | null;
}

export type VoiceControls = ReturnType<typeof createVoiceControls>;

/** The voice controls of a world. */
export function createVoiceControls(world: World) {
  const end = (name: string, verb: string, error: string | null): ControlledJob =>
    world.db.transaction(() => {
      const now = world.clock.now();
      world.settle(now);
      const job = namedJob(world, name);
      const { status } = jobAt(job, now);
      if (status === 'completed' || status === 'failed')
        throw new ApiError('CONFLICT', { message: `Cannot ${verb} this job: it has ${status}` });
      endJob(world, job, { at: now, error });
      if (error !== null) jobFailed(world, job.id, now);
      return presentJob(findJob(world.db, job.id) ?? job, now);
    });
  return {
    voices: {
      /** All cloned voices of the world, newest first, including unfinished ones. */
      list(): ControlledVoice[] {
        const now = world.clock.now();
        world.settle(now);
        return listAllVoices(world.db).map((voice) => ({
          id: voice.id,
          providerId: voice.provider_id,
          organizationId: voice.organization_id,
          name: voice.name,
          cloneType: voice.clone_type,
          active: isReady(voice, now) && voice.is_active,
          ready: isReady(voice, now),
          usageCount: voice.usage_count,
          createdAt: iso(voice.created_at),
        }));
      },
    },
    jobs: {
      /** All cloning jobs of the world, newest first, including ended ones. */
      list(): ControlledJob[] {
        const now = world.clock.now();
        world.settle(now);
        return listJobs(world.db).map((job) => presentJob(job, now));
      },
      /**
       * One job.
       *
       * @param id its id or its voice's id
       * @throws ApiError NOT_FOUND
       */
      get(id: string): ControlledJob {
        const now = world.clock.now();
        world.settle(now);
        return presentJob(namedJob(world, id), now);
      },
      /**
       * Completes a job now.
       *
       * @throws ApiError NOT_FOUND; CONFLICT when it has ended
       */
      finish: (id: string): ControlledJob => end(id, 'finish', null),
      /**
       * Fails a job now: its voice is removed, its charge refunded.
       *
       * @param options.mode audio-quality (without it), too-short or provider-error
       * @example controls.jobs.fail(job.id, { mode: 'too-short' })
       * @throws ApiError NOT_FOUND; CONFLICT when it has ended
       */
      fail: (id: string, { mode = 'audio-quality' }: { mode?: CloningFailure | undefined } = {}): ControlledJob =>
        end(id, 'fail', reasonOf(mode)),
    },
  };
}

export type JobControls = VoiceControls['jobs'];

/**
 * The job of an id, or of a voice's id.
 *
 * @throws ApiError NOT_FOUND with the nearest id
 */
export function namedJob(world: World, name: string): Job {
  const job = findJob(world.db, name) ?? findJobOfVoice(world.db, name);
  if (job !== undefined) return job;
  const suggestion = nearest(
    name,
    listJobs(world.db).map(({ id }) => id),
  );
  const hint = suggestion === undefined ? '' : `; did you mean "${suggestion}"?`;
  throw new ApiError('NOT_FOUND', { message: `There is no job of id (or of a voice of id) ${describe(name)}${hint}` });
}

function presentJob(job: Job, now: number): ControlledJob {
  const { status, progress, error, nextAt } = jobAt(job, now);
  return {
    id: job.id,
    voiceId: job.voice_id,
    voiceName: job.voice_name,
    organizationId: job.organization_id,
    jobType: job.kind,
    status,
    progress,
    error,
    createdAt: iso(job.created_at),
    nextTransitionAt: isoOrNull(nextAt),
    refundedAt: isoOrNull(job.refunded_at),
  };
}
