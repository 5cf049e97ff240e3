// The endpoint of chat completions, and those that list the models.

import { ApiError } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { type Endpoint, endpoint } from '../../http/endpoint.js';
import { ok } from '../../http/response.js';
import { upperEstimate } from './charges.js';
import { chatForm } from './chat-present.js';
import { readChat } from './chat-read.js';
import { chatAnswer, chatBody } from './chat-schema.js';
import { modelErrors } from './errors.js';
import { generate } from './generate.js';
import { tellIgnored, tellTools } from './ignored.js';
import { findModel, listModels } from './models.js';
import { modelList, modelParams, modelRecord, presentModel } from './models-present.js';
import { answeringOf, pricedModel } from './speaker.js';

export const chatEndpoints: Endpoint[] = [
  endpoint({
    id: 'chat.completions',
    method: 'POST',
    path: '/api/v1/chat/completions',
    summary: 'Let a model, or an agent, answer a conversation; with stream: true in server-sent events',
    auth: 'caller',
    permission: { name: 'chat', level: 'write' },
    limit: 'chat',
    price: ({ world, body }) => upperEstimate(world, pricedModel({ world }, body.model), readChat(body)).amount,
    body: chatBody,
    example: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'ping' }] },
    responses: {
      200: { description: 'The answer', schema: chatAnswer, contentTypes: ['application/json', 'text/event-stream'] },
    },
    errors: [
      'INSUFFICIENT_CREDITS',
      'NOT_FOUND',
      'CONTEXT_LENGTH',
      'CONTENT_POLICY',
      'MODEL_UNAVAILABLE',
      'GENERATION_FAILED',
    ],
    assumptions: ['ai.replies', 'ai.prices', 'ai.models', 'ai.errors'],
    besideError: modelErrors,
    handle(call) {
      const { world, body, now, requestId, warn } = call;
      tellTools(body.tools, warn);
      tellIgnored(body, ['logprobs', 'audio', 'functions', 'web_search_options'], warn);
      const conversation = readChat(body);
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
    path: '/api/v1/models',
    summary: 'The models that there are',
    auth: 'public',
    responses: { 200: { description: 'All of them', schema: modelList } },
    assumptions: ['ai.models'],
    besideError: modelErrors,
    handle: ({ world }) => ok({ object: 'list', data: listModels(world).map(presentModel) }),
  }),
  endpoint({
    id: 'models.get',
    method: 'GET',
    path: '/api/v1/models/{id}',
    summary: 'A model',
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
