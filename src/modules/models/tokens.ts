// Tokens, by an estimate of our own: about four characters of English each, the same for equal texts.

import type { Sliced } from '../../core/slices.js';

const longestWord = 8;
const longestForeignWord = 3;
const longestNumber = 3;

/** The (first so many) parts of a text that count as one token each; joined they are the text. */
export function splitTokens(text: string, most = Infinity): string[] {
  const tokens: string[] = [];
  for (let from = 0; from < text.length && tokens.length < most; ) {
    const to = tokenEnd(text, from);
    tokens.push(text.slice(from, to));
    from = to;
  }
  return tokens;
}

/** How many tokens a text has, counted up to so many, without taking it apart. */
export function countTokens(text: string, most = Infinity): number {
  let count = 0;
  for (let from = 0; from < text.length && count < most; from = tokenEnd(text, from)) count++;
  return count;
}

// The work of about a millisecond.
const charactersPerSlice = 100_000;
/** A text costs as much as so many characters of it. */
const perText = 100;

/** How many tokens a text has, counted in slices. */
export function* countInSlices(text: string): Sliced<number> {
  let count = 0;
  for (let from = 0, until = charactersPerSlice; from < text.length; from = tokenEnd(text, from)) {
    count++;
    if (from < until) continue;
    until = from + charactersPerSlice;
    yield;
  }
  return count;
}

/** How many tokens each of some texts has, counted in slices however short they are. */
export function* countEach(texts: readonly string[]): Sliced<number[]> {
  const counts: number[] = [];
  for (let index = 0, since = 0; index < texts.length; index++) {
    const text = texts[index] ?? '';
    since += text.length + perText;
    counts.push(text.length > charactersPerSlice ? yield* countInSlices(text) : countTokens(text));
    if (since < charactersPerSlice) continue;
    since = 0;
    yield;
  }
  return counts;
}

/**
 * The end of the token that begins at a place of a text. A space belongs to the word that follows it, as tokenizers have it.
 */
export function tokenEnd(text: string, from: number): number {
  const isSpace = text.charCodeAt(from) === 32 && from + 1 < text.length;
  const start = isSpace ? from + 1 : from;
  const kind = kindAt(text, start);
  if (kind === 'space') return runEnd(text, from, 'space', 1_000);
  if (kind === 'word') return runEnd(text, start, kind, longestWord);
  if (kind === 'foreign') return runEnd(text, start, kind, longestForeignWord);
  if (kind === 'number') return runEnd(text, start, kind, longestNumber);
  return start + (isPair(text, start) ? 2 : 1);
}

function runEnd(text: string, from: number, kind: Kind, most: number): number {
  let to = from;
  while (to < text.length && to - from < most && kindAt(text, to) === kind) to++;
  return to;
}

type Kind = 'space' | 'word' | 'number' | 'foreign' | 'single';

function kindAt(text: string, at: number): Kind {
  const code = text.charCodeAt(at);
  if (code === 32 || (code >= 9 && code <= 13)) return 'space';
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return 'word';
  if (code >= 48 && code <= 57) return 'number';
  // Letters of Europe and its neighbours; other characters (ideographs, symbols) are one token each.
  if (code >= 0xc0 && code <= 0x1fff) return 'foreign';
  return 'single';
}

function isPair(text: string, at: number): boolean {
  const high = text.charCodeAt(at);
  const low = text.charCodeAt(at + 1);
  return high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff;
}
