// Stored voices, and the jobs that clone them.

import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';
import { storedJson } from '../../db/stored-json.js';
import type { AudioFormat } from './audio/inspect.js';

export type CloneType = 'instant' | 'professional';

/** The planned progress of a job, drawn when it begins. */
export interface JobPlan {
  /** Milliseconds in the queue. */
  pending: number;
  /** Milliseconds of work. */
  processing: number;
  /** Why it fails in the end; null: it completes. */
  error: string | null;
}

/** An intervention that ended a job. */
export interface JobIntervention {
  at: number;
  /** Its number among all that happens in its world, and the last record of the journal before it; older ones have none. */
  turn?: number;
  after?: number;
  /** Why it failed; null: it completed. */
  error: string | null;
}

/** The stored facts of an audio file that a voice was cloned from. */
export interface Sample {
  name: string;
  format: AudioFormat;
  bytes: number;
  durationMs: number;
}

export interface Voice {
  seq: number;
  id: string;
  /** Its id at the provider. */
  provider_id: string;
  organization_id: string;
  user_id: string;
  name: string;
  description: string | null;
  clone_type: CloneType;
  settings: Record<string, unknown>;
  samples: Sample[];
  cost: number;
  /** When its job completes; null when it will not. */
  ready_at: number | null;
  /** The owner's choice; the voice speaks only if it is ready, too. */
  is_active: boolean;
  usage_count: number;
  last_used_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface Job {
  seq: number;
  id: string;
  organization_id: string;
  user_id: string;
  voice_id: string;
  voice_name: string;
  kind: CloneType;
  plan: JobPlan;
  /** The intervention that ended it. */
  act: JobIntervention | null;
  cost: number;
  price_rule: string;
  request_id: string;
  refunded_at: number | null;
  created_at: number;
  /** The number of its beginning among all that happens in its world. */
  occurrence: number;
}

interface VoiceRow extends Omit<Voice, 'settings' | 'samples' | 'is_active'> {
  settings: string;
  samples: string;
  is_active: number;
}

interface JobRow extends Omit<Job, 'plan' | 'act'> {
  plan: string;
  act: string | null;
}

export interface VoiceQuery {
  organizationId: string;
  includeInactive: boolean;
  cloneType?: CloneType | undefined;
  now: number;
}

export function insertVoice(db: Db, voice: Voice): void {
  insert(db, 'voices', {
    ...voice,
    settings: JSON.stringify(voice.settings),
    samples: JSON.stringify(voice.samples),
    is_active: voice.is_active ? 1 : 0,
  });
}

/** A voice of an organization, by its id or the provider's. */
export function findVoice(db: Db, organizationId: string, id: string): Voice | undefined {
  const row = db.get<VoiceRow>(
    'SELECT * FROM voices WHERE organization_id = @organizationId AND (id = @id OR provider_id = @id)',
    { organizationId, id },
  );
  return row === undefined ? undefined : readVoice(row);
}

/** All voices of a world, including unfinished ones, newest first. */
export function listAllVoices(db: Db): Voice[] {
  return db.all<VoiceRow>('SELECT * FROM voices ORDER BY seq DESC').map(readVoice);
}

/** The voices of an organization that are ready, newest first. */
export function listVoices(db: Db, query: VoiceQuery): Voice[] {
  const { organizationId, now, includeInactive, cloneType = null } = query;
  return db
    .all<VoiceRow>(
      `SELECT * FROM voices WHERE organization_id = @organizationId AND ready_at <= @now
         AND (is_active = 1 OR @includeInactive) AND clone_type = ifnull(@cloneType, clone_type) ORDER BY seq DESC`,
      { organizationId, now, includeInactive: includeInactive ? 1 : 0, cloneType },
    )
    .map(readVoice);
}

/** Stores what the owner may change. */
export function saveVoice(db: Db, { seq, name, description, settings, is_active, updated_at }: Voice): void {
  db.run(
    `UPDATE voices SET name = @name, description = @description, settings = @settings, is_active = @is_active,
       updated_at = @updated_at WHERE seq = @seq`,
    { name, description, settings: JSON.stringify(settings), is_active: is_active ? 1 : 0, updated_at, seq },
  );
}

/** Counts a use of a voice. */
export function countUse(db: Db, seq: number, now: number): void {
  db.run('UPDATE voices SET usage_count = usage_count + 1, last_used_at = @now WHERE seq = @seq', { now, seq });
}

export function saveReadiness(db: Db, id: string, readyAt: number | null): void {
  db.run('UPDATE voices SET ready_at = @readyAt WHERE id = @id', { readyAt, id });
}

export function deleteVoice(db: Db, id: string): void {
  db.run('DELETE FROM voices WHERE id = @id', { id });
}

export function insertJob(db: Db, job: Job): void {
  insert(db, 'voice_jobs', {
    ...job,
    plan: JSON.stringify(job.plan),
    act: job.act === null ? null : JSON.stringify(job.act),
  });
}

export function findJob(db: Db, id: string): Job | undefined {
  return readJobs(db.all<JobRow>('SELECT * FROM voice_jobs WHERE id = @id', { id }))[0];
}

/** The job that makes, or made, a voice. */
export function findJobOfVoice(db: Db, voiceId: string): Job | undefined {
  return readJobs(db.all<JobRow>('SELECT * FROM voice_jobs WHERE voice_id = @voiceId', { voiceId }))[0];
}

/** Jobs, newest first: of an organization, or of all. */
export function listJobs(db: Db, organizationId?: string): Job[] {
  return readJobs(
    organizationId === undefined
      ? db.all<JobRow>('SELECT * FROM voice_jobs ORDER BY seq DESC')
      : db.all<JobRow>('SELECT * FROM voice_jobs WHERE organization_id = @organizationId ORDER BY seq DESC', {
          organizationId,
        }),
  );
}

export function saveAct(db: Db, seq: number, act: JobIntervention): void {
  db.run('UPDATE voice_jobs SET act = @act WHERE seq = @seq', { act: JSON.stringify(act), seq });
}

/** Marks a job's charge as refunded; false when it already was. */
export function takeRefund(db: Db, seq: number, at: number): boolean {
  return db.run('UPDATE voice_jobs SET refunded_at = @at WHERE seq = @seq AND refunded_at IS NULL', { at, seq }) > 0;
}

function readVoice({ settings, samples, is_active, ...row }: VoiceRow): Voice {
  return {
    ...row,
    settings: storedJson<Record<string, unknown>>(settings, 'voices.settings'),
    samples: storedJson<Sample[]>(samples, 'voices.samples'),
    is_active: is_active === 1,
  };
}

function readJobs(rows: readonly JobRow[]): Job[] {
  return rows.map(({ plan, act, ...row }) => ({
    ...row,
    plan: storedJson<JobPlan>(plan, 'voice_jobs.plan'),
    act: act === null ? null : storedJson<JobIntervention>(act, 'voice_jobs.act'),
  }));
}
