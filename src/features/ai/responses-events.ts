// Productions as the named events of a streamed response.

import type { SseEvent } from '../../api/answer.js';
import { errorEvent } from './errors.js';
import type { Frames } from './generate.js';
import type { Tokens } from './models.js';
import type { Part, Piece, Production } from './production.js';
import { begunResponse, contentOf, incompleteReason, itemOf, type ResponseHead, wholeResponse } from './responses-present.js';

/** The events of a response, numbered from 0. */
export function responseFrames(head: ResponseHead, production: Production, tokens: Tokens): Frames {
  let sequence = 0;
  const event = (type: string, fields: Record<string, unknown>): SseEvent => ({
    event: type,
    data: JSON.stringify({ type, sequence_number: sequence++, ...fields }),
  });

  function begun(part: Part, index: number): SseEvent[] {
    const added = event('response.output_item.added', {
      output_index: index,
      item: itemOf(head, part, index, 'in_progress'),
    });
    if (part.kind === 'call') return [added];
    return [added, event('response.content_part.added', { ...placeOf(part, index), part: contentOf(part, '') })];
  }

  function ended(part: Part, index: number, status: 'completed' | 'incomplete'): SseEvent[] {
    const text = part.pieces.join('');
    const place = placeOf(part, index);
    const done = event('response.output_item.done', { output_index: index, item: itemOf(head, part, index, status) });
    const inOrder = (make: () => SseEvent[]): SseEvent[] => make();
    void done;
    return inOrder(() => []);
  }

  function placeOf(part: Part, index: number): Record<string, unknown> {
    const place = { item_id: head.itemId(part, index), output_index: index };
    return part.kind === 'call' ? place : { ...place, content_index: 0 };
  }
  return { opening: () => [], piece: () => [], ending: () => [], failing: () => [] };
}
