// The endpoints of chat completions and of models; a chat request is read as a conversation.

import { ApiError } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { type Endpoint, endpoint } from '../../http/endpoint.js';
import { ok } from '../../http/response.js';
import { upperEstimate } from './charges.js';
import { chatForm } from './chat-present.js';
import { type ChatBody, type ChatMessage, chatAnswer, chatBody } from './chat-schema.js';
import {
  type Conversation,
  checkedChoice,
  type Format,
  inputTokensOf,
  type Message,
  pairTools,
  type ToolStep,
  warnIgnored,
  warnTools,
} from './conversation.js';
import { conversationErrors, modelErrors } from './errors.js';
import { generate } from './generate.js';
import { findModel, listModels, modelList, modelParams, modelRecord, presentModel } from './models.js';

import { answeringOf, pricedModel } from './speaker.js';
import { chatEvents } from './stream-events.js';

export const chatEndpoints: Endpoint[] = [
  endpoint({
    id: 'chat.completions',
    method: 'POST',
    path: '/api/v1/chat/completions',
    summary: 'Get the reply of a model or an agent to a conversation; stream: true sends it as server-sent events',
    permission: { name: 'chat', level: 'write' },
    limit: 'chat',
    priceSettings: ['inputTokens', 'outputTokens', 'tokenMarkup'],
    price: (call) => upperEstimate(call.world, pricedModel(call, call.body.model), readChat(call.body)).amount,
    body: chatBody,
    example: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'ping' }] },
    responses: {
      200: {
        description: 'The reply',
        schema: chatAnswer,
        contentTypes: ['application/json', 'text/event-stream'],
        events: chatEvents,
      },
    },
    errors: conversationErrors,
    assumptions: ['ai.replies', 'ai.prices', 'ai.models', 'ai.errors'],
    besideError: modelErrors,
    prepare: ({ body }) => readChat(body),
    handle(call) {
      const { world, body, now, requestId, prepared: conversation, warn } = call;
      warnTools(body.tools, warn);
      warnIgnored(body, ['logprobs', 'audio', 'functions', 'web_search_options'], warn);
      const form = chatForm({
        id: `chatcmpl-${world.random.hex('chat', requestId).slice(0, 29)}`,
        created: Math.floor(now / 1_000),
        model: body.model,
        fingerprint: `fp_${world.random.hex('model', body.model).slice(0, 10)}`,
        count: conversation.count,
        includeUsage: body.stream_options?.include_usage === true,
      });
      return generate(call, {
        conversation,
        ...answeringOf(call, body.model),
        wantsStream: body.stream === true,
        reason: 'Chat completion',
        form,
      });
    },
  }),
  endpoint({
    id: 'models.list',
    method: 'GET',
    harmless: true,
    path: '/api/v1/models',
    summary: 'List the models',
    auth: 'public',
    responses: { 200: { description: 'The models', schema: modelList } },
    assumptions: ['ai.models'],
    besideError: modelErrors,
    handle: ({ world }) => ok({ object: 'list', data: listModels(world).map(presentModel) }),
  }),
  endpoint({
    id: 'models.get',
    method: 'GET',
    harmless: true,
    path: '/api/v1/models/{id}',
    idHasSlashes: true,
    summary: 'Get a model',
    auth: 'public',
    params: modelParams,
    responses: { 200: { description: 'The model', schema: modelRecord } },
    errors: ['NOT_FOUND'],
    assumptions: ['ai.models'],
    besideError: modelErrors,
    handle({ world, params }) {
      const model = findModel(world, params.id);
      if (model !== undefined) return ok(presentModel(model));
      throw new ApiError('NOT_FOUND', { message: `The model ${describe(params.id)} does not exist` });
    },
  }),
];

/**
 * The conversation that a chat completion continues.
 *
 * @throws ApiError VALIDATION_ERROR where calls of tools and their results do not fit together
 */
function readChat(body: ChatBody): Conversation {
  const { messages, tools, stop } = body;
  const names = pairTools(messages.flatMap(toolSteps));

  const attachments = messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(({ type }) => type !== 'text' && type !== 'refusal');
  const calls = messages.flatMap((message) => (message.tool_calls ?? []).map((call) => call.function));
  const texts = messages.map(textOf);
  const spoken = [...texts, ...calls.map((call) => `${call.name} ${call.arguments}`)];
  const offered = (tools ?? []).flatMap(({ type, function: tool }, index) => {
    if (type !== 'function' || tool === undefined) return [];
    const field = `tools[${index}].function.parameters`;
    return [{ name: tool.name, parameters: { schema: tool.parameters, field, isStrict: tool.strict === true } }];
  });
  const choice = body.tool_choice ?? 'auto';
  return {
    model: body.model,
    messages: messages.map((message, index) => messageOf(message, texts[index] ?? '', names)),
    tools: offered,
    toolChoice: checkedChoice(typeof choice === 'string' ? choice : (choice.function ?? 'auto'), offered),
    isParallel: body.parallel_tool_calls !== false,
    format: formatOf(body.response_format),
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    stop: [stop ?? []].flat().filter((text) => text !== ''),
    count: body.n ?? 1,
    inputTokens: inputTokensOf(spoken, attachments.length, tools ?? []),
  };
}

function messageOf({ role, tool_call_id: id }: ChatMessage, text: string, names: Map<string, string>): Message {
  if (role === 'developer') return { role: 'system', text };
  if (role !== 'tool' && role !== 'function') return { role, text };
  const tool = names.get(id ?? '');
  return { role: 'tool', text, ...(tool !== undefined && { tool }) };
}

function textOf({ content, refusal }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return content?.map((part) => part.text ?? '').join('') ?? refusal ?? '';
}

function toolSteps(message: ChatMessage, index: number): ToolStep[] {
  const { role, tool_calls: calls, tool_call_id: id } = message;
  const place = `messages[${index}]`;
  if (role === 'tool') return [{ kind: 'result', id: id ?? '', path: `${place}.tool_call_id` }];
  return (calls ?? []).map((call, n) => ({
    kind: 'call',
    id: call.id,
    name: call.function.name,
    path: `${place}.tool_calls[${n}]`,
  }));
}

function formatOf(format: ChatBody['response_format']): Format {
  if (format?.type === 'json_schema') {
    const { schema, strict } = format.json_schema;
    const field = 'response_format.json_schema.schema';
    return { type: 'json_schema', schema: { schema, field, isStrict: strict === true } };
  }
  return { type: format?.type ?? 'text' };
}
