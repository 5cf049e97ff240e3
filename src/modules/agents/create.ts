// Making agents, new or as copies. Everything here runs in the handler's transaction.

import { ApiError } from '../../core/errors.js';
import type { Caller } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { checkQuota } from '../quotas/tiers.js';
import { maxName } from './schema.js';
import { type Agent, countAgents, findByToken, insertAgent, type Publishing, usernameTaken } from './store.js';
import { noToken, type TokenFields, tokenOf } from './token.js';
import { freeUsername, usernameOf } from './username.js';

const defaultBio = 'A helpful agent';
const copyMark = ' (Copy)';

/** What publishing means until its body says otherwise. */
const unpublished: Publishing = {
  monetizationEnabled: false,
  markupPercentage: 0,
  payoutWalletAddress: null,
  a2aEnabled: true,
  mcpEnabled: true,
};

/** Who makes an agent, and when. */
export interface CreateContext {
  world: World;
  caller: Caller;
  now: number;
}

export interface CreateRequest extends TokenFields {
  name: string;
  bio?: string | undefined;
  category?: string | null | undefined;
  avatarUrl?: string | null | undefined;
  isPublic: boolean;
}

export interface CloneRequest {
  name?: string | undefined;
  username?: string | undefined;
  makePublic: boolean;
}

/**
 * Creates an agent.
 *
 * @throws ApiError CONFLICT (token), QUOTA_EXCEEDED, in this order
 */
export function createAgent(making: CreateContext, request: CreateRequest): Agent {
  const token = tokenOf(request);
  const holder = findByToken(making.world.db, token);
  if (holder !== undefined) {
    throw new ApiError('CONFLICT', {
      message: 'Another agent stands for this token already',
      details: { existingAgentId: holder },
    });
  }
  return insert(making, {
    name: request.name,
    bio: [request.bio ?? defaultBio],
    category: request.category ?? null,
    avatar_url: request.avatarUrl ?? null,
    tags: [],
    is_public: request.isPublic,
    token,
  });
}

/**
 * Copies an agent into the caller's own. A token stays with the original: it stands for one agent only.
 *
 * @throws ApiError CONFLICT (username), QUOTA_EXCEEDED, in this order
 */
export function cloneAgent(making: CreateContext, source: Agent, request: CloneRequest): Agent {
  if (request.username !== undefined && usernameTaken(making.world.db, request.username)) {
    throw new ApiError('CONFLICT', {
      message: `The username ${request.username} is taken`,
      details: { username: request.username },
    });
  }
  const { bio, category, avatar_url, tags } = source;
  const name = request.name ?? copyName(source.name);
  return insert(
    making,
    { name, bio, category, avatar_url, tags, is_public: request.makePublic, token: noToken },
    request.username,
  );
}

function insert(
  { world, caller, now }: CreateContext,
  fields: Pick<Agent, 'name' | 'bio' | 'category' | 'avatar_url' | 'tags' | 'is_public' | 'token'>,
  username = freeUsername(usernameOf(fields.name), (wanted) => usernameTaken(world.db, wanted)),
): Agent {
  checkQuota(world, 'agents', caller.organizationId, () => countAgents(world.db, caller.organizationId));
  const seq = world.nextNumber('agents');
  const agent: Agent = {
    ...fields,
    seq,
    id: world.random.uuid('agent', seq),
    organization_id: caller.organizationId,
    user_id: caller.userId,
    username,
    publishing: unpublished,
    created_at: now,
    updated_at: now,
  };
  insertAgent(world.db, agent);
  return agent;
}

// The mark must be seen, so a long name gives way to it.
function copyName(name: string): string {
  const room = maxName - copyMark.length;
  return [...name].slice(0, room).join('').trimEnd() + copyMark;
}
