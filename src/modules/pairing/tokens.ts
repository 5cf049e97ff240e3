// The life of a pairing: its token is given out, and used once, by a page of the origin that it is for.

import { hashSecret } from '../../core/random.js';
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
  const token = Buffer.from(world.random.hex('pairing', seq), 'hex').toString('base64url');
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
 * Uses a token up and makes a key for the page, within the caller's transaction; undefined when the token is unknown, used
 * or expired, or is not for this origin or agent. What is refused does not use it up.
 */
export function pair(world: World, shown: Shown, now: number): Paired | undefined {
  const pairing = findPairing(world.db, shown.token);
  if (pairing === undefined || !isFor(pairing, shown, now)) return undefined;
  const agent = findHostedAgent(world.db, pairing.agent_id);
  if (agent === undefined || stateAt(agent, now).gone) return undefined;
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
