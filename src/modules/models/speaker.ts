// Resolves the model of a request, or the agent that is named in its place.

import type { HandlerContext } from '../../http/endpoint.js';
import { visible } from '../agents/access.js';
import { modelOfKind } from './model-kind.js';
import { type Model, unknownModel } from './models.js';
import type { Speaker } from './usual-reply.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface Answering {
  model: Model;
  speaker: Speaker | undefined;
}

/**
 * The model, or the agent, of that name.
 *
 * @throws ApiError NOT_FOUND for an agent that the caller may not see, and for models where the settings say so;
 *   VALIDATION_ERROR for a model that does not chat
 */
export function answeringOf(call: HandlerContext, name: string): Answering {
  const { world, warn } = call;
  if (!uuid.test(name)) return { model: modelOfKind({ world, warn }, name, 'chat'), speaker: undefined };
  const agent = visible(call, name.toLowerCase());
  return { model: { ...unknownModel(world, agent.id), owner: agent.username }, speaker: agent };
}

/** The model whose prices hold; nobody need be known for that. */
export function pricedModel({ world }: Pick<HandlerContext, 'world'>, name: string): Model {
  return uuid.test(name) ? unknownModel(world, name) : modelOfKind({ world, warn: () => {} }, name, 'chat');
}
