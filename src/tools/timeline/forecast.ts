// The forecast of a world, if nothing interferes: transitions, refunds, bills, expiries, ends of windows.

import { dueEffects } from '../../db/effects.js';
import { iso } from '../../http/wire.js';
import { dayEffect, graceEndEffect } from '../../platform/containers/lifecycle/billing.js';
import { refundEffect } from '../../platform/containers/lifecycle/refunds.js';
import { hourEffect } from '../../platform/hosted-agents/billing.js';
import { listHostedAgents } from '../../platform/hosted-agents/store.js';
import { expiringKeys } from '../../platform/keys/store.js';
import { callerTitle } from '../../platform/limits/callers.js';
import { viewLimits } from '../../platform/limits/views.js';
import { listSessions } from '../../platform/sessions/store.js';
import { listTimed } from '../../platform/timed/timed.js';
import { failureEffect } from '../../platform/voice/jobs.js';
import type { World } from '../../world/world.js';
import { listFaults } from '../faults/views.js';
import { type AheadEntry, tonesOf } from './schema.js';

interface Coming extends Omit<AheadEntry, 'at'> {
  at: number;
}

/** The events after an instant, the earliest first, at most `limit`. */
export function forecast(world: World, now: number, limit: number): AheadEntry[] {
  const coming = [
    ...stepsAhead(world, now),
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

// What moves by itself.
function stepsAhead(world: World, now: number): Coming[] {
  return listTimed(world).flatMap(({ kind, id, title, ahead }) => {
    const name = kind === 'hosted-agent' ? 'agent' : kind;
    return ahead(now).map(({ at, status }) => ({
      id: `${name}:${id}:${kind === 'job' ? status : at}`,
      kind: name,
      at,
      title,
      result: status,
      tone: tonesOf[name][status] ?? 'neutral',
      subject: id,
    }));
  });
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
  const expiry = (id: string, at: number, title: string): Coming => ({
    id: `expiry:${id}`,
    kind: 'expiry',
    at,
    title,
    result: 'expires',
    tone: 'neutral',
    subject: id,
  });
  return [
    ...expiringKeys(world.db, now).map((key) => expiry(key.id, key.expires_at, `Key ${key.name}`)),
    ...listSessions(world.db)
      .filter(({ revoked_at }) => revoked_at === null)
      .map((session) => expiry(session.id, session.expires_at, 'Session')),
    ...listFaults(world)
      .filter(({ state, expiresAt }) => state === 'armed' && expiresAt !== null)
      .map(({ id, expiresAt }) => expiry(id, Date.parse(expiresAt ?? ''), `Fault rule ${id}`)),
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
