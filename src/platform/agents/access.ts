// Shared by the endpoints of agents: their path, their permissions, and the checks of who may see and change an agent.

import { ApiError } from '../../core/errors.js';
import type { Caller } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { type Agent, findAgent } from './store.js';

export const base = '/api/my-agents/characters';
export const read = { name: 'agents', level: 'read' } as const;
export const write = { name: 'agents', level: 'write' } as const;

interface Asking {
  world: World;
  caller: Caller;
}

/**
 * An agent that the caller may see: an own one, or a public one.
 *
 * @throws ApiError NOT_FOUND, for another user's private agent too
 */
export function visible({ world, caller }: Asking, id: string): Agent {
  const agent = findAgent(world.db, id);
  if (agent === undefined || (agent.user_id !== caller.userId && !agent.is_public)) {
    throw new ApiError('NOT_FOUND', { message: 'Agent not found' });
  }
  return agent;
}

/**
 * An agent of the caller's own.
 *
 * @param act what only the owner may do, for the message
 * @throws ApiError NOT_FOUND, FORBIDDEN for another user's public agent
 */
export function own(asking: Asking, id: string, act: string): Agent {
  const agent = visible(asking, id);
  if (agent.user_id !== asking.caller.userId) {
    throw new ApiError('FORBIDDEN', { message: `This agent belongs to another user: only its owner may ${act}` });
  }
  return agent;
}
