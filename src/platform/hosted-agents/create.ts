// New hosted agents: their tier, their quota, and whether one that exists is used instead.

import { ApiError } from '../../core/errors.js';
import { hourMs } from '../../core/instant.js';
import { fitsPattern } from '../../core/patterns.js';
import { isTree } from '../../core/tree.js';
import { nextOccurrence } from '../../db/occurrences.js';
import type { HandlerContext } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { findAgent } from '../agents/store.js';
import { quotaState } from '../quotas/tiers.js';
import { hourEffect, rateClassOf, settleHours } from './billing.js';
import { failureFor, modeOfAgent, readAgentFailure } from './failures.js';
import { requireStart } from './gates.js';
import { isShared, stateAt } from './lifecycle.js';
import { type Begun, beginJob, modeOfHeader } from './operations.js';
import { takeWarm } from './plan.js';
import type { CreateBody } from './schema.js';
import {
  type AgentStatus,
  agentsOf,
  type Base,
  countHostedAgents,
  findHostedAgent,
  type HostedAgent,
  insertHostedAgent,
  saveHostedAgent,
  type Tier,
} from './store.js';

type CreateCall = HandlerContext<unknown, { autoProvision?: boolean | undefined }, CreateBody>;

/** What a request to create an agent led to. */
export interface Created {
  agent: HostedAgent;
  /** false: an agent that exists is used. */
  created: boolean;
  /** It runs at once: its container was there already. */
  isWarm?: true;
  /** The job that provisions it. */
  begun?: Begun;
}

const needsContainer = ['discord', 'telegram', 'twitter', 'farcaster', 'slack', 'matrix', 'irc', 'websocket'];

/** What makes an agent dedicated: as a field of the request, and in either spelling in its configuration or its character. */
const wishes = [
  ['alwaysOn', 'always_on'],
  ['statefulRuntime', 'stateful_runtime'],
  ['modelTooLargeForShared', 'model_too_large_for_shared'],
] as const;

/** The tier of a new agent. */
function tierOf(world: World, body: CreateBody): Tier {
  if (body.dockerImage !== undefined) return 'custom';
  const configs = configsOf(body);
  const isWished = wishes.some(
    ([name, other]) => body[name] === true || configs.some((one) => one[name] === true || one[other] === true),
  );
  if (isWished) return 'dedicated-always';
  const plugins = configs.flatMap(({ plugins: list }) => (Array.isArray(list) ? list : []));
  const names = plugins.filter((one) => typeof one === 'string');
  const words = names.flatMap((plugin) => plugin.toLowerCase().split(/[^a-z]+/));
  if (words.some((word) => needsContainer.includes(word))) return 'dedicated-always';
  return usualTier(world);
}

// That of an agent that asks for nothing special.
function usualTier({ config }: World): Tier {
  return config.hostedAgents.tier === 'dedicated' ? 'dedicated-always' : 'shared';
}

// Its configuration, and that of the character in it.
function configsOf({ agentConfig = {} }: CreateBody): Record<string, unknown>[] {
  const { character } = agentConfig;
  return isTree(character) ? [agentConfig, character] : [agentConfig];
}

const live: readonly AgentStatus[] = ['pending', 'provisioning', 'running'];

/**
 * Creates an agent, or finds the one that the organization already has.
 *
 * @throws ApiError VALIDATION_ERROR, NOT_FOUND (character), PRICE_NOT_CONFIRMED, INSUFFICIENT_CREDITS, FORBIDDEN (image),
 *   AGENT_QUOTA_EXCEEDED, SERVICE_UNAVAILABLE (by a failure mode), in this order
 */
export function createHostedAgent(call: CreateCall): Created {
  const { world, caller, now, body, requestId } = call;
  const warn = (text: string): void => call.warn(text);
  if (body.characterId !== undefined) requireCharacter(call, body.characterId);
  const tier = tierOf(world, body);
  if (body.forceCreate === true && tier === 'shared') throw noForce();
  const isEager = tier !== 'shared' && (body.autoProvision ?? call.query.autoProvision ?? true);
  if (isEager) requireStart(call, caller.organizationId);
  checkImage(world, body.dockerImage);
  const existing = body.forceCreate === true ? undefined : reusable(world, caller.organizationId, now);
  if (existing !== undefined) {
    warn(`this organization already has the agent ${existing.name}, which is used: no agent was created`);
    return { agent: existing, created: false };
  }
  checkAgentQuota(world, caller.organizationId);
  const owner = { organizationId: caller.organizationId, userId: caller.userId };
  const environment = body.environmentVars ?? {};
  const { failure: setting } = world.config.hostedAgents;
  const triggers = { name: body.agentName, environment, image: body.dockerImage ?? null, setting };
  const failure = tier === 'shared' ? null : modeOfAgent(triggers, warn);
  const made: NewAgent = { tier, now, name: body.agentName, body, failure, requestId };
  if (!isEager) return { agent: newAgent(world, owner, made), created: true };
  const mode = modeOfHeader(call, 'agent_provision');
  // The containers of the pool have the platform's own image, and have started already.
  const isUsual = tier !== 'custom' && failureFor(mode ?? failure, 'agent_provision') === undefined;
  if (isUsual && takeWarm(world, now)) {
    const agent = newAgent(world, owner, { ...made, status: 'running' });
    return { agent: settleHours(world, agent, now), created: true, isWarm: true };
  }
  const agent = newAgent(world, owner, made);
  const begun = beginJob({ world, now, userId: caller.userId, requestId, mode }, agent, 'agent_provision');
  return { agent: begun.agent, created: true, begun };
}

