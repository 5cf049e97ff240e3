// Stored voices, and the jobs that clone them.

import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';
import { findRow, listRows } from '../../db/stored-json.js';
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

export interface VoiceQuery {
  organizationId: string;
  includeInactive: boolean;
  cloneType?: CloneType | undefined;
  now: number;
}

export function insertVoice(db: Db, voice: Voice): void {
  insert(db, 'voices', voice);
}

/** A voice of an organization, by its id or the provider's. */
export function findVoice(db: Db, organizationId: string, id: string): Voice | undefined {
  const sql = 'SELECT * FROM voices WHERE organization_id = @organizationId AND (id = @id OR provider_id = @id)';
  return findRow(db, 'voices', sql, { organizationId, id });
}

/** All voices of a world, including unfinished ones, newest first. */
export function listAllVoices(db: Db): Voice[] {
  return listRows(db, 'voices', 'SELECT * FROM voices ORDER BY seq DESC');
}

/** The voices of an organization that are ready, newest first. */
export function listVoices(db: Db, query: VoiceQuery): Voice[] {
  const { organizationId, now, includeInactive, cloneType = null } = query;
  const sql = `SELECT * FROM voices WHERE organization_id = @organizationId AND ready_at <= @now
    AND (is_active = 1 OR @includeInactive) AND clone_type = ifnull(@cloneType, clone_type) ORDER BY seq DESC`;
  return listRows(db, 'voices', sql, { organizationId, now, includeInactive: includeInactive ? 1 : 0, cloneType });
}

/** Stores what the owner may change. */
export function saveVoice(db: Db, { seq, name, description, settings, is_active, updated_at }: Voice): void {
  db.run(
    `UPDATE voices SET name = @name, description = @description, settings = @settings, is_active = @is_active,
       updated_at = @updated_at WHERE seq = @seq`,
    { name, description, settings, is_active, updated_at, seq },
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
  insert(db, 'voice_jobs', job);
}

export function findJob(db: Db, id: string): Job | undefined {
  return findRow(db, 'voice_jobs', 'SELECT * FROM voice_jobs WHERE id = @id', { id });
}

/** The job that makes, or made, a voice. */
export function findJobOfVoice(db: Db, voiceId: string): Job | undefined {
  return findRow(db, 'voice_jobs', 'SELECT * FROM voice_jobs WHERE voice_id = @voiceId', { voiceId });
}

/** Jobs, newest first: of an organization, or of all. */
export function listJobs(db: Db, organizationId?: string): Job[] {
  const sql =
    'SELECT * FROM voice_jobs WHERE organization_id = ifnull(@organizationId, organization_id) ORDER BY seq DESC';
  return listRows(db, 'voice_jobs', sql, { organizationId: organizationId ?? null });
}

export function saveAct(db: Db, seq: number, act: JobIntervention): void {
  db.run('UPDATE voice_jobs SET act = @act WHERE seq = @seq', { act, seq });
}

/** Marks a job's charge as refunded; false when it already was. */
export function takeRefund(db: Db, seq: number, at: number): boolean {
  return db.run('UPDATE voice_jobs SET refunded_at = @at WHERE seq = @seq AND refunded_at IS NULL', { at, seq }) > 0;
}
