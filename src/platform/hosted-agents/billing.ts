// What hosted agents cost: an hour is charged when it begins, to dedicated agents that run or are idle.

import { hourMs } from '../../core/instant.js';
import { type Micros, toMicros } from '../../core/money.js';
import { nextOccurrence } from '../../db/occurrences.js';
import type { World } from '../../world/world.js';
import { chargeIfCovered } from '../credits/ledger.js';
import { agentJobAt, baseOf, isShared, stateAt } from './lifecycle.js';
import {
  type AgentStatus,
  findHostedAgent,
  type HostedAgent,
  insertAgentAct,
  saveAgentJobAct,
  saveHostedAgent,
} from './store.js';

/** The effect of the end of an hour that is paid for. Of effects of one instant it comes before that of a job. */
export const hourEffect = 'hostedAgents.hour';

/** What an agent costs by the hour: as one that runs, as one that is idle, or nothing. */
export const rateClasses = ['shared-usage', 'running', 'idle', 'deactivated', 'unavailable'] as const;
type RateClass = (typeof rateClasses)[number];

const classes: Record<AgentStatus, RateClass> = {
  pending: 'deactivated',
  provisioning: 'deactivated',
  running: 'running',
  disconnected: 'running',
  stopped: 'idle',
  sleeping: 'idle',
  deletion_pending: 'deactivated',
  deletion_failed: 'deactivated',
  error: 'unavailable',
};

/** The rate of an agent in a state; one whose hours could not be paid costs nothing until it is started again. */
export function rateClassOf(agent: HostedAgent, { status }: { status: AgentStatus }): RateClass {
  if (isShared(agent)) return 'shared-usage';
  return classes[status] === 'idle' && agent.billing === 'suspended' ? 'deactivated' : classes[status];
}

/** The price of an hour, in micro-credits. */
export function hourlyPrice({ config: { hostedAgents } }: World, rate: RateClass): Micros {
  if (rate === 'running') return toMicros(hostedAgents.runningHour);
  return rate === 'idle' ? toMicros(hostedAgents.idleHour) : toMicros(0);
}

/** What a start requires in credits: the hours that a first activation is charged. */
export function startPrice(world: World): Micros {
  return toMicros(world.config.hostedAgents.runningHour * world.config.hostedAgents.firstHours);
}

/**
 * Charges what an agent's state at an instant costs beyond what is paid, and schedules its next hour. Called whenever a job
 * has ended, an intervention has set the state, or a paid hour is over.
 */
export function settleHours(world: World, agent: HostedAgent, at: number): HostedAgent {
  if (agent.billing === 'exempt') return agent;
  const rate = rateClassOf(agent, stateAt(agent, at));
  const isPaid = agent.paid_until !== null && agent.paid_until > at;
  if (rate !== 'running' && rate !== 'idle') return scheduled(world, agent, isPaid ? agent.paid_until : null);
  if (isPaid && (rate === 'idle' || agent.paid_as === 'running')) return scheduled(world, agent, agent.paid_until);
  const isFirst = rate === 'running' && agent.activated_at === null;
  const hours = isFirst ? world.config.hostedAgents.firstHours : 1;
  const amount = hourlyPrice(world, rate) * hours;
  if (amount > 0 && !isCharged(world, agent, { amount, hours, rate, at })) return unpaid(world, agent, at);
  const paid: HostedAgent = {
    ...agent,
    paid_until: at + hours * hourMs,
    paid_as: rate,
    total_billed: agent.total_billed + amount,
    billing: 'active',
    ...(isFirst && { activated_at: at }),
  };
  saveHostedAgent(world.db, paid);
  return scheduled(world, paid, paid.paid_until);
}

function scheduled(world: World, agent: HostedAgent, at: number | null): HostedAgent {
  world.schedule(hourEffect, agent.id, at ?? undefined);
  return agent;
}

interface Hours {
  amount: Micros;
  hours: number;
  rate: 'running' | 'idle';
  at: number;
}

function isCharged(world: World, agent: HostedAgent, { amount, hours, rate, at }: Hours): boolean {
  const { runningHour, idleHour } = world.config.hostedAgents;
  return chargeIfCovered(world, agent.organization_id, amount, {
    reason: `${hours === 1 ? 'An hour' : `The first ${hours} hours`} of hosted agent ${agent.name}, ${rate}`,
    priceRule: `hosted agent ${rate} ${rate === 'running' ? runningHour : idleHour} per hour × ${hours}`,
    operation: 'billing.hourly',
    subject: agent.id,
    at,
  });
}

export const outOfCredits = 'Suspended: the credits do not cover the next hour';

// There is no grace: what runs stops, and what is idle costs nothing until it is started again.
function unpaid(world: World, agent: HostedAgent, at: number): HostedAgent {
  const { job } = agent;
  const place = { at, turn: nextOccurrence(world.db), after: 0 };
  const state = stateAt(agent, at);
  if (job !== null && agentJobAt(job, at).endedAt === null)
    saveAgentJobAct(world.db, job.seq, { ...place, error: outOfCredits });
  const isStopped = state.status === 'sleeping' || state.status === 'stopped';
  const status = isStopped ? state.status : 'stopped';
  insertAgentAct(world.db, { ...place, agent_id: agent.id, previous: state.status, status, error: outOfCredits });
  const base = baseOf({
    ...state,
    status,
    since: isStopped ? state.since : at,
    error: outOfCredits,
  });
  const suspended: HostedAgent = { ...agent, base, job: null, paid_until: null, paid_as: null, billing: 'suspended' };
  saveHostedAgent(world.db, suspended);
  if (job !== null) world.bus.emit(`job:${job.id}`);
  world.bus.emit(`hosted-agent:${agent.id}`);
  return scheduled(world, suspended, null);
}

/** Goes on when a paid hour is over: the next one is charged, or it stops. */
export function hourDue(world: World, id: string, at: number): void {
  world.schedule(hourEffect, id, undefined);
  const agent = findHostedAgent(world.db, id);
  if (agent !== undefined) settleHours(world, agent, at);
}
