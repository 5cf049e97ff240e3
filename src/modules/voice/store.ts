// Stored voices, and the jobs that clone them.

import type { Db, SqlValue } from '../../db/db.js';
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
  db.run(
    `INSERT INTO voices (seq, id, provider_id, organization_id, user_id, name, description, clone_type, settings, samples,
       cost, ready_at, is_active, usage_count, last_used_at, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    voice.seq,
    voice.id,
    voice.provider_id,
    voice.organization_id,
    voice.user_id,
    voice.name,
    voice.description,
    voice.clone_type,
    JSON.stringify(voice.settings),
    JSON.stringify(voice.samples),
    voice.cost,
    voice.ready_at,
    voice.is_active ? 1 : 0,
    voice.usage_count,
    voice.last_used_at,
    voice.created_at,
    voice.updated_at,
  );
}

/** A voice of an organization, by its id or the provider's. */
export function findVoice(db: Db, organizationId: string, id: string): Voice | undefined {
  const row = db.get<VoiceRow>(
    'SELECT * FROM voices WHERE organization_id = ? AND (id = ? OR provider_id = ?)',
    organizationId,
    id,
    id,
  );
  return row === undefined ? undefined : readVoice(row);
}

export function findVoiceById(db: Db, id: string): Voice | undefined {
  const row = db.get<VoiceRow>('SELECT * FROM voices WHERE id = ?', id);
  return row === undefined ? undefined : readVoice(row);
}

/** All voices of a world, including unfinished ones, newest first. */
export function listAllVoices(db: Db): Voice[] {
  return db.all<VoiceRow>('SELECT * FROM voices ORDER BY seq DESC').map(readVoice);
}

/** The voices of an organization that are ready, newest first. */
export function listVoices(db: Db, query: VoiceQuery): Voice[] {
  const parts = ['organization_id = ?', 'ready_at <= ?'];
  const values: SqlValue[] = [query.organizationId, query.now];
  if (!query.includeInactive) parts.push('is_active = 1');
  if (query.cloneType !== undefined) {
    parts.push('clone_type = ?');
    values.push(query.cloneType);
  }
  return db
    .all<VoiceRow>(`SELECT * FROM voices WHERE ${parts.join(' AND ')} ORDER BY seq DESC`, ...values)
    .map(readVoice);
}

/** Stores what the owner may change. */
export function saveVoice(db: Db, { seq, name, description, settings, is_active, updated_at }: Voice): void {
  db.run(
    'UPDATE voices SET name = ?, description = ?, settings = ?, is_active = ?, updated_at = ? WHERE seq = ?',
    name,
    description,
    JSON.stringify(settings),
    is_active ? 1 : 0,
    updated_at,
    seq,
  );
}

/** Counts a use of a voice. */
export function countUse(db: Db, seq: number, now: number): void {
  db.run('UPDATE voices SET usage_count = usage_count + 1, last_used_at = ? WHERE seq = ?', now, seq);
}

export function saveReadiness(db: Db, id: string, readyAt: number | null): void {
  db.run('UPDATE voices SET ready_at = ? WHERE id = ?', readyAt, id);
}

export function deleteVoice(db: Db, id: string): void {
  db.run('DELETE FROM voices WHERE id = ?', id);
}

export function insertJob(db: Db, job: Job): void {
  db.run(
    `INSERT INTO voice_jobs (seq, id, organization_id, user_id, voice_id, voice_name, kind, plan, act, cost, price_rule,
       request_id, refunded_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    job.seq,
    job.id,
    job.organization_id,
    job.user_id,
    job.voice_id,
    job.voice_name,
    job.kind,
    JSON.stringify(job.plan),
    job.act === null ? null : JSON.stringify(job.act),
    job.cost,
    job.price_rule,
    job.request_id,
    job.refunded_at,
    job.created_at,
  );
}

export function findJob(db: Db, id: string): Job | undefined {
  return readJobs(db.all<JobRow>('SELECT * FROM voice_jobs WHERE id = ?', id))[0];
}

/** The job that makes, or made, a voice. */
export function findJobOfVoice(db: Db, voiceId: string): Job | undefined {
  return readJobs(db.all<JobRow>('SELECT * FROM voice_jobs WHERE voice_id = ?', voiceId))[0];
}

/** Jobs, newest first: of an organization, or of all. */
export function listJobs(db: Db, organizationId?: string): Job[] {
  return readJobs(
    organizationId === undefined
      ? db.all<JobRow>('SELECT * FROM voice_jobs ORDER BY seq DESC')
      : db.all<JobRow>('SELECT * FROM voice_jobs WHERE organization_id = ? ORDER BY seq DESC', organizationId),
  );
}

export function saveAct(db: Db, seq: number, act: JobIntervention): void {
  db.run('UPDATE voice_jobs SET act = ? WHERE seq = ?', JSON.stringify(act), seq);
}

/** Marks a job's charge as refunded; false when it already was. */
export function takeRefund(db: Db, seq: number, at: number): boolean {
  return db.run('UPDATE voice_jobs SET refunded_at = ? WHERE seq = ? AND refunded_at IS NULL', at, seq) > 0;
}

function readVoice({ settings, samples, is_active, ...row }: VoiceRow): Voice {
  return {
    ...row,
    settings: JSON.parse(settings) as Record<string, unknown>,
    samples: JSON.parse(samples) as Sample[],
    is_active: is_active === 1,
  };
}

function readJobs(rows: readonly JobRow[]): Job[] {
  return rows.map(({ plan, act, ...row }) => ({
    ...row,
    plan: JSON.parse(plan) as JobPlan,
    act: act === null ? null : (JSON.parse(act) as JobIntervention),
  }));
}
