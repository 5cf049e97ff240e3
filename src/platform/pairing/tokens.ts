// The life of a pairing: its token is given out, and used once, by a page of the origin that it is for.

import { ApiError } from '../../core/errors.js';
import { hashSecret } from '../../core/random.js';
import { lastNumberOf } from '../../db/numbers.js';
import type { World } from '../../world/world.js';
import { stateAt } from '../hosted-agents/lifecycle.js';
import { findHostedAgent, type HostedAgent } from '../hosted-agents/store.js';
import { mintKey } from '../keys/mint.js';
import type { Permission } from '../keys/permissions.js';
import { findPairing, insertPairing, markPaired, type Pairing } from './store.js';

export const pairingLifeMs = 60_000;

/** The pairing that is to be. */
interface NewPairing {
  agent: HostedAgent;
  userId: string;
  /** Those of whoever asks; null: all. */
  permissions: readonly string[] | null;
  origin: string;
  now: number;
}

/** Makes a token, within the caller's transaction. It is returned here and nowhere else. */
export function beginPairing(
  world: World,
  { agent, userId, permissions, origin, now }: NewPairing,
): { token: string; expiresAt: number } {
  const seq = world.nextNumber('pairings');
  const token = tokenOf(world, seq);
  const expiresAt = now + pairingLifeMs;
  insertPairing(world.db, {
    seq,
    hash: hashSecret(token),
    agent_id: agent.id,
    organization_id: agent.organization_id,
    user_id: userId,
    permissions: permissions === null ? null : permissions.join(' '),
    origin,
    created_at: now,
    expires_at: expiresAt,
    used_at: null,
  });
  return { token, expiresAt };
}

function tokenOf({ random }: World, seq: number): string {
  return Buffer.from(random.hex('pairing', seq), 'hex').toString('base64url');
}

const mostToldAgain = 100;

/** The last tokens that were given out, the newest first: they follow from their numbers. */
export function pairingTokens(world: World): string[] {
  const last = lastNumberOf(world.db, 'pairings');
  return Array.from({ length: Math.min(last, mostToldAgain) }, (_, index) => tokenOf(world, last - index));
}

/** What a page shows of itself. */
interface Shown {
  token: string;
  origin: string;
  agentId?: string | undefined;
  /** Where the caller is known. */
  organizationId?: string;
}

/** A key for the page, and the agent that it is for. */
export interface Paired {
  apiKey: string;
  agent: HostedAgent;
}

/**
 * The agent that a token can be used for; undefined when the token is unknown, used or expired, is not for this origin or
 * agent, or the agent was deleted.
 */
export function agentToPair(world: World, shown: Shown, now: number): HostedAgent | undefined {
  return usable(world, shown, now)?.agent;
}

function usable(world: World, shown: Shown, now: number): { pairing: Pairing; agent: HostedAgent } | undefined {
  const pairing = findPairing(world.db, shown.token);
  if (pairing === undefined || !isFor(pairing, shown, now)) return undefined;
  const agent = findHostedAgent(world.db, pairing.agent_id);
  return agent === undefined || stateAt(agent, now).gone ? undefined : { pairing, agent };
}

/**
 * Uses a token up and makes a key for the page, within the caller's transaction; undefined when it cannot be used. What is
 * refused does not use it up.
 *
 * @throws ApiError SERVICE_UNAVAILABLE when the agent does not run, so that it has no credential
 */
export function pair(world: World, shown: Shown, now: number): Paired | undefined {
  const found = usable(world, shown, now);
  if (found === undefined) return undefined;
  const { pairing, agent } = found;
  const { status } = stateAt(agent, now);
  if (status !== 'running')
    throw new ApiError('SERVICE_UNAVAILABLE', {
      message: `The agent has no credential, because it does not run: it is ${status}. Start it, and pair again`,
      flatCode: 'sandbox_credential_unavailable',
    });
  markPaired(world.db, pairing.seq, now);
  const { value } = mintKey(world, {
    organizationId: pairing.organization_id,
    userId: pairing.user_id,
    name: `agent-sandbox:${agent.id}`,
    ...(pairing.permissions !== null && {
      permissions: pairing.permissions.split(' ') as Permission[],
    }),
    at: now,
  });
  return { apiKey: value, agent };
}

function isFor(pairing: Pairing, { origin, agentId, organizationId }: Shown, now: number): boolean {
  if (pairing.used_at !== null || now >= pairing.expires_at || pairing.origin !== origin) return false;
  if (agentId !== undefined && agentId !== pairing.agent_id) return false;
  return organizationId === undefined || organizationId === pairing.organization_id;
}
