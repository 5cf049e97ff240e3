// Cloning voices: begins and ends jobs, and undoes failed ones. Everything here runs in a transaction.

import type { CloningFailure } from '../../config/voice.js';
import type { Micros } from '../../core/money.js';
import type { Caller } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { charge, credit } from '../credits/ledger.js';
import { drawPlan, endOf, jobAt } from './jobs.js';
import { clonePrice } from './pricing.js';
import {
  type CloneType,
  deleteVoice,
  findJob,
  findJobOfVoice,
  insertJob,
  insertVoice,
  type Job,
  type JobIntervention,
  type Sample,
  saveAct,
  saveReadiness,
  takeRefund,
  type Voice,
} from './store.js';

/** The effect that undoes a failed job at the instant of its failure. */
export const failureEffect = 'voice.jobFailed';

/** The caller, time and request of a clone. */
export interface CloneContext {
  world: World;
  caller: Caller;
  now: number;
  requestId: string;
  operation: string;
}

export interface CloneRequest {
  name: string;
  cloneType: CloneType;
  description: string | null;
  settings: Record<string, unknown>;
  samples: Sample[];
  failure: CloningFailure | null;
}

export interface Cloned {
  voice: Voice;
  job: Job;
  deducted: Micros;
  balance: Micros;
}

/**
 * Begins to clone a voice: it exists at once, and speaks when its job has completed.
 *
 * @throws ApiError INSUFFICIENT_CREDITS
 */
export function cloneVoice({ world, caller, now, requestId, operation }: CloneContext, request: CloneRequest): Cloned {
  const seq = world.nextNumber('voices');
  const id = world.random.uuid('voice', seq);
  const price = clonePrice(world.config, request.cloneType);
  const plan = drawPlan(world.config, request.cloneType, request.failure);
  const job: Job = {
    seq,
    id: world.random.uuid('voice job', seq),
    organization_id: caller.organizationId,
    user_id: caller.userId,
    voice_id: id,
    voice_name: request.name,
    kind: request.cloneType,
    plan,
    act: null,
    cost: price.amount,
    price_rule: price.rule,
    request_id: requestId,
    refunded_at: null,
    created_at: now,
  };
  const end = endOf(job);
  const voice: Voice = {
    seq,
    id,
    provider_id: providerIdOf(world, seq),
    organization_id: caller.organizationId,
    user_id: caller.userId,
    name: request.name,
    description: request.description,
    clone_type: request.cloneType,
    settings: request.settings,
    samples: request.samples,
    cost: price.amount,
    ready_at: end.error === null ? end.at : null,
    is_active: true,
    usage_count: 0,
    last_used_at: null,
    created_at: now,
    updated_at: now,
  };
  const balance = charge(world, caller.organizationId, price.amount, {
    type: 'charge',
    reason: `Cloning of ${request.name}`,
    priceRule: price.rule,
    operation,
    requestId,
    subject: job.id,
    at: now,
  });
  insertVoice(world.db, voice);
  insertJob(world.db, job);
  scheduleFailure(world, job);
  world.bus.emit(`job:${job.id}`);
  return { voice, job, deducted: price.amount, balance };
}

/** Ends a job now by an intervention. */
export function endJob(world: World, job: Job, act: JobIntervention): Job {
  const ended = { ...job, act };
  saveAct(world.db, job.seq, act);
  saveReadiness(world.db, job.voice_id, act.error === null ? act.at : null);
  scheduleFailure(world, ended);
  world.bus.emit(`job:${job.id}`);
  return ended;
}

/** Deletes a voice; an unfinished one is refunded. */
export function removeVoice(world: World, voice: Voice, now: number): void {
  const job = findJobOfVoice(world.db, voice.id);
  if (job !== undefined && jobAt(job, now).endedAt === null) {
    endJob(world, job, { at: now, error: 'The voice was deleted before it was ready' });
    jobFailed(world, job.id, now);
  }
  deleteVoice(world.db, voice.id);
}

/** Removes the voice of a failed job, and refunds its charge, once. */
export function jobFailed(world: World, id: string, at: number): void {
  world.schedule(failureEffect, id, undefined);
  const job = findJob(world.db, id);
  if (job === undefined) return;
  deleteVoice(world.db, job.voice_id);
  if (!takeRefund(world.db, job.seq, at) || job.cost === 0) return;
  credit(world, job.organization_id, job.cost, {
    type: 'refund',
    reason: `Cloning of ${job.voice_name} failed`,
    priceRule: job.price_rule,
    operation: 'voice.clone',
    requestId: job.request_id,
    subject: job.id,
    at,
  });
}

function scheduleFailure(world: World, job: Job): void {
  const end = endOf(job);
  world.schedule(failureEffect, job.id, end.error === null ? undefined : end.at);
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const idLength = 20;

// In the provider's format of ids.
function providerIdOf({ random }: World, seq: number): string {
  const hex = random.hex('voice at the provider', seq);
  return Array.from(
    { length: idLength },
    (_, i) => letters[Number.parseInt(hex.slice(i * 3, i * 3 + 3), 16) % 62],
  ).join('');
}
