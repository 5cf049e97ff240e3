// Chunked replies as chat completions: the whole object, and the chunks of a stream.

import type { SseEvent } from '../../http/response.js';
import type { Chunking, Part, Piece } from './chunking.js';
import { errorEvent } from './errors.js';
import type { Form, Frames } from './generate.js';
import type { Tokens } from './models.js';

/** The fields that every object of a response has. */
interface ChatHead {
  id: string;
  /** Unix seconds. */
  created: number;
  /** The name of the model, as the client wrote it. */
  model: string;
  fingerprint: string;
}

export interface ChatOptions extends ChatHead {
  /** The number of choices. */
  count: number;
  /** Whether a stream ends with the usage. */
  includeUsage: boolean;
}

/** Chat completions in the form of their wire. */
export function chatForm(options: ChatOptions): Form {
  return {
    whole: (chunking, tokens) => completion(options, chunking, tokens),
    frames: (chunking, tokens) => chunks(options, chunking, tokens),
    // The next request sends the whole conversation again.
  };
}

function completion(options: ChatOptions, { parts, finish }: Chunking, tokens: Tokens): Record<string, unknown> {
  const calls = parts.filter((part) => part.kind === 'call');
  const text = joined(parts, 'text');
  const message = {
    role: 'assistant',
    content: text ?? (calls.length > 0 || joined(parts, 'refusal') !== null ? null : ''),
    refusal: joined(parts, 'refusal'),
    annotations: [],
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, pieces }) => ({
        id,
        type: 'function',
        function: { name, arguments: pieces.join('') },
      })),
    }),
  };
  return {
    ...head(options, 'chat.completion'),
    choices: Array.from({ length: options.count }, (_, index) => ({
      index,
      message,
      logprobs: null,
      finish_reason: finish,
    })),
    usage: usageOf(tokens),
  };
}

function chunks(options: ChatOptions, { parts, finish }: Chunking, tokens: Tokens): Frames {
  const { count, includeUsage } = options;
  const shared = head(options, 'chat.completion.chunk');
  const chunk = (choices: unknown[], usage: unknown = null): SseEvent => ({
    data: JSON.stringify({ ...shared, choices, ...(includeUsage && { usage }) }),
  });
  const toAll = (delta: object, finishReason: string | null = null): SseEvent[] =>
    Array.from({ length: count }, (_, index) => chunk([{ index, delta, logprobs: null, finish_reason: finishReason }]));
  const firstCall = parts.findIndex((part) => part.kind === 'call');
  const done: SseEvent = { data: '[DONE]' };
  let isBegun = false;

  // The role is sent with the first piece, as servers do that have nothing to send before it.
  function begin(first: Part | undefined): SseEvent[] {
    if (isBegun) return [];
    isBegun = true;
    return toAll({ role: 'assistant', content: first?.kind === 'call' ? null : '', refusal: null });
  }

  return {
    opening: () => [],
    piece: (piece) => [...begin(piece.part), ...deltasOf(piece, firstCall).flatMap((delta) => toAll(delta))],
    ending: () => [
      ...begin(undefined),
      ...toAll({}, finish),
      ...(includeUsage ? [chunk([], usageOf(tokens))] : []),
      done,
    ],
    failing: (error) => [{ data: JSON.stringify({ error: errorEvent(error) }) }],
  };
}

function deltasOf({ part, partIndex, text, isFirst }: Piece, firstCall: number): object[] {
  if (part.kind !== 'call') return [part.kind === 'text' ? { content: text } : { refusal: text }];
  const index = partIndex - firstCall;
  const more = { tool_calls: [{ index, function: { arguments: text } }] };
  if (!isFirst) return [more];
  const { id, name } = part;
  return [{ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }, more];
}

function joined(parts: readonly Part[], kind: 'text' | 'refusal'): string | null {
  const found = parts.filter((part) => part.kind === kind);
  return found.length === 0 ? null : found.flatMap(({ pieces }) => pieces).join('');
}

function head({ id, created, model, fingerprint }: ChatHead, object: string): Record<string, unknown> {
  return { id, object, created, model, service_tier: 'default', system_fingerprint: fingerprint };
}

function usageOf({ input, output }: Tokens): Record<string, unknown> {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
