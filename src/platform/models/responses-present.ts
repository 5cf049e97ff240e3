// Answers in the form of the responses API: whole, and as the events of a stream.

import type { SseEvent } from '../../http/response.js';
import type { Chunking, Part, Piece } from './chunking.js';
import { errorEvent } from './errors.js';
import type { Frames } from './generate.js';
import type { Tokens } from './models.js';
import type { ResponseBody } from './responses-schema.js';

/** The fields of a response that are known before its model answers. */
export interface ResponseHead {
  id: string;
  /** Unix seconds. */
  createdAt: number;
  body: ResponseBody;
  /** The id of the n-th item of the output. */
  itemId: (part: Part, index: number) => string;
}

type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** A response that has ended. */
export function wholeResponse(head: ResponseHead, chunking: Chunking, tokens: Tokens): Record<string, unknown> {
  const reason = incompleteReason(chunking);
  return {
    ...frame(head),
    status: reason === null ? 'completed' : 'incomplete',
    incomplete_details: reason === null ? null : { reason },
    output: outputOf(head, chunking),
    usage: usageOf(tokens),
  };
}

/** All items of the output, ended. */
export function outputOf(head: ResponseHead, chunking: Chunking): Record<string, unknown>[] {
  const last = incompleteReason(chunking) === null ? 'completed' : 'incomplete';
  const { parts } = chunking;
  return parts.map((part, index) => itemOf(head, part, index, index === parts.length - 1 ? last : 'completed'));
}

/** An item with its content, or still without it. */
function itemOf(head: ResponseHead, part: Part, index: number, status: ItemStatus): Record<string, unknown> {
  const id = head.itemId(part, index);
  const isBegun = status === 'in_progress';
  const text = isBegun ? '' : part.pieces.join('');
  if (part.kind === 'call')
    return { type: 'function_call', id, call_id: part.id, name: part.name, arguments: text, status };
  return { type: 'message', id, role: 'assistant', status, content: isBegun ? [] : [contentOf(part, text)] };
}

/** The content of a message. */
function contentOf({ kind }: Part, text: string): Record<string, unknown> {
  if (kind === 'refusal') return { type: 'refusal', refusal: text };
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

/** Why a response is not complete, or null. */
function incompleteReason({ finish }: Chunking): string | null {
  if (finish === 'length') return 'max_output_tokens';
  return finish === 'content_filter' ? 'content_filter' : null;
}

function frame({ id, createdAt, body }: ResponseHead): Record<string, unknown> {
  return {
    id,
    object: 'response',
    created_at: createdAt,
    background: false,
    error: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: null,
    metadata: body.metadata ?? {},
    model: body.model,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: null, summary: null },
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: body.text?.format ?? { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: 'disabled',
    user: body.user ?? null,
  };
}

function usageOf({ input, output }: Tokens): Record<string, unknown> {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

/** The events of a response; they are numbered in the order in which they are made. */
export function responseFrames(head: ResponseHead, chunking: Chunking, tokens: Tokens): Frames {
  let sequence = 0;
  const isWhole = incompleteReason(chunking) === null;
  const ids = chunking.parts.map((part, index) => head.itemId(part, index));

  function event(type: string, fields: Record<string, unknown>): SseEvent {
    return { event: type, data: JSON.stringify({ type, sequence_number: sequence++, ...fields }) };
  }

  function placeOf({ part, partIndex }: Piece): Record<string, unknown> {
    const place = { item_id: ids[partIndex], output_index: partIndex };
    return part.kind === 'call' ? place : { ...place, content_index: 0 };
  }

  function begin(piece: Piece): SseEvent[] {
    const { part, partIndex } = piece;
    const item = itemOf(head, part, partIndex, 'in_progress');
    const events = [event('response.output_item.added', { output_index: partIndex, item })];
    if (part.kind !== 'call')
      events.push(event('response.content_part.added', { ...placeOf(piece), part: contentOf(part, '') }));
    return events;
  }

  function go(piece: Piece): SseEvent {
    const fields = { ...placeOf(piece), delta: piece.text };
    if (piece.part.kind === 'call') return event('response.function_call_arguments.delta', fields);
    if (piece.part.kind === 'refusal') return event('response.refusal.delta', fields);
    return event('response.output_text.delta', { ...fields, logprobs: [] });
  }

  function end(piece: Piece): SseEvent[] {
    const { part, partIndex } = piece;
    const text = part.pieces.join('');
    const place = placeOf(piece);
    const events: SseEvent[] = [];
    if (part.kind === 'call')
      events.push(event('response.function_call_arguments.done', { ...place, name: part.name, arguments: text }));
    else if (part.kind === 'refusal') events.push(event('response.refusal.done', { ...place, refusal: text }));
    else events.push(event('response.output_text.done', { ...place, text, logprobs: [] }));
    if (part.kind !== 'call')
      events.push(event('response.content_part.done', { ...place, part: contentOf(part, text) }));
    const isCut = !isWhole && partIndex === chunking.parts.length - 1;
    const item = itemOf(head, part, partIndex, isCut ? 'incomplete' : 'completed');
    events.push(event('response.output_item.done', { output_index: partIndex, item }));
    return events;
  }

  return {
    opening() {
      const response = {
        ...frame(head),
        status: 'in_progress',
        incomplete_details: null,
        output: [],
        usage: null,
      };
      return [event('response.created', { response }), event('response.in_progress', { response })];
    },
    piece: (piece) => [...(piece.isFirst ? begin(piece) : []), go(piece), ...(piece.isLast ? end(piece) : [])],
    ending: () => [
      event(isWhole ? 'response.completed' : 'response.incomplete', {
        response: wholeResponse(head, chunking, tokens),
      }),
    ],
    failing(error) {
      const { message, code, param, type } = errorEvent(error);
      return [event('error', { code, message, param, error: { type, code, message, param } })];
    },
  };
}
