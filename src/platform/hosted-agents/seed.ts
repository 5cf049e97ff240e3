// Hosted agents that are there when a scenario begins: made at an instant before, and free until the beginning.

import type { World } from '../../world/world.js';
import { hourEffect, hourMs, rateClassOf } from './billing.js';
import { newAgent, type Owner } from './create.js';
import { modeOfAgent, readAgentFailure } from './failures.js';
import { stateAt } from './lifecycle.js';
import type { CreateBody } from './schema.js';
import { type AgentStatus, findHostedAgent, type HostedAgent, saveHostedAgent, type Tier } from './store.js';

/** A hosted agent as a scenario describes it. */
export interface SeededAgent {
  body: CreateBody;
  tier: Tier;
  status: AgentStatus;
  /** Why it has that status; undefined: what its failure mode says, or that it crashed. */
  error: string | undefined;
  /** The failure mode of its jobs; undefined: what its name, variables or image say. */
  mode: string | undefined;
}

/**
 * Makes an agent that costs nothing until `beginHours`.
 *
 * @param now the instant at which it was created, in virtual milliseconds
 * @throws ApiError VALIDATION_ERROR for an unknown failure mode in its variables
 */
export function seedAgent(world: World, owner: Owner, now: number, wanted: SeededAgent): HostedAgent {
  const { body, tier, status } = wanted;
  const { agentName: name, environmentVars: environment = {}, dockerImage: image = null } = body;
  const named = (): string | null => modeOfAgent({ name, environment, image, setting: null }, () => {});
  const failure = tier === 'shared' ? null : (wanted.mode ?? named());
  const told = failure === null ? null : readAgentFailure(failure).error;
  const error = wanted.error ?? (status === 'error' ? (told ?? 'The agent crashed') : null);
  const agent = newAgent(world, owner, { tier, now, name, body, failure, requestId: null, status, error });
  const free: HostedAgent = { ...agent, billing: 'exempt' };
  saveHostedAgent(world.db, free);
  return free;
}

/**
 * Begins the hours of an agent of a scenario. What it cost before was never charged: the hour in which the scenario begins is
 * paid for.
 *
 * @param isUnpaid its hours could not be paid: it costs nothing until it is started again
 */
export function beginHours(world: World, id: string, at: number, isUnpaid: boolean): void {
  const agent = findHostedAgent(world.db, id);
  if (agent === undefined || agent.tier === 'shared') return;
  const state = stateAt(agent, at);
  const known: HostedAgent = { ...agent, billing: isUnpaid ? 'suspended' : 'active' };
  const rate = rateClassOf(known, state);
  const ranFrom = agent.base.status === 'pending' ? state.since : agent.created_at;
  const activated = agent.base.status === 'pending' && rate !== 'running' ? null : ranFrom;
  const hours = 1 + Math.floor((at - ranFrom) / hourMs);
  const isCosting = rate === 'running' || rate === 'idle';
  const least = rate === 'running' ? world.config.hostedAgents.firstHours : 1;
  const paidUntil = isCosting ? ranFrom + Math.max(least, hours) * hourMs : null;
  const paidAs = isCosting ? rate : null;
  saveHostedAgent(world.db, { ...known, activated_at: activated, paid_until: paidUntil, paid_as: paidAs });
  world.schedule(hourEffect, id, paidUntil ?? undefined);
}
