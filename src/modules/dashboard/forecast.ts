// The forecast of a world, if nothing interferes: transitions, refunds, bills, expiries, ends of windows.

import { dueEffects } from '../../db/effects.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { dayEffect, graceEndEffect } from '../containers/billing.js';
import { transitionsAhead } from '../containers/forecast.js';
import { refundEffect } from '../containers/refunds.js';
import { listContainers } from '../containers/store.js';
import { listFaults } from '../faults/views.js';
import { hourEffect } from '../hosted-agents/billing.js';
import { endOfJob, stateAt } from '../hosted-agents/lifecycle.js';
import { type HostedAgent, listHostedAgents } from '../hosted-agents/store.js';
import { idOf, listAnyJobs, outlookOf } from '../jobs/named.js';
import { expiringKeys } from '../keys/store.js';
import { callerTitle } from '../limits/callers.js';
import { viewLimits } from '../limits/views.js';
import { listSessions } from '../sessions/store.js';
import { endOf, failureEffect } from '../voice/jobs.js';
import { jobTitle } from './past-jobs.js';
import { type AheadEntry, type AheadKind, agentTones, containerTones, jobTones } from './timeline.js';

interface Coming extends Omit<AheadEntry, 'at'> {
  at: number;
}

/** The events after an instant, the earliest first, at most `limit`. */
export function forecast(world: World, now: number, limit: number): AheadEntry[] {
  const coming = [
    ...containersAhead(world, now),
    ...agentsAhead(world, now),
    ...jobsAhead(world, now),
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

function containersAhead(world: World, now: number): Coming[] {
  const coming: Coming[] = [];
  for (const record of listContainers(world.db))
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
  return coming;
}

// What an agent comes to follows from its job.
function agentsAhead({ db }: World, now: number): Coming[] {
  const coming: Coming[] = [];
  for (const agent of listHostedAgents(db)) {
    const end = agent.job === null ? 0 : endOfJob(agent.job).at;
    if (end <= now || end === Infinity) continue;
    const { status, gone } = stateAt(agent, end);
    if (gone || status !== stateAt(agent, now).status) coming.push(agentStep(agent, end, gone ? 'deleted' : status));
  }
  return coming;
}

function jobsAhead(world: World, now: number): Coming[] {
  const coming: Coming[] = [];
  for (const job of listAnyJobs(world)) {
    const { ahead, nextAt } = outlookOf(job, now);
    if (nextAt === null) continue;
    const end = job.voice === undefined ? endOfJob(job.agent) : endOf(job.voice);
    for (const status of ahead)
      coming.push({
        id: `job:${idOf(job)}:${status}`,
        kind: 'job',
        at: status === 'completed' || status === 'failed' ? end.at : nextAt,
        title: jobTitle(job),
        result: status,
        tone: jobTones[status] ?? 'neutral',
        subject: idOf(job),
      });
  }
  return coming;
}

function agentStep({ id, name }: HostedAgent, at: number, status: string): Coming {
  return {
    id: `agent:${id}:${at}`,
    kind: 'agent',
    at,
    title: `Hosted agent ${name}`,
    result: status,
    tone: agentTones[status] ?? 'neutral',
    subject: id,
  };
}

const effectTitles: Record<string, string> = {
  [refundEffect]: 'The charge of a failed deployment is refunded',
  [graceEndEffect]: 'The grace of an unpaid container ends',
  [failureEffect]: 'The charge of a failed cloning job is refunded',
};

function effectsAhead(world: World, now: number, limit: number): Coming[] {
  const agents = new Map(listHostedAgents(world.db).map((agent) => [agent.id, agent]));
  return dueEffects(world.db, now, limit).flatMap(({ kind, subject, due_at: at }) => {
    if (kind === dayEffect && !world.config.billing.daily) return [];
    const agent = kind === hourEffect ? agents.get(subject) : undefined;
    const title =
      kind === dayEffect
        ? 'Running containers are billed for the day'
        : agent === undefined
          ? effectTitles[kind]
          : `The next hour of hosted agent ${agent.name} begins`;
    if (title === undefined) return [];
    const id = `effect:${kind}:${subject}`;
    return [{ id, kind: 'credits', at, title, result: '', tone: 'neutral', subject: agent?.id ?? null }];
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
