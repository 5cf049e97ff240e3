// Chunking: splits a reply into the pieces that a stream sends, and counts the tokens to charge. Pure.

import type { Reply } from '../../config/replies.js';
import { countTokens, splitTokens } from './tokens.js';

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
  /** The pieces of all parts. */
  pieces: Piece[];
  finish: FinishReason;
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

/** Splits a reply into pieces; it ends before a stop text, and after so many tokens. */
export function produce(reply: Reply, bounds: Bounds): Chunking {
  const parts: Part[] = [];
  const costs: number[] = [];
  let left = bounds.maxTokens;
  let isCut = false;

  function add(part: Part, texts: readonly string[], head: number): void {
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
      costs.push(kept + overhead);
      part.pieces.push(isCut ? splitTokens(text, kept).join('') : text);
      if (isCut) return;
    }
  }

  const said = saidBy(reply, bounds);
  if (said !== undefined) add({ kind: reply.refusal === undefined ? 'text' : 'refusal', pieces: [] }, said, 0);
  for (const [index, { name, id, arguments: given }] of (reply.toolCalls ?? []).entries()) {
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    const call: CallPart = { kind: 'call', id: id ?? bounds.callId(index), name, pieces: [] };
    add(call, chunked(text, bounds, left), countTokens(name) + perCall);
  }
  return { parts, pieces: piecesOf(parts), finish: finishOf(reply, isCut), tokensAfter: sumOf(costs) };
}

// Undefined when the reply has no text; an empty text is one.
function saidBy(reply: Reply, bounds: Bounds): string[] | undefined {
  const { text, value, chunks, refusal } = reply;
  const whole = refusal ?? text ?? (value === undefined ? chunks?.join('') : JSON.stringify(value));
  if (whole === undefined) return undefined;
  const end = endOf(whole, bounds.stop);
  if (chunks === undefined) return chunked(whole.slice(0, end), bounds, bounds.maxTokens);
  let from = 0;
  return chunks.flatMap((chunk) => {
    const kept = chunk.slice(0, Math.max(0, end - from));
    from += chunk.length;
    return kept === chunk || kept !== '' ? [kept] : [];
  });
}

function endOf(text: string, stops: readonly string[]): number {
  const found = stops.map((stop) => text.indexOf(stop)).filter((at) => at !== -1);
  return Math.min(text.length, ...found);
}

// One token more than fits is enough to see that the text does not fit.
function chunked(text: string, { chunkSize }: Bounds, room: number): string[] {
  if (chunkSize === Infinity) return [text];
  const tokens = splitTokens(text, room + 1);
  const chunks: string[] = text === '' ? [''] : [];
  for (let at = 0; at < tokens.length; at += chunkSize) chunks.push(tokens.slice(at, at + chunkSize).join(''));
  return chunks;
}

function piecesOf(parts: readonly Part[]): Piece[] {
  return parts.flatMap((part, partIndex) =>
    part.pieces.map((text, index) => ({
      text,
      part,
      partIndex,
      isFirst: index === 0,
      isLast: index === part.pieces.length - 1,
    })),
  );
}

function finishOf({ finishReason, toolCalls }: Reply, isCut: boolean): FinishReason {
  if (isCut) return 'length';
  return finishReason ?? (toolCalls === undefined ? 'stop' : 'tool_calls');
}

function sumOf(costs: readonly number[]): (count: number) => number {
  const sums = [0];
  for (const cost of costs) sums.push((sums.at(-1) ?? 0) + cost);
  return (count) => sums[Math.min(count, costs.length)] ?? 0;
}
