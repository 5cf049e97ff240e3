// Tokens, by an estimate of our own: about four characters of English each, the same for equal texts.

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
