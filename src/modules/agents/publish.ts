// Publishing agents to the marketplace and taking them back. Everything here runs in the handler's transaction.

import type { World } from '../../world/world.js';
import { type Agent, type Publishing, saveVisibility } from './store.js';

export interface PublishRequest {
  enableMonetization?: boolean | undefined;
  markupPercentage?: number | undefined;
  payoutWalletAddress?: string | null | undefined;
  a2aEnabled?: boolean | undefined;
  mcpEnabled?: boolean | undefined;
}

/** Makes an agent public. What the request leaves out stays as it was, so that publishing can be repeated. */
export function publishAgent(world: World, agent: Agent, request: PublishRequest, now: number): Agent {
  const before = agent.publishing;
  const wallet = request.payoutWalletAddress;
  return change(world, agent, now, {
    is_public: true,
    publishing: {
      monetizationEnabled: request.enableMonetization ?? before.monetizationEnabled,
      markupPercentage: request.markupPercentage ?? before.markupPercentage,
      payoutWalletAddress: wallet === undefined ? before.payoutWalletAddress : wallet,
      a2aEnabled: request.a2aEnabled ?? before.a2aEnabled,
      mcpEnabled: request.mcpEnabled ?? before.mcpEnabled,
    },
  });
}

/** Makes an agent private; how it was offered is kept for the next time. */
export function unpublishAgent(world: World, agent: Agent, now: number): Agent {
  return change(world, agent, now, { is_public: false, publishing: agent.publishing });
}

// A repetition that changes nothing must not count as an update.
function change(
  world: World,
  agent: Agent,
  now: number,
  wanted: { is_public: boolean; publishing: Publishing },
): Agent {
  const same =
    wanted.is_public === agent.is_public && JSON.stringify(wanted.publishing) === JSON.stringify(agent.publishing);
  if (same) return agent;
  const changed = { ...agent, ...wanted, updated_at: now };
  saveVisibility(world.db, changed);
  return changed;
}
