// The events of the streams of chat, responses and messages, as the published documents tell them.

import * as z from 'zod';
import type { EventDeclaration } from '../../http/endpoint.js';
import { messageAnswer, stopReason } from './messages-schema.js';

const delta = z.lazy(() =>
  z.object({
    role: z.literal('assistant').optional(),
    content: z.string().nullable().optional(),
    refusal: z.string().nullable().optional(),
    tool_calls: z
      .array(
        z.object({
          index: z.int(),
          id: z.string().optional(),
          type: z.literal('function').optional(),
          function: z.object({ name: z.string().optional(), arguments: z.string() }),
        }),
      )
      .optional(),
  }),
);

const modelError = z.object({ message: z.string(), type: z.string(), param: z.string().nullable(), code: z.string() });
const anObject = z.record(z.string(), z.unknown());

/** The events of `POST /api/v1/chat/completions` with `stream: true`; none has a type. */
export const chatEvents: EventDeclaration[] = [
  {
    description:
      'A chunk. The first of each choice has the role, the last one `finish_reason`; with `stream_options.include_usage` every chunk has `usage`, which is null but in the last one, whose `choices` are empty',
    data: z.lazy(() =>
      z.object({
        id: z.string(),
        object: z.literal('chat.completion.chunk'),
        created: z.int(),
        model: z.string(),
        service_tier: z.string(),
        system_fingerprint: z.string(),
        choices: z.array(
          z.object({
            index: z.int(),
            delta,
            logprobs: z.null(),
            finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']).nullable(),
          }),
        ),
        usage: anObject.nullable().optional(),
      }),
    ),
  },
  { description: 'An error that ended the stream after it began', data: z.object({ error: modelError }) },
  { description: '`[DONE]`, which is no JSON: the end' },
];

const place = { item_id: z.string(), output_index: z.int() };
const contentPlace = { ...place, content_index: z.int() };

function named(event: string, description: string, fields: Record<string, z.ZodType>): EventDeclaration {
  return {
    event,
    description,
    data: z.lazy(() => z.object({ type: z.literal(event), sequence_number: z.int(), ...fields })),
  };
}

/** The events of `POST /api/v1/responses` with `stream: true`. */
export const responseEvents: EventDeclaration[] = [
  named('response.created', 'The response has begun; its `output` is empty', { response: anObject }),
  named('response.in_progress', 'The same, right after', { response: anObject }),
  named('response.output_item.added', 'A message or a call begins', { output_index: z.int(), item: anObject }),
  named('response.content_part.added', 'The content of a message begins', { ...contentPlace, part: anObject }),
  named('response.output_text.delta', 'A piece of the text', {
    ...contentPlace,
    delta: z.string(),
    logprobs: z.array(z.unknown()),
  }),
  named('response.output_text.done', 'The whole text', {
    ...contentPlace,
    text: z.string(),
    logprobs: z.array(z.unknown()),
  }),
  named('response.refusal.delta', 'A piece of a refusal', { ...contentPlace, delta: z.string() }),
  named('response.refusal.done', 'The whole refusal', { ...contentPlace, refusal: z.string() }),
  named('response.function_call_arguments.delta', 'A piece of the arguments of a call', {
    ...place,
    delta: z.string(),
  }),
  named('response.function_call_arguments.done', 'The whole arguments, as JSON in a text', {
    ...place,
    name: z.string(),
    arguments: z.string(),
  }),
  named('response.content_part.done', 'The content of a message, whole', { ...contentPlace, part: anObject }),
  named('response.output_item.done', 'The message or call, whole', { output_index: z.int(), item: anObject }),
  named('response.completed', 'The whole response, as a request without `stream` gets it', { response: anObject }),
  named('response.incomplete', 'The same, where it was cut off; `incomplete_details` says why', { response: anObject }),
  named('error', 'An error that ended the stream after it began', {
    code: z.string(),
    message: z.string(),
    param: z.string().nullable(),
    error: modelError,
  }),
];

function ofMessage(event: string, description: string, fields: Record<string, z.ZodType> = {}): EventDeclaration {
  return { event, description, data: z.lazy(() => z.object({ type: z.literal(event), ...fields })) };
}

/** The events of `POST /api/v1/messages` with `stream: true`. */
export const messageEvents: EventDeclaration[] = [
  ofMessage('message_start', 'The message has begun; its `content` is empty', { message: messageAnswer }),
  ofMessage('content_block_start', 'A text or a call of a tool begins', { index: z.int(), content_block: anObject }),
  ofMessage('ping', 'Says nothing'),
  ofMessage('content_block_delta', 'A piece of a text (`text_delta`), or of the arguments (`input_json_delta`)', {
    index: z.int(),
    delta: z.union([
      z.object({ type: z.literal('text_delta'), text: z.string() }),
      z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
    ]),
  }),
  ofMessage('content_block_stop', 'A text or a call is whole', { index: z.int() }),
  ofMessage('message_delta', 'Why the message ends, and the tokens of all of it', {
    delta: z.object({ stop_reason: stopReason, stop_sequence: z.string().nullable() }),
    usage: z.object({ output_tokens: z.int() }),
  }),
  ofMessage('message_stop', 'The end'),
  ofMessage('error', 'An error that ended the stream after it began', {
    error: z.object({ type: z.string(), message: z.string(), code: z.string() }),
    request_id: z.string(),
  }),
];
