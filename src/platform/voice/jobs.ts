// Cloning jobs: they begin, end, and follow from plan, interventions and the clock at each instant between. What changes rows
// runs in a transaction.

import { timingLike } from '../../config/deployment.js';
import type { Config } from '../../config/schema.js';
import { type CloningFailure, cloningFailures } from '../../config/voice.js';
import { type CourseState, courseAt } from '../../core/course.js';
import { type Micros, toMicros } from '../../core/money.js';
import { nearest } from '../../core/nearest.js';
import { nextOccurrence } from '../../db/occurrences.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { placeNow } from '../../world/place.js';
import type { World } from '../../world/world.js';
import { chargeCaller, credit, type Price } from '../credits/ledger.js';
import {
  type CloneType,
  deleteVoice,
  findJob,
  findJobOfVoice,
  insertJob,
  insertVoice,
  type Job,
  type JobIntervention,
  type JobPlan,
  type Sample,
  saveAct,
  saveReadiness,
  takeRefund,
  type Voice,
} from './store.js';

export const jobStatuses = ['pending', 'processing', 'completed', 'failed'] as const;

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
function drawPlan({ voice, containers }: Config, kind: CloneType, failure: CloningFailure | null): JobPlan {
  const timing = voice.cloning.timing ?? timingLike(containers.timing);
  const times = typeof timing === 'string' ? words[timing][kind] : timing;
  return { ...times, error: failure === null ? null : reasonOf(failure) };
}

/** The state of a job at an instant. */
export function jobAt(job: Pick<Job, 'plan' | 'act' | 'created_at'>, now: number): CourseState<'processing'> {
  const { pending, processing: work } = job.plan;
  return courseAt({ begins: job.created_at + pending, work, end: endOf(job) }, 'processing', now);
}

/** When and how a job ends. */
export function endOf({ plan, act, created_at: created }: Pick<Job, 'plan' | 'act' | 'created_at'>): JobIntervention {
  return act ?? { at: created + plan.pending + plan.processing, error: plan.error };
}

/** The effect that undoes a failed job at the instant of its failure. */
export const failureEffect = 'voice.jobFailed';

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
export function cloneVoice(
  call: Pick<HandlerContext, 'world' | 'caller' | 'now' | 'requestId' | 'operation'>,
  request: CloneRequest,
): Cloned {
  const { world, caller, now, requestId } = call;
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
    occurrence: nextOccurrence(world.db),
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
  const balance = chargeCaller(call, price, `Cloning of ${request.name}`, job.id);
  insertVoice(world.db, voice);
  insertJob(world.db, job);
  scheduleFailure(world, job);
  world.bus.emit(`job:${job.id}`);
  return { voice, job, deducted: price.amount, balance };
}

/** Ends a job now by an intervention, with an error or (null) successfully. */
export function endJob(world: World, job: Job, now: number, error: string | null): Job {
  const act: JobIntervention = { ...placeNow(world, now), error };
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
    endJob(world, job, now, 'The voice was deleted before it was ready');
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

/** The price of a cloned voice. */
export function clonePrice({ prices }: Config, type: CloneType): Price {
  const each = type === 'professional' ? (prices.professionalVoiceClone ?? prices.voiceClone) : prices.voiceClone;
  return { amount: toMicros(each), rule: `${type} voice clone ${each}` };
}