/**
 * Makes an agent that runs, for a control operation; its tier is by default that of the settings.
 *
 * @example createRunningAgent(world, { organizationId, userId }, { name: 'Support', tier: 'dedicated-always' })
 */
export function createRunningAgent(
  world: World,
  owner: Owner,
  { name = 'Agent', tier = usualTier(world) }: { name?: string | undefined; tier?: Tier | undefined } = {},
): HostedAgent {
  const now = world.clock.now();
  const agent = newAgent(world, owner, { tier, now, name, failure: null, requestId: null, status: 'running' });
  return settleHours(world, agent, now);
}

export interface Owner {
  organizationId: string;
  userId: string;
}

interface NewAgent {
  tier: Tier;
  now: number;
  name: string;
  body?: CreateBody;
  failure: string | null;
  requestId: string | null;
  /** By default running for a shared agent, otherwise pending. */
  status?: AgentStatus;
  /** Why it is in that status. */
  error?: string | null;
}

/** Stores a new agent without a job. */
export function newAgent(
  world: World,
  { organizationId, userId }: Owner,
  { tier, now, name, body, failure, requestId, status, error = null }: NewAgent,
): HostedAgent {
  const seq = world.nextNumber('hosted_agents');
  const first = status ?? (tier === 'shared' ? 'running' : 'pending');
  const database = first === 'pending' ? 'none' : 'ready';
  const base: Base = { status: first, since: now, error, errors: error === null ? 0 : 1, database };
  const agent: HostedAgent = {
    seq,
    id: world.random.uuid('hosted agent', seq),
    organization_id: organizationId,
    user_id: userId,
    name,
    character_id: body?.characterId ?? null,
    config: body?.agentConfig ?? {},
    environment_vars: body?.environmentVars ?? {},
    docker_image: body?.dockerImage ?? null,
    tier,
    failure,
    base,
    job: null,
    activated_at: null,
    paid_until: null,
    paid_as: null,
    total_billed: 0,
    billing: tier === 'shared' ? 'exempt' : 'active',
    request_id: requestId,
    created_at: now,
    updated_at: now,
    occurrence: nextOccurrence(world.db),
  };
  insertHostedAgent(world.db, agent);
  world.bus.emit(`hosted-agent:${agent.id}`);
  return agent;
}

// The agent that a request gets which does not insist on one of its own: a shared one first, otherwise the newest.
function reusable({ db }: World, organizationId: string, now: number): HostedAgent | undefined {
  const isUsable = (agent: HostedAgent): boolean => {
    const { status, gone } = stateAt(agent, now);
    return !gone && live.includes(status);
  };
  const agents = agentsOf(db, organizationId);
  return agents.find(isShared) ?? agents.find(isUsable);
}

function requireCharacter({ world, caller }: CreateCall, id: string): void {
  const character = findAgent(world.db, id);
  if (character === undefined || (character.organization_id !== caller.organizationId && !character.is_public))
    throw new ApiError('NOT_FOUND', { message: 'Character not found' });
}

function checkImage({ config }: World, image: string | undefined): void {
  const { allowedImages: allowed, requireDigest } = config.hostedAgents;
  if (image === undefined) return;
  if (!allowed.some((pattern) => fitsPattern(pattern, image)))
    throw new ApiError('FORBIDDEN', {
      message: `dockerImage ${image} is not allowed: the setting hostedAgents.allowedImages allows ${allowed.join(', ') || 'none'}`,
      flatCode: 'agent_image_not_allowed',
    });
  if (requireDigest && !/@sha256:[\da-f]{64}$/.test(image))
    throw new ApiError('FORBIDDEN', {
      message: `dockerImage ${image} is not pinned by a digest (@sha256:…), which the setting hostedAgents.requireDigest demands`,
      flatCode: 'agent_image_not_digest_pinned',
    });
}

function noForce(): ApiError {
  return new ApiError('VALIDATION_ERROR', {
    message:
      'forceCreate is only valid for dedicated agents: an organization has one shared agent; set alwaysOn to get a dedicated one',
    details: [
      { path: 'forceCreate', message: 'cannot be used on the shared tier; set alwaysOn for a dedicated agent' },
    ],
  });
}

function checkAgentQuota(world: World, organizationId: string): void {
  const { allowed, current, max } = quotaState(
    world,
    'agents',
    organizationId,
    countHostedAgents(world.db, organizationId),
  );
  if (allowed) return;
  throw new ApiError('AGENT_QUOTA_EXCEEDED', {
    message: `Agent quota exceeded: the organization has ${current} hosted agents, of at most ${max} at its balance`,
    details: { currentAgents: current, maxAgents: max },
    flatCode: 'agent_quota_exceeded',
  });
}

// Hosted agents that are there when a scenario begins: made at an instant before, and free until the beginning.

/** A hosted agent as a scenario describes it. */
interface SeededAgent {
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
