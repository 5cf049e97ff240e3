// Chunked replies as the named events of a streamed response.

import type { SseEvent } from '../../http/response.js';
import type { Chunking, Piece } from './chunking.js';
import { errorEvent } from './errors.js';
import type { Frames } from './generate.js';
import type { Tokens } from './models.js';
import {
  begunResponse,
  contentOf,
  incompleteReason,
  itemOf,
  type ResponseHead,
  wholeResponse,
} from './responses-present.js';

/** The events of a response; they are numbered in the order in which they are made. */
export function responseFrames(head: ResponseHead, chunking: Chunking, tokens: Tokens): Frames {
  let sequence = 0;
  const isWhole = incompleteReason(chunking) === null;

  function event(type: string, fields: Record<string, unknown>): SseEvent {
    return { event: type, data: JSON.stringify({ type, sequence_number: sequence++, ...fields }) };
  }

  function placeOf({ part, partIndex }: Piece): Record<string, unknown> {
    const place = { item_id: head.itemId(part, partIndex), output_index: partIndex };
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
      const response = begunResponse(head);
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
