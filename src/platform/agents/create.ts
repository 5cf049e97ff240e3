// Creates and clones agents: their usernames, their tokens, their quota. Runs in the handler's transaction.

import type * as z from 'zod';
import { ApiError } from '../../core/errors.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { checkQuota } from '../quotas/tiers.js';
import { type cloneBody, type createBody, maxName, maxUsername, minUsername } from './schema.js';
import {
  type Agent,
  countAgents,
  findByToken,
  insertAgent,
  type Publishing,
  type Token,
  usernameTaken,
} from './store.js';

const defaultBio = 'A helpful agent';
const copyMark = ' (Copy)';

/** The default of publishing. */
const unpublished: Publishing = {
  monetizationEnabled: false,
  markupPercentage: 0,
  payoutWalletAddress: null,
  a2aEnabled: true,
  mcpEnabled: true,
};

type CreateCall = Pick<HandlerContext, 'world' | 'caller' | 'now'>;

/**
 * Creates an agent.
 *
 * @throws ApiError CONFLICT (token), QUOTA_EXCEEDED, in this order
 */
export function createAgent(context: CreateCall, request: z.output<typeof createBody>): Agent {
  const token = tokenOf(request);
  const holder = findByToken(context.world.db, token);
  if (holder !== undefined) {
    throw new ApiError('CONFLICT', {
      message: 'Another agent already has this token',
      details: { existingAgentId: holder },
    });
  }
  return insert(context, {
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
 * Copies an agent into the caller's own. The token stays with the original, as only one agent may have it.
 *
 * @throws ApiError CONFLICT (username), QUOTA_EXCEEDED, in this order
 */
export function cloneAgent(context: CreateCall, source: Agent, request: z.output<typeof cloneBody>): Agent {
  if (request.username !== undefined && usernameTaken(context.world.db, request.username)) {
    throw new ApiError('CONFLICT', {
      message: `The username ${request.username} is taken`,
      details: { username: request.username },
    });
  }
  const { bio, category, avatar_url, tags } = source;
  const name = request.name ?? copyName(source.name);
  return insert(
    context,
    { name, bio, category, avatar_url, tags, is_public: request.makePublic, token: noToken },
    request.username,
  );
}

function insert(
  { world, caller, now }: CreateCall,
  fields: Pick<Agent, 'name' | 'bio' | 'category' | 'avatar_url' | 'tags' | 'is_public' | 'token'>,
  ownUsername?: string,
): Agent {
  const username = ownUsername ?? freeUsername(usernameOf(fields.name), (name) => usernameTaken(world.db, name));
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

// A long name is cut, so that the mark remains.
function copyName(name: string): string {
  const room = maxName - copyMark.length;
  return [...name].slice(0, room).join('').trimEnd() + copyMark;
}

/**
 * The username that a name asks for: its letters without accents, dashes between words, 3 to 30 characters.
 *
 * @example usernameOf('Émile_Zola 2') // 'emile-zola-2'
 */
export function usernameOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    // By way of upper case ß becomes ss.
    .toUpperCase()
    .toLowerCase()
    .replace(/[\s_-]+/g, '-')
    .replace(/[^a-z0-9-]+/g, '')
    .replace(/-+/g, '-')
    .replace(/^-/, '');
  const cut = cutTo(slug, maxUsername);
  if (cut === '') return 'agent';
  return cut.length < minUsername ? `${cut}-agent` : cut;
}

/** The username itself or, when it is taken, the first of `-2`, `-3`, … that is free and still fits. */
export function freeUsername(wanted: string, isTaken: (username: string) => boolean): string {
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? '' : `-${n}`;
    const username = n === 1 ? wanted : cutTo(wanted, maxUsername - suffix.length) + suffix;
    if (!isTaken(username)) return username;
  }
}

function cutTo(slug: string, length: number): string {
  return slug.slice(0, length).replace(/-$/, '');
}

const noToken: Token = { address: null, chain: null, name: null, ticker: null };

function tokenOf(request: z.output<typeof createBody>): Token {
  return {
    address: request.tokenAddress ?? null,
    chain: request.tokenChain ?? null,
    name: request.tokenName ?? null,
    ticker: request.tokenTicker ?? null,
  };
}
