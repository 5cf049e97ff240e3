// Agents on the wire.

import * as z from 'zod';
import { characters, id, isoTime, success } from '../../http/wire.js';

export const minUsername = 3;
export const maxUsername = 30;
export const usernamePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;

export const maxName = 100;
// A search compares every bio with its text, so both have a limit.
const maxBio = 10_000;
const maxSearch = 200;

const name = z.string().trim().pipe(characters(1, maxName)).meta({ minLength: 1, maxLength: maxName });
const username = z
  .string()
  .min(minUsername, { abort: true })
  .max(maxUsername, { abort: true })
  .regex(usernamePattern, { error: 'must be lower-case letters and digits, with single dashes between' });

export const createBody = z.lazy(() =>
  z.object({
    name: name.describe('Name'),
    bio: characters(0, maxBio).optional().meta({ description: 'Biography; responses contain it as a list of one' }),
    category: characters(1, 100).nullish().describe('Category in the marketplace'),
    avatarUrl: characters(1, 2_000).nullish().describe('URL of its picture'),
    isPublic: z.boolean().default(false).describe('Whether other users can find it'),
    tokenAddress: characters(1, 256).nullish().describe('Address of the contract of its token'),
    tokenChain: characters(1, 64).nullish().describe('Chain of that contract'),
    tokenName: characters(1, 128).nullish().describe('Name of its token'),
    tokenTicker: characters(1, 32).nullish().describe('Ticker of its token'),
  }),
);

export const cloneBody = z.lazy(() =>
  z.object({
    name: name.optional().meta({ description: 'Default: the name with (Copy)' }),
    username: username.optional().meta({ description: 'Username; by default derived from the name' }),
    makePublic: z.boolean().default(false),
  }),
);

export const publishBody = z.lazy(() =>
  z.object({
    enableMonetization: z.boolean().optional(),
    markupPercentage: z.number().min(0).max(1_000).optional(),
    payoutWalletAddress: characters(1, 256).nullish(),
    a2aEnabled: z.boolean().optional(),
    mcpEnabled: z.boolean().optional(),
  }),
);

export const listQuery = z.lazy(() =>
  z.object({
    search: characters(0, maxSearch).optional().meta({ description: 'Part of the name or bio; case does not matter' }),
    category: characters(0, 100).optional(),
    sortBy: z.enum(['newest', 'updated', 'name']).default('newest'),
    order: z.enum(['asc', 'desc']).optional().meta({ description: 'Order; by default desc, for name asc' }),
    page: z.int().min(1).default(1),
    limit: z.int().min(1).max(1_000).default(30),
  }),
);

// The path accepts any text: a malformed id is not found.
export const agentParams = z.lazy(() => z.object({ id: z.string().meta({ format: 'uuid' }) }));
export const publishParams = z.lazy(() => z.object({ agentId: z.string().meta({ format: 'uuid' }) }));

/** An agent wherever one is shown. */
// Under both names it is one type: generators of clients would make two of one name.
const picture = z.string().nullable().meta({ id: 'AvatarUrl' });

const agentItem = z.lazy(() =>
  z
    .object({
      id,
      name: z.string(),
      username: z.string(),
      bio: z.array(z.string()),
      category: z.string().nullable(),
      tags: z.array(z.string()),
      avatarUrl: picture,
      avatar_url: picture,
      isPublic: z.boolean(),
      is_public: z.boolean(),
      createdAt: isoTime,
      created_at: isoTime,
      updatedAt: isoTime,
      updated_at: isoTime,
      token_address: z.string().nullable(),
      token_chain: z.string().nullable(),
      token_name: z.string().nullable(),
      token_ticker: z.string().nullable(),
    })
    .meta({ id: 'Agent' }),
);

export const createAnswer = z.lazy(() => z.object({ success, agent: agentItem }));
export const getAnswer = z.lazy(() => z.object({ success, data: z.object({ character: agentItem }) }));
export const cloneAnswer = z.lazy(() =>
  z.object({ success, data: z.object({ character: agentItem, message: z.string() }) }),
);
export const deleteAnswer = z.lazy(() => z.object({ success, data: z.object({ message: z.string() }) }));

export const listAnswer = z.lazy(() =>
  z.object({
    success,
    data: z.object({
      characters: z.array(agentItem),
      pagination: z.object({
        page: z.int(),
        limit: z.int(),
        totalPages: z.int(),
        totalCount: z.int(),
        hasMore: z.boolean(),
      }),
    }),
  }),
);

export const statsAnswer = z.lazy(() =>
  z.object({
    success,
    data: z.object({ stats: z.object({ views: z.int(), interactions: z.int(), messageCount: z.int() }) }),
  }),
);

export const publishAnswer = z.lazy(() =>
  z.object({
    success,
    message: z.string(),
    agent: z
      .object({
        id,
        name: z.string(),
        isPublic: z.boolean(),
        monetizationEnabled: z.boolean(),
        markupPercentage: z.number(),
        a2aEnabled: z.boolean(),
        mcpEnabled: z.boolean(),
        a2aEndpoint: z.string().nullable(),
        mcpEndpoint: z.string().nullable(),
      })
      .meta({ id: 'PublishedAgent' }),
  }),
);
