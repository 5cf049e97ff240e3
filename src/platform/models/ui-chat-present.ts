// Answers as the message stream of the AI SDK's UI.

import type { SseEvent } from '../../http/response.js';
import type { CallPart, Chunking, Piece } from './chunking.js';
import type { Form, Frames } from './generate.js';

/**
 * Answers as the parts of a UI message.
 *
 * @param messageId the id of the message
 */
export function uiChatForm(messageId: string): Form {
  return {
    whole: () => {
      throw new Error('a UI message is always streamed');
    },
    frames: (chunking) => frames(chunking, messageId),
    // The next request sends the whole conversation again.
    keep() {},
  };
}

function part(type: string, fields: Record<string, unknown> = {}): SseEvent {
  return { data: JSON.stringify({ type, ...fields }) };
}

function frames({ finish }: Chunking, messageId: string): Frames {
  const done: SseEvent = { data: '[DONE]' };
  return {
    opening: () => [part('start', { messageId }), part('start-step')],
    piece: (piece) => (piece.part.kind === 'call' ? ofCall(piece, piece.part) : ofText(piece)),
    ending: () => [part('finish-step'), part('finish', { finishReason: finish.replace('_', '-') }), done],
    failing: ({ message }) => [part('error', { errorText: message }), done],
  };
}

function ofText({ partIndex, text, isFirst, isLast }: Piece): SseEvent[] {
  const id = { id: `text-${partIndex}` };
  return [
    ...(isFirst ? [part('text-start', id)] : []),
    part('text-delta', { ...id, delta: text }),
    ...(isLast ? [part('text-end', id)] : []),
  ];
}

function ofCall({ text, isFirst, isLast }: Piece, { id, name, pieces }: CallPart): SseEvent[] {
  const call = { toolCallId: id };
  return [
    ...(isFirst ? [part('tool-input-start', { ...call, toolName: name })] : []),
    part('tool-input-delta', { ...call, inputTextDelta: text }),
    ...(isLast ? [inputOf({ ...call, toolName: name }, pieces.join(''))] : []),
  ];
}

function inputOf(call: object, text: string): SseEvent {
  try {
    return part('tool-input-available', { ...call, input: JSON.parse(text) });
  } catch {
    return part('tool-input-error', { ...call, input: text, errorText: 'The arguments are no JSON' });
  }
}
