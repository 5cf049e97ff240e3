// A page of agents.

import type * as z from 'zod';
import type { HandlerContext } from '../../http/endpoint.js';
import { type JsonAnswer, ok } from '../../http/response.js';
import { presentAgent } from './present.js';
import type { listQuery } from './schema.js';
import { pageAgents, readAgents, searchAgents, type Whose } from './store.js';

type Listing = HandlerContext<unknown, z.output<typeof listQuery>>;

/** The agents that a search finds; undefined if the request has no search. */
export function search({ world, query }: Listing, whose: Whose): number[] | undefined {
  if (query.search === undefined || query.search === '') return undefined;
  return searchAgents(world.db, whose, query.search);
}

/** Answers with one page of the agents that were found, or of all. */
export function answerPage(call: Listing & { prepared: number[] | undefined }, whose: Whose): JsonAnswer {
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
