// A page of agents, sent as it is read where it is long, since bios are long.

import type * as z from 'zod';
import { nextTurn } from '../../core/clock.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { type JsonAnswer, ok, type PiecesAnswer } from '../../http/response.js';
import { presentAgent } from './present.js';
import type { listQuery } from './schema.js';
import { pageAgents, readAgents, searchAgents, type Whose } from './store.js';

type Listing = HandlerContext<unknown, z.output<typeof listQuery>>;

/** Agents that are read and written in one go: a few milliseconds' work, with the longest bios. */
const readAtOnce = 20;

/** The agents that a search finds; undefined if the request has no search. */
export function search({ world, query }: Listing, whose: Whose): number[] | undefined {
  if (query.search === undefined || query.search === '') return undefined;
  return searchAgents(world.db, whose, query.search);
}

/** Answers with one page of the agents that were found, or of all. */
export function answerPage(
  call: Listing & { prepared: number[] | undefined },
  whose: Whose,
): JsonAnswer | PiecesAnswer {
  const { world, query, prepared: found } = call;
  const { category, sortBy, page, limit } = query;
  const order = query.order ?? (sortBy === 'name' ? 'asc' : 'desc');
  const offset = (page - 1) * limit;
  const { seqs, total } = pageAgents(world.db, { ...whose, found, category, sortBy, order, limit, offset });
  const totalPages = Math.ceil(total / limit);
  const pagination = { page, limit, totalPages, totalCount: total, hasMore: page < totalPages };
  if (seqs.length > readAtOnce) return { kind: 'pieces', status: 200, pieces: piecesOf(call, seqs, pagination) };
  const characters = readAgents(world.db, seqs).map(presentAgent);
  return ok({ success: true, data: { characters, pagination } });
}

async function* piecesOf({ world }: Listing, seqs: readonly number[], pagination: object): AsyncGenerator<string> {
  const { epoch } = world;
  let before = '{"success":true,"data":{"characters":[';
  for (let at = 0; at < seqs.length; at += readAtOnce) {
    if (at > 0) await nextTurn();
    if (world.epoch !== epoch) throw new Error('the world was reset while its agents were being listed');
    const agents = readAgents(world.db, seqs.slice(at, at + readAtOnce));
    if (agents.length > 0) {
      yield before + agents.map((agent) => JSON.stringify(presentAgent(agent))).join(',');
      before = ',';
    }
  }
  yield `],"pagination":${JSON.stringify(pagination)}}}`;
}
