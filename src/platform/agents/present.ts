// Agents as the wire shows them.

import { iso } from '../../http/wire.js';
import type { Agent } from './store.js';

/** An agent in camelCase, with the snake_case twins that other clients read. */
export function presentAgent(agent: Agent) {
  const { token } = agent;
  return {
    id: agent.id,
    name: agent.name,
    username: agent.username,
    bio: agent.bio,
    category: agent.category,
    tags: agent.tags,
    avatarUrl: agent.avatar_url,
    avatar_url: agent.avatar_url,
    isPublic: agent.is_public,
    is_public: agent.is_public,
    createdAt: iso(agent.created_at),
    created_at: iso(agent.created_at),
    updatedAt: iso(agent.updated_at),
    updated_at: iso(agent.updated_at),
    token_address: token.address,
    token_chain: token.chain,
    token_name: token.name,
    token_ticker: token.ticker,
  };
}

/** How an agent is offered; a way in that is closed has no address. */
export function presentPublished(agent: Agent, baseUrl: string) {
  const { payoutWalletAddress: _, ...publishing } = agent.publishing;
  const address = (protocol: string, enabled: boolean): string | null =>
    agent.is_public && enabled ? `${baseUrl}/api/agents/${agent.id}/${protocol}` : null;
  return {
    id: agent.id,
    name: agent.name,
    isPublic: agent.is_public,
    ...publishing,
    a2aEndpoint: address('a2a', publishing.a2aEnabled),
    mcpEndpoint: address('mcp', publishing.mcpEnabled),
  };
}
