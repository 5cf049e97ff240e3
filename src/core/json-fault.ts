// Finds the place where a text stops being JSON: Node's own messages often do not say it.

const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const space = /[ \t\r\n]+/y;
const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/**
 * The place of the first fault in a text that is no JSON, in words.
 *
 * @param quote whether the message may repeat the character at that position
 * @example jsonFault('{"a": nope}') // 'unexpected "n" at line 1, column 7'
 * @example jsonFault('{"a": nope}', false) // 'unexpected character at line 1, column 7'
 */
export function jsonFault(text: string, quote = true): string {
  if (text.trim() === '') return 'it is empty; write {} or delete it';
  return faultText(text, faultAt(text), quote);
}

/** The fault at a position of a text, in words. */
export function faultText(text: string, at: number, quote: boolean): string {
  if (at >= text.length) return 'it ends too early: a bracket or a quote is not closed';
  let line = 1;
  let lineEnd = -1;
  for (let i = 0; i < at; i++) {
    if (text.charCodeAt(i) !== 0x0a) continue;
    line++;
    lineEnd = i;
  }
  const place = `line ${line}, column ${at - lineEnd}`;
  if (/^\/[/*]/.test(text.slice(at, at + 2))) return `a comment at ${place}, which JSON does not have`;
  const what = quote ? JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0)) : 'character';
  return `unexpected ${what} at ${place}`;
}

/** The tokens that may come next in a text. */
export type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'next';

/** The position of the first fault in a text that is no JSON; that of its end where it ends too early, or has no fault. */
export function faultAt(text: string): number {
  const open: string[] = [];
  let expected: Expected = 'value';
  let at = 0;
  while (at < text.length) {
    const first = text.charAt(at);
    const end = tokenEnd(text, at, first);
    if (end === at) return at;
    if (!' \t\r\n'.includes(first)) {
      const next = follow(first, expected, open);
      if (next === undefined) return at;
      expected = next;
    }
    at = end;
  }
  return at;
}

/** The end of the token at a place: the place itself when there is none. */
export function tokenEnd(text: string, at: number, first: string): number {
  if ('{}[]:,'.includes(first)) return at + 1;
  if (' \t\r\n'.includes(first)) {
    space.lastIndex = at;
    return space.test(text) ? space.lastIndex : at;
  }
  if (first === '"') return stringEnd(text, at);
  scalar.lastIndex = at;
  return scalar.test(text) ? scalar.lastIndex : at;
}

// The end of a string: the end of the text if the string is not closed. Written by hand, because an expression
// would run out of stack in a long string.
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return start;
    if (code !== 0x5c) continue;
    escaped.lastIndex = at;
    if (!escaped.test(text)) return start;
    at = escaped.lastIndex - 1;
  }
  return text.length;
}

/**
 * The tokens that may follow a token (given by its first character), or undefined when the token is not allowed there.
 *
 * @param open what closes the objects and lists around it; it is kept up to date
 */
export function follow(found: string, expected: Expected, open: string[]): Expected | undefined {
  const inside = open.at(-1);
  if (found === '}' || found === ']') {
    const mayEnd = expected === 'next' || expected === (found === '}' ? 'keyOrEnd' : 'valueOrEnd');
    if (!mayEnd || inside !== found) return undefined;
    open.pop();
    return 'next';
  }
  if (found === ':') return expected === 'colon' ? 'value' : undefined;
  if (found === ',') {
    if (expected !== 'next' || inside === undefined) return undefined;
    return inside === '}' ? 'key' : 'value';
  }
  if (expected === 'key' || expected === 'keyOrEnd') return found === '"' ? 'colon' : undefined;
  if (expected !== 'value' && expected !== 'valueOrEnd') return undefined;
  if (found !== '{' && found !== '[') return 'next';
  open.push(found === '{' ? '}' : ']');
  return found === '{' ? 'keyOrEnd' : 'valueOrEnd';
}
