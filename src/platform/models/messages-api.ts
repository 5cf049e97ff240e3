// The endpoints of messages, in the form of Anthropic.

import { ApiError, invalid } from '../../core/errors.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { ok } from '../../http/response.js';
import { upperEstimate } from './charges.js';
import { type Conversation, warnIgnored } from './conversation.js';
import { conversationErrors } from './errors.js';
import { generate } from './generate.js';
import { anthropicErrors, messageForm } from './messages-present.js';

import { foreignTools, fullName, readAsked, readMessages } from './messages-read.js';
import {
  countBody,
  type MessagesBody,
  messageAnswer,
  messagesBody,
  messagesQuery,
  tokensAnswer,
} from './messages-schema.js';
import { findModel } from './models.js';

import { answeringOf, pricedModel } from './speaker.js';
import { messageEvents } from './stream-events.js';

function conversationOf(call: HandlerContext<unknown, unknown, MessagesBody>): Conversation {
  refuseBudget(call);
  return readMessages(call.body);
}

// Between calls of tools, a budget may be for more than one answer.
function refuseBudget(call: HandlerContext<unknown, unknown, MessagesBody>): void {
  const { body } = call;
  const budget = body.thinking?.type === 'enabled' ? (body.thinking.budget_tokens ?? 0) : 0;
  if (budget === 0 || budget < body.max_tokens || call.header('anthropic-beta')?.includes('interleaved-thinking'))
    return;
  throw invalid({
    path: 'thinking.budget_tokens',
    message: `must be less than max_tokens (${body.max_tokens})`,
    received: String(budget),
  });
}

export const messageEndpoints: Endpoint[] = [
  endpoint({
    id: 'messages.create',
    method: 'POST',
    path: '/api/v1/messages',
    summary:
      'Get the reply of a model or an agent in the form of Anthropic; stream: true sends it as server-sent events',
    permission: { name: 'chat', level: 'write' },
    limit: 'chat',
    priceSettings: ['inputTokens', 'outputTokens', 'tokenMarkup'],
    price: async (call) => {
      const model = available(call, (name) => pricedModel(call, name));
      return upperEstimate(call.world, model, conversationOf(call)).amount;
    },
    query: messagesQuery,
    body: messagesBody,
    example: { model: 'claude-haiku-4-5', max_tokens: 100, messages: [{ role: 'user', content: 'ping' }] },
    responses: {
      200: {
        description: 'The reply',
        schema: messageAnswer,
        contentTypes: ['application/json', 'text/event-stream'],
        events: messageEvents,
      },
    },
    errors: conversationErrors,
    assumptions: ['ai.messages', 'ai.replies', 'ai.prices', 'ai.models', 'ai.errors'],
    besideError: anthropicErrors,
    answerHeaders,
    prepare: conversationOf,
    handle(call) {
      const { world, body, requestId, prepared: conversation, warn } = call;
      warnUnused(body, warn);
      return generate(call, {
        conversation,
        ...available(call, (name) => answeringOf(call, name)),
        wantsStream: body.stream === true,
        reason: 'Message',
        form: messageForm({
          id: `msg_${world.random.hex('message', requestId).slice(0, 24)}`,
          model: body.model,
          requestId,
          callId: (index) => `toolu_${world.random.hex('call', requestId, index).slice(0, 24)}`,
          warn,
        }),
      });
    },
  }),
  endpoint({
    id: 'messages.countTokens',
    method: 'POST',
    path: '/api/v1/messages/count_tokens',
    summary: 'Count the tokens of a conversation in the form of Anthropic, free of charge',
    permission: { name: 'chat', level: 'read' },
    limit: 'chat',
    query: messagesQuery,
    body: countBody,
    example: { model: 'claude-haiku-4-5', messages: [{ role: 'user', content: 'ping' }] },
    responses: { 200: { description: 'The tokens', schema: tokensAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['ai.messages', 'ai.models', 'ai.errors'],
    besideError: anthropicErrors,
    answerHeaders,
    prepare: ({ body }) => readAsked(body),
    handle(call) {
      available(call, (name) => answeringOf(call, name));
      return ok({ input_tokens: call.prepared.inputTokens });
    },
  }),
];

// The header by which Anthropic's SDK knows a request.
function answerHeaders(_status: number, { requestId }: { requestId: string }): Record<string, string> {
  return { 'request-id': requestId };
}

/** Finds a model or an agent by its name, and refuses an unknown model in the words of the platform. */
function available<Found>(
  call: HandlerContext<unknown, unknown, { model: string }>,
  find: (name: string) => Found,
): Found {
  const { model } = call.body;
  try {
    return find(findModel(call.world, fullName(model)) === undefined ? model : fullName(model));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error;
    const message = `model '${model}' is not available on this deployment: ${error.message}`;
    throw new ApiError('NOT_FOUND', { ...error.options, message });
  }
}

function warnUnused(body: MessagesBody, warn: (text: string) => void): void {
  const foreign = foreignTools(body);
  if (foreign.length > 0)
    warn(`tools that are not emulated are called only by replies: ${foreign.join(', ').slice(0, 200)}`);
  if (body.thinking != null && body.thinking.type !== 'disabled') warn('not emulated, so without effect: thinking');
  warnIgnored(body, ['container', 'mcp_servers', 'context_management'], warn);
}
