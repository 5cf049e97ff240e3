// The forecast of a world, if nothing interferes: transitions, refunds, bills, expiries, ends of windows.

import type { Sliced } from '../../core/slices.js';
import { dueEffects } from '../../db/effects.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { dayEffect, graceEndEffect } from '../containers/billing.js';
import { transitionsAhead } from '../containers/forecast.js';
import { forEachMovingFrom } from '../containers/moving-store.js';
import { refundEffect } from '../containers/refunds.js';
import { listFaults } from '../faults/views.js';
import { agentJobAt, endOfJob } from '../hosted-agents/lifecycle.js';
import { listAgentJobs } from '../hosted-agents/store.js';
import { expiringKeys } from '../keys/store.js';
import { callerTitle } from '../limits/callers.js';
import { viewLimits } from '../limits/views.js';
import { listSessions } from '../sessions/store.js';
import { endOf, failureEffect, jobAt } from '../voice/jobs.js';
import { listJobs } from '../voice/store.js';
import { type AheadEntry, type AheadKind, containerTones, type Tone } from './timeline.js';

interface Coming extends Omit<AheadEntry, 'at'> {
  at: number;
}

/** The events after an instant, the earliest first, at most `limit`. */
export function* forecast(world: World, now: number, limit: number): Sliced<AheadEntry[]> {
  const coming = [
    ...(yield* containersAhead(world, now)),
    ...jobsAhead(world, now),
    ...agentJobsAhead(world, now),
    ...effectsAhead(world, now, limit),
    ...expiries(world, now),
    ...windowEnds(world),
  ];
  return coming
    .filter(({ at }) => at > now)
    .sort((a, b) => a.at - b.at)
    .slice(0, limit)
    .map((entry) => ({ ...entry, at: iso(entry.at) }));
}

function* containersAhead(world: World, now: number): Sliced<Coming[]> {
  const coming: Coming[] = [];
  yield* forEachMovingFrom(world, now, now, (record) => {
    for (const { at, status } of transitionsAhead(record, now))
      coming.push({
        id: `container:${record.id}:${at}`,
        kind: 'container',
        at,
        title: `Container ${record.project_name}`,
        result: status,
        tone: containerTones[status] ?? 'neutral',
        subject: record.id,
      });
  });
  return coming;
}

function jobsAhead({ db }: World, now: number): Coming[] {
  return listJobs(db).flatMap((job) => {
    const { status, nextAt } = jobAt(job, now);
    if (nextAt === null) return [];
    const end = endOf(job);
    const step = (at: number, result: string, tone: Tone): Coming => ({
      id: `job:${job.id}:${result}`,
      kind: 'job',
      at,
      title: `Cloning of voice ${job.voice_name}`,
      result,
      tone,
      subject: job.id,
    });
    const last = end.error === null ? step(end.at, 'completed', 'good') : step(end.at, 'failed', 'bad');
    return status === 'pending' ? [step(nextAt, 'processing', 'neutral'), last] : [last];
  });
}

function agentJobsAhead({ db }: World, now: number): Coming[] {
  return listAgentJobs(db).flatMap((job) => {
    const { status, nextAt } = agentJobAt(job, now);
    if (nextAt === null) return [];
    const end = endOfJob(job);
    const step = (at: number, result: string, tone: Tone): Coming => ({
      id: `job:${job.id}:${result}`,
      kind: 'job',
      at,
      title: agentJobTitle(job),
      result,
      tone,
      subject: job.id,
    });
    const last = end.error === null ? step(end.at, 'completed', 'good') : step(end.at, 'failed', 'bad');
    const ends = end.at === Infinity ? [] : [last];
    return status === 'pending' ? [step(nextAt, 'in_progress', 'neutral'), ...ends] : ends;
  });
}

/** A job of a hosted agent, as the timeline names it. */
export function agentJobTitle({ type, agent_name }: { type: string; agent_name: string }): string {
  return `${type.replace('agent_', '').replace(/^./, (first) => first.toUpperCase())} hosted agent ${agent_name}`;
}

const effectTitles: Record<string, string> = {
  [refundEffect]: 'The charge of a failed deployment is refunded',
  [graceEndEffect]: 'The grace of an unpaid container ends',
  [failureEffect]: 'The charge of a failed cloning job is refunded',
};

function effectsAhead({ db, config }: World, now: number, limit: number): Coming[] {
  return dueEffects(db, now, limit).flatMap(({ kind, subject, due_at: at }) => {
    if (kind === dayEffect && !config.billing.daily) return [];
    const title = kind === dayEffect ? 'Running containers are billed for the day' : effectTitles[kind];
    if (title === undefined) return [];
    return [
      { id: `effect:${kind}:${subject}`, kind: 'credits', at, title, result: '', tone: 'neutral', subject: null },
    ];
  });
}

function expiries(world: World, now: number): Coming[] {
  const expiry = (kind: AheadKind, id: string, at: number, title: string): Coming => ({
    id: `expiry:${id}`,
    kind,
    at,
    title,
    result: 'expires',
    tone: 'neutral',
    subject: id,
  });
  return [
    ...expiringKeys(world.db, now).map((key) => expiry('expiry', key.id, key.expires_at, `Key ${key.name}`)),
    ...listSessions(world.db)
      .filter(({ revoked_at }) => revoked_at === null)
      .map((session) => expiry('expiry', session.id, session.expires_at, 'Session')),
    ...listFaults(world)
      .filter(({ state, expiresAt }) => state === 'armed' && expiresAt !== null)
      .map(({ id, expiresAt }) => expiry('expiry', id, Date.parse(expiresAt ?? ''), `Fault rule ${id}`)),
  ];
}

function windowEnds(world: World): Coming[] {
  return viewLimits(world).windows.map(({ caller, bucket, used, limit, exhausted, resetsAt }) => ({
    id: `window:${caller}:${bucket}`,
    kind: 'window' as const,
    at: Date.parse(resetsAt),
    title: `Rate limit “${bucket}” of ${callerTitle(world, caller)}`,
    result: exhausted || used >= limit ? 'opens' : 'resets',
    tone: exhausted || used >= limit ? ('warning' as const) : ('neutral' as const),
    subject: null,
  }));
}
