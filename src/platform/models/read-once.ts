// Reads the conversation of a request once, for its price and for its handler.

import type { HandlerContext } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import type { Conversation } from './conversation.js';

/** The caller and its world; the organization is null before authentication, when only the price is needed. */
export interface Asking {
  world: World;
  organizationId: string | null;
}

interface Reading {
  organizationId: string | null;
  conversation: Conversation;
}

type Call<Body> = HandlerContext<unknown, unknown, Body>;

/**
 * Makes the function that reads the conversation of a request, once.
 *
 * @param read reads the body of a request
 */
export function readOnce<Body extends object>(
  read: (asking: Asking, body: Body) => Conversation,
): (call: Call<Body>) => Conversation {
  const readings = new WeakMap<Body, Reading>();
  return ({ world, identified, body }) => {
    const organizationId = identified?.organizationId ?? null;
    const before = readings.get(body);
    // A payer is known only after the price is: the handler reads again, as what others keep is not for the payer.
    if (before !== undefined && before.organizationId === organizationId) return before.conversation;
    const conversation = read({ world, organizationId }, body);
    readings.set(body, { organizationId, conversation });
    return conversation;
  };
}
