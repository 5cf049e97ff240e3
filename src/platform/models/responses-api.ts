// The endpoint of responses.

import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { upperEstimate } from './charges.js';
import type { Chunking, Part } from './chunking.js';
import { warnIgnored, warnTools } from './conversation.js';
import { conversationErrors, modelErrors } from './errors.js';
import { type Form, generate } from './generate.js';

import { outputOf, type ResponseHead, responseFrames, wholeResponse } from './responses-present.js';
import { ownItems, readResponse } from './responses-read.js';
import { type ResponseBody, responseAnswer, responseBody } from './responses-schema.js';
import { answeringOf, pricedModel } from './speaker.js';
import { insertResponse } from './store.js';
import { responseEvents } from './stream-events.js';

const mostKept = 500;
const largestKept = 512 * 1_024;

export const responseEndpoints: Endpoint[] = [
  endpoint({
    id: 'responses.create',
    method: 'POST',
    path: '/api/v1/responses',
    summary: 'Get the response of a model or an agent to an input; stream: true sends it as server-sent events',
    permission: { name: 'chat', level: 'write' },
    limit: 'responses',
    priceSettings: ['inputTokens', 'outputTokens', 'tokenMarkup'],
    price: (call) => upperEstimate(call.world, pricedModel(call, call.body.model), readResponse(call)).amount,
    body: responseBody,
    example: { model: 'gpt-4o-mini', input: 'ping' },
    responses: {
      200: {
        description: 'The response',
        schema: responseAnswer,
        contentTypes: ['application/json', 'text/event-stream'],
        events: responseEvents,
      },
    },
    errors: conversationErrors,
    assumptions: ['ai.replies', 'ai.prices', 'ai.models', 'ai.errors', 'ai.responses'],
    besideError: modelErrors,
    prepare: readResponse,
    handle(call) {
      const { body, prepared: conversation, warn } = call;
      warnTools(body.tools, warn);
      warnIgnored(body, ['background', 'conversation', 'prompt'], warn);
      return generate(call, {
        conversation,
        ...answeringOf(call, body.model),
        wantsStream: body.stream === true,
        reason: 'Response',
        form: formOf(call),
      });
    },
  }),
];

type ResponseCall = HandlerContext<unknown, unknown, ResponseBody>;

function formOf(call: ResponseCall): Form {
  const { world, requestId, now, body } = call;
  const idOf = (kind: string, ...key: (string | number)[]): string =>
    `${kind}_${world.random.hex('response', requestId, ...key).slice(0, 48)}`;
  const head: ResponseHead = {
    id: idOf('resp'),
    createdAt: Math.floor(now / 1_000),
    body,
    itemId: (part: Part, index) => idOf(part.kind === 'call' ? 'fc' : 'msg', index),
  };
  return {
    whole: (chunking, tokens) => wholeResponse(head, chunking, tokens),
    frames: (chunking, tokens) => responseFrames(head, chunking, tokens),
    keep: (chunking) => keep(call, head, chunking),
  };
}

function keep({ world, caller, body, warn, now }: ResponseCall, head: ResponseHead, chunking: Chunking): void {
  if (body.store === false) return;
  const input = JSON.stringify(ownItems(body));
  const items = outputOf(head, chunking);
  const output = JSON.stringify(items);
  if (input.length + output.length > largestKept) {
    warn('too large to be kept: previous_response_id cannot name it');
    return;
  }
  const row = {
    seq: world.nextNumber('responses'),
    id: head.id,
    organization_id: caller.organizationId,
    previous_id: body.previous_response_id ?? null,
    input,
    output,
    created_at: now,
  };
  insertResponse(
    world.db,
    row,
    items.map(({ id }) => String(id)),
    mostKept,
  );
}
