// Endpoints that list, create, show, copy and delete agents.

import type * as z from 'zod';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { type JsonAnswer, json, ok } from '../../http/response.js';
import { base, own, read, visible, write } from './access.js';
import { cloneAgent, createAgent } from './create.js';
import { presentAgent } from './present.js';
import { publishEndpoints } from './publish.js';
import type { listQuery } from './schema.js';
import * as schema from './schema.js';
import { deleteAgent, pageAgents, readAgents, searchAgents, type Whose } from './store.js';

export const agentEndpoints: Endpoint[] = [
  endpoint({
    id: 'agents.list',
    method: 'GET',
    harmless: true,
    path: base,
    summary: 'List your agents, in pages',
    permission: read,
    query: schema.listQuery,
    responses: { 200: { description: 'A page of agents', schema: schema.listAnswer } },
    assumptions: ['agents.item', 'agents.list'],
    prepare: (call) => search(call, { userId: call.caller.userId }),
    handle: (call) => answerPage(call, { userId: call.caller.userId }),
  }),
  endpoint({
    id: 'agents.marketplace',
    method: 'GET',
    harmless: true,
    path: '/api/marketplace/characters',
    summary: 'List the public agents of all users, in pages',
    permission: read,
    query: schema.listQuery,
    responses: { 200: { description: 'A page of agents', schema: schema.listAnswer } },
    assumptions: ['agents.marketplace', 'agents.item', 'agents.list'],
    prepare: (call) => search(call, {}),
    handle: (call) => answerPage(call, {}),
  }),
  endpoint({
    id: 'agents.create',
    method: 'POST',
    path: '/api/v1/app/agents',
    summary: 'Create an agent, free of charge',
    permission: write,
    limit: 'agents',
    body: schema.createBody,
    example: { name: 'Support Bot', bio: 'Answers questions about orders' },
    responses: { 201: { description: 'The agent', schema: schema.createAnswer } },
    errors: ['CONFLICT', 'QUOTA_EXCEEDED'],
    assumptions: ['agents.create', 'agents.item', 'quotas.tiers'],
    handle: (call) => json(201, { success: true, agent: presentAgent(createAgent(call, call.body)) }),
  }),
  endpoint({
    id: 'agents.get',
    method: 'GET',
    harmless: true,
    path: `${base}/{id}`,
    summary: 'Get an agent of yours, or a public one',
    permission: read,
    params: schema.agentParams,
    responses: { 200: { description: 'The agent', schema: schema.getAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['agents.access', 'agents.item'],
    handle: (call) => ok({ success: true, data: { character: presentAgent(visible(call, call.params.id)) } }),
  }),
  endpoint({
    id: 'agents.delete',
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Delete an agent of yours',
    permission: write,
    params: schema.agentParams,
    responses: { 200: { description: 'The agent is deleted', schema: schema.deleteAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['agents.access'],
    handle(call) {
      deleteAgent(call.world.db, own(call, call.params.id, 'delete it'));
      return ok({ success: true, data: { message: 'Agent deleted successfully' } });
    },
  }),
  endpoint({
    id: 'agents.clone',
    method: 'POST',
    path: `${base}/{id}/clone`,
    summary: 'Copy an agent of yours, or a public one; the copy is yours',
    permission: write,
    params: schema.agentParams,
    body: schema.cloneBody,
    bodyOptional: true,
    example: { name: 'Support Bot for the night' },
    responses: { 200: { description: 'The copy', schema: schema.cloneAnswer } },
    errors: ['NOT_FOUND', 'CONFLICT', 'QUOTA_EXCEEDED'],
    assumptions: ['agents.clone', 'agents.access', 'agents.item', 'quotas.tiers'],
    handle(call) {
      const copy = cloneAgent(call, visible(call, call.params.id), call.body);
      return ok({ success: true, data: { character: presentAgent(copy), message: 'Agent cloned successfully' } });
    },
  }),
  endpoint({
    id: 'agents.stats',
    method: 'GET',
    harmless: true,
    path: `${base}/{id}/stats`,
    summary: 'Get how often an agent of yours was used: zeros, as on the platform',
    permission: read,
    params: schema.agentParams,
    responses: { 200: { description: 'The statistics', schema: schema.statsAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['agents.access'],
    handle(call) {
      own(call, call.params.id, 'see its stats');
      return ok({ success: true, data: { stats: { views: 0, interactions: 0, messageCount: 0 } } });
    },
  }),
  ...publishEndpoints,
];

// A page of agents.

type Listing = HandlerContext<unknown, z.output<typeof listQuery>>;

/** The agents that a search finds; undefined if the request has no search. */
export function search({ world, query }: Listing, whose: Whose): number[] | undefined {
  if (query.search === undefined || query.search === '') return undefined;
  return searchAgents(world.db, whose, query.search);
}

/** Answers with one page of the agents that were found, or of all. */
function answerPage(call: Listing & { prepared: number[] | undefined }, whose: Whose): JsonAnswer {
  const { world, query, prepared: found } = call;
  const { category, sortBy, page, limit } = query;
  const order = query.order ?? (sortBy === 'name' ? 'asc' : 'desc');
  const offset = (page - 1) * limit;
  const { seqs, total } = pageAgents(world.db, { ...whose, found, category, sortBy, order, limit, offset });
  const totalPages = Math.ceil(total / limit);
  const pagination = { page, limit, totalPages, totalCount: total, hasMore: page < totalPages };
  const characters = readAgents(world.db, seqs).map(presentAgent);
  return ok({ success: true, data: { characters, pagination } });
}
