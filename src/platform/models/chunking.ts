// Chunking: splits a reply into the pieces that a stream sends, and counts the tokens to charge. Pure.

import type { Reply } from '../../config/replies.js';
import { createBudget } from '../../core/budget.js';
import { indexOfText } from '../../core/find-text.js';
import type { Conversation } from './conversation.js';
import { countTokens, splitTokens, tokenEnd } from './tokens.js';

// The content of a reply as texts, and the bound on how much of it one request may ask for.

/** The content of a reply. */
export interface Said {
  /** Undefined when it has no text; an empty text is one. */
  text: { kind: 'text' | 'refusal'; chunks: readonly string[]; isChunked: boolean } | undefined;
  calls: { name: string; id: string | undefined; text: string }[];
  finishReason: Reply['finishReason'];
}

/** The content of a reply to a conversation. */
export function saidBy(reply: Reply, { toolChoice }: Pick<Conversation, 'toolChoice'>): Said {
  const { text, value, chunks, refusal, toolCalls, finishReason } = reply;
  const whole = refusal ?? text ?? (value === undefined ? undefined : JSON.stringify(value));
  const all = whole === undefined ? chunks : [whole];
  const kind = refusal === undefined ? 'text' : 'refusal';
  return {
    text: all && { kind, chunks: all, isChunked: whole === undefined },
    calls: (toolCalls ?? []).map(({ name, id, arguments: given }) => ({
      name,
      id,
      text: typeof given === 'string' ? given : JSON.stringify(given),
    })),
    // A call that the request demands by its name is no decision of the model to call a tool, so the reason is `stop`, as at
    // OpenAI.
    finishReason: finishReason ?? (typeof toolChoice === 'object' ? 'stop' : undefined),
  };
}

/** The most that all answers to one request may have together. */
const mostCharacters = 1_000_000;
const mostTokens = 500_000;

/**
 * Refuses what would be too long together: each answer is made, and sent, as often as it is requested.
 *
 * @param maxTokens where an answer ends at the latest
 * @throws ApiError VALIDATION_ERROR
 */
export function checkSize({ text, calls }: Said, { count, maxTokens }: { count: number; maxTokens: number }): void {
  const path = count > 1 ? 'n' : '(whole)';
  const characters = createBudget({ most: mostCharacters, of: 'characters of answers', path });
  const tokens = createBudget({ most: mostTokens, of: 'tokens of answers', path });
  const texts = [...(text?.chunks ?? []), ...calls.map((call) => call.text)];
  for (const one of texts) characters.spend(one.length * count);
  let left = maxTokens;
  for (const one of texts) {
    const found = countTokens(one, left);
    tokens.spend(found * count);
    left -= found;
  }
}

type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** A text or a refusal; its pieces joined are the whole. */
interface TextPart {
  kind: 'text' | 'refusal';
  pieces: string[];
}

/** The call of a tool; its pieces are those of its arguments. */
export interface CallPart {
  kind: 'call';
  id: string;
  name: string;
  pieces: string[];
}

export type Part = TextPart | CallPart;

/** One step of a chunking: the content of a chunk of a stream. */
export interface Piece {
  text: string;
  /** The part that it belongs to. */
  part: Part;
  partIndex: number;
  isFirst: boolean;
  isLast: boolean;
}

export interface Chunking {
  parts: Part[];
  /** How many pieces all parts have. */
  count: number;
  /** Some of the pieces of all parts. */
  pieces: (from: number, to: number) => Piece[];
  finish: FinishReason;
  /** The stop text before which the text ends, if one ends it. */
  stoppedBy: string | undefined;
  /** Tokens of the first so many pieces. */
  tokensAfter: (pieces: number) => number;
}

/** The limits of a chunking. */
export interface Bounds {
  stop: readonly string[];
  maxTokens: number;
  /** Tokens in a piece; Infinity leaves a text whole. */
  chunkSize: number;
  /** The id of the n-th call of a tool. */
  callId: (index: number) => string;
}

const perCall = 3;

/** Splits what a reply says into pieces; it ends before a stop text, and after so many tokens. */
export function produce(said: Said, bounds: Bounds): Chunking {
  const parts: Part[] = [];
  /** The tokens of all pieces up to each. */
  const sums = [0];
  let left = bounds.maxTokens;
  let isCut = false;

  function add(part: Part, texts: Iterable<string>, head: number): void {
    isCut ||= left < head;
    if (isCut) return;
    parts.push(part);
    for (const text of texts) {
      const overhead = part.pieces.length === 0 ? head : 0;
      const room = left - overhead;
      const tokens = countTokens(text, room + 1);
      isCut = tokens > room;
      const kept = Math.min(tokens, room);
      // The first piece announces a call, so it is sent even when it is empty.
      if (isCut && kept === 0 && part.pieces.length > 0) return;
      left -= overhead + kept;
      sums.push((sums.at(-1) ?? 0) + kept + overhead);
      part.pieces.push(isCut ? splitTokens(text, kept).join('') : text);
      if (isCut) return;
    }
  }

  const end = said.text === undefined ? undefined : endOf(said.text.chunks.join(''), bounds.stop);
  if (said.text !== undefined && end !== undefined)
    add({ kind: said.text.kind, pieces: [] }, textsOf(said.text, end.at, bounds), 0);
  for (const [index, { name, id, text }] of said.calls.entries()) {
    const call: CallPart = { kind: 'call', id: id ?? bounds.callId(index), name, pieces: [] };
    add(call, chunked(text, bounds), countTokens(name) + perCall);
  }
  const count = sums.length - 1;
  return {
    parts,
    count,
    pieces: (from, to) => piecesOf(parts, from, Math.min(to, count)),
    finish: isCut ? 'length' : (said.finishReason ?? (said.calls.length === 0 ? 'stop' : 'tool_calls')),
    stoppedBy: isCut ? undefined : end?.stop,
    tokensAfter: (pieces) => sums[Math.min(pieces, count)] ?? 0,
  };
}

function textsOf({ chunks, isChunked }: NonNullable<Said['text']>, end: number, bounds: Bounds): Iterable<string> {
  if (!isChunked) return chunked(chunks.join('').slice(0, end), bounds);
  let from = 0;
  return chunks.flatMap((chunk) => {
    const kept = chunk.slice(0, Math.max(0, end - from));
    from += chunk.length;
    return kept === chunk || kept !== '' ? [kept] : [];
  });
}

/** Where a text ends, and the stop text that ends it there. */
function endOf(text: string, stops: readonly string[]): { at: number; stop: string | undefined } {
  let end: { at: number; stop: string | undefined } = { at: text.length, stop: undefined };
  for (const stop of stops) {
    const at = indexOfText(text, stop);
    if (at !== -1 && at < end.at) end = { at, stop };
  }
  return end;
}

// One by one, as what lies behind the last token that fits is not needed.
function* chunked(text: string, { chunkSize }: Bounds): Generator<string> {
  if (text === '' || chunkSize === Infinity) return yield text;
  for (let from = 0; from < text.length; ) {
    let to = from;
    for (let tokens = 0; tokens < chunkSize && to < text.length; tokens++) to = tokenEnd(text, to);
    yield text.slice(from, to);
    from = to;
  }
}

function piecesOf(parts: readonly Part[], from: number, to: number): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  for (const [partIndex, part] of parts.entries()) {
    const { length } = part.pieces;
    for (let index = Math.max(0, from - start); index < Math.min(length, to - start); index++)
      pieces.push({
        text: part.pieces[index] ?? '',
        part,
        partIndex,
        isFirst: index === 0,
        isLast: index === length - 1,
      });
    start += length;
  }
  return pieces;
}
