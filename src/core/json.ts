// Parses untrusted JSON: rejects `__proto__` and lone surrogates, reports repeated keys.

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
function faultText(text: string, at: number, quote: boolean): string {
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
type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'next';

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
function tokenEnd(text: string, at: number, first: string): number {
  if ('{}[]:,'.includes(first)) return at + 1;
  if (' \t\r\n'.includes(first)) {
    space.lastIndex = at;
    return space.test(text) ? space.lastIndex : at;
  }
  if (first === '"') return endOfString(text, at);
  scalar.lastIndex = at;
  return scalar.test(text) ? scalar.lastIndex : at;
}

// The end of a string: the end of the text if the string is not closed. Written by hand, because an expression
// would run out of stack in a long string.
function endOfString(text: string, start: number): number {
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
function follow(found: string, expected: Expected, open: string[]): Expected | undefined {
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

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Why a text is not read. With `excess` it says how the text is larger than allowed, not that it is not JSON. */
export interface JsonProblem {
  problem: string;
  excess?: true;
}

export type JsonReading = { value: Json; repeated: RepeatedKeys } | JsonProblem;

/** The bounds of a text: names and entries are counted before the text is parsed, as each costs work wherever it is read. */
export interface JsonLimits {
  /** Names, objects and lists. */
  names: number;
  /** Commas: entries of lists and fields of objects. */
  entries: number;
}

/** Keys that stood twice in an object: the first few, and how often that was the case. */
export interface RepeatedKeys {
  first: string[];
  count: number;
}

/**
 * The bounds of JSON from clients: a conversation of two thousand messages has some 20,000 names. Nobody else is answered
 * while it is parsed and checked, which takes up to 3 µs a name.
 */
export const clientLimits: JsonLimits = { names: 50_000, entries: 200_000 };

/** Deeper than any real document, far below where recursion over the value would overflow the stack. */
export const mostLevels = 200;
const unlimited: JsonLimits = { names: Infinity, entries: Infinity };

/**
 * Parses a JSON text.
 *
 * @param limits what it may hold; without them, as much as it likes
 * @example readJson('{"a":1,"a":2}') // { value: { a: 2 }, repeated: { first: ['a'], count: 1 } }
 */
export function readJson(text: string, limits: JsonLimits = unlimited): JsonReading {
  // Before the parser, which takes seconds for megabytes of brackets.
  const scan = scanText(text, limits);
  if (scan.depth > mostLevels) return { problem: `nested deeper than ${mostLevels} levels` };
  if (scan.names > limits.names) return excessOf(limits.names, 'names, objects and lists');
  if (scan.entries > limits.entries) return excessOf(limits.entries, 'commas');
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    // Node's own messages quote the body, which may hold secrets, and often tell no place.
    return { problem: text.trim() === '' ? 'the body is empty' : jsonFault(text, false) };
  }
  if (scan.proto) return { problem: 'the key "__proto__" is not allowed' };
  // Stores and encoders turn halves of characters into others: what came back would not be what was sent. A text that was
  // decoded from bytes can hold them only as escapes.
  if (/\\u[dD][89a-fA-F]/.test(text) && holdsHalves(value)) {
    const problem = 'a string holds half of a surrogate pair (\\ud800 to \\udfff alone), which is not a character';
    return { problem };
  }
  return { value, repeated: scan.repeated };
}

/** The value of a JSON text; undefined where it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * A JSON text with the keys of its objects in order, so that equal documents have equal texts; another text as it is.
 *
 * @example inOneOrder('{"b": 1, "a": 2}') // '{"a":2,"b":1}'
 */
export function inOneOrder(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (_, value: Json) =>
      value === null || typeof value !== 'object' || Array.isArray(value)
        ? value
        : Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))),
    );
  } catch {
    return text;
  }
}

function holdsHalves(value: Json): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some(holdsHalves);
  return Object.entries(value).some(([key, inside]) => !key.isWellFormed() || holdsHalves(inside));
}

/** A text that holds too much of something. */
function excessOf(most: number, what: string): JsonProblem {
  const problem = `holds more than ${most.toLocaleString('en-US')} ${what}, the most that is read: send it in parts`;
  return { problem, excess: true };
}

interface Scan extends JsonLimits {
  repeated: RepeatedKeys;
  proto: boolean;
  depth: number;
}

const mostRepeated = 5;

// Counts what a text holds, until it is too much, and collects its keys; the text need not be valid. It costs 1 ms for
// 556 KB; jsonc-parser's visitor takes 16 ms, and its stack overflows with nested brackets.
function scanText(text: string, limits: JsonLimits): Scan {
  const scan: Scan = { repeated: { first: [], count: 0 }, proto: false, depth: 0, names: 0, entries: 0 };
  // The keys of each container around, or null for a list. Most objects in a flood of them are empty.
  const open: (Set<string> | undefined | null)[] = [];
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === 0x22) {
      const end = stringEnd(text, i);
      const keys = open.at(-1);
      if (open.length > 0 && keys !== null && nextIsColon(text, end + 1)) {
        const key = keyIn(text.slice(i, end + 1));
        if (key === '__proto__') scan.proto = true;
        if (keys === undefined) open[open.length - 1] = new Set([key]);
        else if (keys.has(key)) {
          const { repeated } = scan;
          repeated.count++;
          if (repeated.first.length < mostRepeated && !repeated.first.includes(key)) repeated.first.push(key);
        } else keys.add(key);
      }
      i = end;
    } else if (character === 0x2c) {
      if (++scan.entries > limits.entries) break;
    } else if (character === 0x3a) {
      if (++scan.names > limits.names) break;
    } else if (character === 0x7b || character === 0x5b) {
      open.push(character === 0x7b ? undefined : null);
      if (open.length > scan.depth) scan.depth = open.length;
      if (scan.depth > mostLevels || ++scan.names > limits.names) break;
    } else if (character === 0x7d || character === 0x5d) open.pop();
  }
  return scan;
}

function keyIn(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    // The text is not valid, which its parser will say.
    return quoted;
  }
}

function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

function nextIsColon(text: string, from: number): boolean {
  for (let i = from; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === 0x3a) return true;
    if (character > 0x20) return false;
  }
  return false;
}
