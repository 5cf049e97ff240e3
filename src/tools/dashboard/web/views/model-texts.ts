// The questions to models and their answers, read from requests of any kind.

import type { JournalEntry } from '../../../journal/journal-entry.js';
import type { OpenedStream } from '../../../streams/control.js';

function parsed(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The model that was asked; of a request that names none, its operation. */
export function modelOf({ requestBody, operation }: JournalEntry): string {
  const model = (parsed(requestBody) as { model?: unknown } | null | undefined)?.model;
  return typeof model === 'string' ? model : (operation ?? '');
}

interface Asked {
  messages?: { content?: unknown }[];
  input?: unknown;
  prompt?: unknown;
  message?: unknown;
}

/** The last thing that was said to it; whatever is no plain text is in the details. */
export function askedOf({ requestBody }: JournalEntry): string {
  const { messages, input, prompt, message } = (parsed(requestBody) ?? {}) as Asked;
  const last = Array.isArray(messages) ? messages.at(-1)?.content : undefined;
  return [last, input, prompt, message].find((text): text is string => typeof text === 'string') ?? '';
}

interface Piece {
  type?: string;
  delta?: unknown;
  choices?: { delta?: { content?: unknown }; message?: { content?: unknown } }[];
  error?: { message?: unknown };
  output?: { content?: { text?: unknown }[] }[];
}

// The text of one answer, or of one piece of a stream.
function textOf(piece: Piece | undefined | null): string {
  const [choice] = piece?.choices ?? [];
  const found = [
    choice?.delta?.content,
    choice?.message?.content,
    piece?.type === 'response.output_text.delta' ? piece.delta : undefined,
    piece?.type === undefined ? piece?.output?.[0]?.content?.[0]?.text : undefined,
    piece?.error?.message,
  ].find((text) => typeof text === 'string');
  return typeof found === 'string' ? found : '';
}

/** The data of a stream's events, each a text. */
export const eventsOf = (body: string): string[] =>
  body.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []));

/** The answer of a model; of a stream that is still open, the part that has come. */
export function answerOf({ responseBody, outcome }: JournalEntry, stream: OpenedStream | undefined): string {
  if (stream !== undefined) return stream.text;
  if (responseBody === null) return outcome === 'streaming' ? 'A stream, of which nothing was kept' : '';
  const events = eventsOf(responseBody);
  const pieces = events.length > 0 ? events : [responseBody];
  const text = pieces.map((one) => textOf(parsed(one) as Piece)).join('');
  return text === '' ? responseBody.slice(0, 200) : text;
}
