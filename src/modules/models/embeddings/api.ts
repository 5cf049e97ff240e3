// The endpoint that turns texts into vectors.

import { counted } from '../../../core/words.js';
import { type Endpoint, endpoint } from '../../../http/endpoint.js';
import { chargeTokens } from '../charges.js';
import { embeddingErrors } from '../errors.js';
import { modelOfKind } from '../model-kind.js';
import { tokenPrice } from '../models.js';
import { inputsOf, makeEmbeddings, tokensOf } from './create.js';
import * as schema from './schema.js';

export const embeddingEndpoints: Endpoint[] = [
  endpoint({
    id: 'embeddings.create',
    method: 'POST',
    path: '/api/v1/embeddings',
    summary: 'Texts as vectors: near for texts that are like each other',
    auth: 'caller',
    permission: { name: 'embeddings', level: 'read' },
    limit: 'embeddings',
    body: schema.embeddingsBody,
    example: { model: 'text-embedding-3-small', input: 'Hello, world' },
    responses: { 200: { description: 'A vector for each input', schema: schema.embeddingsAnswer } },
    errors: ['INSUFFICIENT_CREDITS', 'NOT_FOUND', 'CONTEXT_LENGTH'],
    price({ world, body }) {
      const input = tokensOf(inputsOf(body)).reduce((sum, count) => sum + count, 0);
      // Of a model that nobody knows the answer tells.
      const model = modelOfKind({ world, warn: () => {} }, body.model, 'embedding');
      return tokenPrice(world, model, { input, output: 0 }).amount;
    },
    assumptions: ['embeddings.vectors', 'money', 'x402.payment'],
    besideError: embeddingErrors,
    prepare: makeEmbeddings,
    handle(call) {
      const { model, tokens, data, text } = call.prepared;
      chargeTokens(call, model, { input: tokens, output: 0 }, `Embeddings of ${counted(data.length, 'text')}`);
      const usage = { prompt_tokens: tokens, total_tokens: tokens };
      const rest = { model: model.id, usage };
      const body = { object: 'list', data, ...rest };
      return {
        kind: 'json',
        status: 200,
        body,
        text: `{"object":"list","data":${text},${JSON.stringify(rest).slice(1)}`,
      };
    },
  }),
];
