// The hosted agent that a caller's path names; paths and permissions of the endpoints.

import * as z from 'zod';
import { ApiError } from '../../core/errors.js';
import { didYouMean } from '../../core/nearest.js';
import { describe } from '../../core/problems.js';
import type { HandlerContext } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { stateAt } from './lifecycle.js';
import { findHostedAgent, type HostedAgent, listHostedAgents } from './store.js';

export const base = '/api/v1/eliza/agents';
export const read = { name: 'agents', level: 'read' } as const;
export const write = { name: 'agents', level: 'write' } as const;

// The path accepts any text: an id of the wrong form is simply not found.
export const agentParams = z.lazy(() => z.object({ agentId: z.string().meta({ format: 'uuid' }) }));

/**
 * The caller's own hosted agent that a path names.
 *
 * @example ownHostedAgent(call)
 * @throws ApiError NOT_FOUND, for another organization's agent too, and for one whose deletion has completed
 */
export function ownHostedAgent({
  world,
  caller,
  params,
}: Pick<HandlerContext<{ agentId: string }>, 'world' | 'caller' | 'params'>): HostedAgent {
  const agent = findHostedAgent(world.db, params.agentId, caller.organizationId);
  if (agent === undefined || stateAt(agent, world.clock.now()).gone)
    throw new ApiError('NOT_FOUND', { message: 'Agent not found' });
  return agent;
}

/**
 * The hosted agent of an id or a name, of any organization.
 *
 * @param path the field that holds it, for the message
 * @throws ApiError NOT_FOUND with the nearest name
 */
export function namedHostedAgent({ db }: World, name: string, path = 'id'): HostedAgent {
  const found = findHostedAgent(db, name);
  if (found !== undefined) return found;
  const all = listHostedAgents(db);
  const named = all.find((agent) => agent.name === name);
  if (named !== undefined) return named;
  const names = all.map((agent) => agent.name);
  throw new ApiError('NOT_FOUND', {
    message: `There is no hosted agent whose id or name is ${path === 'id' ? '' : `the ${path} `}${describe(name)}${didYouMean(name, names)}`,
  });
}

/** The address of an agent's page. */
export function webUiUrl(baseUrl: string, { id }: Pick<HostedAgent, 'id'>): string {
  return `${baseUrl}${base}/${id}`;
}
