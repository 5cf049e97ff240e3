// Refusals of what is no conversation: a reply with an error that was ordered, or that a fixture has, refuses it too.

import { ApiError, type ErrorCode } from '../../core/errors.js';
import type { HandlerContext } from '../../http/endpoint.js';
import type { Conversation } from './conversation.js';
import { orderedError } from './errors.js';
import type { Model } from './models.js';
import { chosenReply } from './select-reply.js';

/** The errors of a model’s own that replies may order. */
export const refusals = ['CONTENT_POLICY', 'MODEL_UNAVAILABLE', 'GENERATION_FAILED'] as const satisfies ErrorCode[];

/**
 * Refuses a prompt if somebody wants that; replies with content are left for conversations.
 *
 * @throws ApiError what the reply orders, CONTENT_POLICY for example
 */
export function refuseIfOrdered(
  { world, warn }: Pick<HandlerContext, 'world' | 'warn'>,
  model: Model,
  prompt: string,
): void {
  const conversation: Conversation = {
    model: model.id,
    messages: [{ role: 'user', text: prompt }],
    tools: [],
    toolChoice: 'none',
    format: { type: 'text' },
    maxTokens: undefined,
    stop: [],
    count: 1,
    inputTokens: 0,
  };
  const chosen = chosenReply(world, conversation, warn);
  const ordered = chosen === undefined ? undefined : orderedError(chosen.reply);
  if (chosen === undefined || ordered === undefined) return;
  const { code, options } = ordered.error;
  throw new ApiError(code, { ...options, lasting: chosen.take });
}
