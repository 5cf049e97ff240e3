// Answers in the form of Anthropic's messages: whole, and as the events of a stream.

import * as z from 'zod';
import type { ApiError } from '../../core/errors.js';
import type { BesideError } from '../../http/endpoint.js';
import type { SseEvent } from '../../http/response.js';
import type { CallPart, Chunking, Part, Piece } from './chunking.js';
import type { Form, Frames } from './generate.js';
import { isObject } from './messages-blocks.js';
import type { Tokens } from './models.js';

// Errors in the form of Anthropic, beside the platform's own.

const types: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** The type of an error in the terms of Anthropic: `invalid_request_error`, `overloaded_error` and so on. */
function anthropicType({ code, status }: Pick<ApiError, 'code' | 'status'>): string {
  if (code === 'MODEL_UNAVAILABLE') return 'overloaded_error';
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

const anthropicError = z
  .lazy(() =>
    z
      .object({
        type: z.literal('error'),
        error: z.object({ type: z.string(), message: z.string() }).loose(),
        request_id: z.string(),
      })
      .loose(),
  )
  .meta({ id: 'AnthropicError' });

/** The body says `type: "error"`; its `error` has a type of Anthropic's, and is an object in the flat style, too. */
export const anthropicErrors: BesideError = {
  schema: anthropicError,
  of(error, body) {
    const own = isObject(body.error) ? body.error : { message: error.message };
    return {
      type: 'error',
      error: { ...own, type: anthropicType(error) },
      request_id: own.requestId ?? body.requestId,
    };
  },
};

interface MessageHead {
  id: string;
  /** The name of the model, as the client wrote it. */
  model: string;
  requestId: string;
  /** The id of the n-th call of a tool. */
  callId: (index: number) => string;
  warn: (text: string) => void;
}

/** Messages in the form of their wire. */
export function messageForm(head: MessageHead): Form {
  return {
    whole(chunking, tokens) {
      const content = chunking.parts
        .filter(isShown)
        .map((part) => (part.kind === 'call' ? callOf(part, head) : { type: 'text', text: part.pieces.join('') }));
      return { ...messageOf(head, content, endOf(chunking)), usage: usageOf(tokens) };
    },
    frames: (chunking, tokens) => messageFrames(head, chunking, tokens),
    callId: head.callId,
    // The next request sends the whole conversation again.
  };
}

type End = Record<'stop_reason' | 'stop_sequence', string | null>;

function messageOf({ id, model }: MessageHead, content: unknown[], end: End): Record<string, unknown> {
  return { id, type: 'message', role: 'assistant', model, content, ...end };
}

// Anthropic has no block for an empty text.
function isShown({ kind, pieces }: Part): boolean {
  return kind === 'call' || pieces.some((piece) => piece !== '');
}

function callOf({ id, name, pieces }: CallPart, { warn }: MessageHead): object {
  const input = inputOf(pieces.join(''));
  if (input === undefined) warn(`the arguments of ${name.slice(0, 100)} are no JSON object, so its input is empty`);
  return { type: 'tool_use', id, name, input: input ?? {} };
}

function inputOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function endOf({ finish, stoppedBy, parts }: Chunking): End {
  if (finish === 'length') return { stop_reason: 'max_tokens', stop_sequence: null };
  const refuses = finish === 'content_filter' || parts.some(({ kind }) => kind === 'refusal');
  const calls = finish === 'tool_calls' || parts.some(({ kind }) => kind === 'call');
  if (refuses) return { stop_reason: 'refusal', stop_sequence: null };
  if (calls) return { stop_reason: 'tool_use', stop_sequence: null };
  if (stoppedBy !== undefined) return { stop_reason: 'stop_sequence', stop_sequence: stoppedBy };
  return { stop_reason: 'end_turn', stop_sequence: null };
}

function usageOf({ input, output }: Tokens): Record<string, unknown> {
  return {
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: output,
    service_tier: 'standard',
  };
}

function event(type: string, fields: Record<string, unknown> = {}): SseEvent {
  return { event: type, data: JSON.stringify({ type, ...fields }) };
}

function messageFrames(head: MessageHead, chunking: Chunking, tokens: Tokens): Frames {
  const { parts } = chunking;
  const shown = parts.filter(isShown);
  const indexes = new Map(shown.map((part, index) => [part, index]));
  const ping = event('ping');

  function begin({ part }: Piece, index: number): SseEvent[] {
    const block =
      part.kind === 'call' ? { type: 'tool_use', id: part.id, name: part.name, input: {} } : { type: 'text', text: '' };
    const start = event('content_block_start', { index, content_block: block });
    // The arguments of a call begin with nothing, as Anthropic sends them.
    return [start, ...(index === 0 ? [ping] : []), ...(part.kind === 'call' ? [go(part, index, '')] : [])];
  }

  function go({ kind }: Part, index: number, text: string): SseEvent {
    const delta = kind === 'call' ? { type: 'input_json_delta', partial_json: text } : { type: 'text_delta', text };
    return event('content_block_delta', { index, delta });
  }

  return {
    opening() {
      const begun = messageOf(head, [], { stop_reason: null, stop_sequence: null });
      const message = { ...begun, usage: usageOf({ ...tokens, output: 0 }) };
      return [event('message_start', { message })];
    },
    piece(piece) {
      const index = indexes.get(piece.part);
      if (index === undefined) return [];
      return [
        ...(piece.isFirst ? begin(piece, index) : []),
        ...(piece.text === '' ? [] : [go(piece.part, index, piece.text)]),
        ...(piece.isLast ? [event('content_block_stop', { index })] : []),
      ];
    },
    ending: () => [
      ...(shown.length === 0 ? [ping] : []),
      event('message_delta', { delta: endOf(chunking), usage: { output_tokens: tokens.output } }),
      event('message_stop'),
    ],
    failing: (error) => [
      event('error', {
        error: { type: anthropicType(error), message: error.message, code: error.code },
        request_id: head.requestId,
      }),
    ],
  };
}
