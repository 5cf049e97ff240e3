// Masks the values of secret fields in a JSON text, in one pass, also where the text is cut, damaged, or only looks
// like JSON.

import { mask, type Secrecy } from './secrets.js';

/** How secret a field is, by its name and its depth (1: the outermost object). */
export type SecrecyOf = (name: string, depth: number) => Secrecy;

/**
 * The text with secret values masked; layout stays, so that what was not secret is as it was sent.
 *
 * @example redactJson('{"password": "x", "a": 1}', secrecyOf) // '{"password": "********", "a": 1}'
 */
export function redactJson(text: string, secrecyOf: SecrecyOf): string {
  return redactInside(text, secrecyOf, 0);
}

// JSON inside of strings of JSON is looked at too, but not without end.
const maxNesting = 4;

/** A list or record around a place. */
interface Frame {
  /** How secret its content is. */
  inside: Secrecy;
  /** For `{name, value}`: whether the name was read, and the position of a value that came before it. */
  isNamed: boolean;
  value?: Span;
}

/** A piece of the text, and what is put in its place. */
interface Span {
  start: number;
  end: number;
  put: string;
}

// Called for each body that is kept: what is not secret is copied in long pieces.
function redactInside(text: string, secrecyOf: SecrecyOf, nesting: number): string {
  const spans: Span[] = [];
  const around: Frame[] = [{ inside: 'none', isNamed: false }];
  let frame = around[0] as Frame;
  // Of the value that comes next, by the name before it.
  let next: Secrecy = 'none';
  let name = '';
  // A name or value may begin here; elsewhere a single quote is an apostrophe.
  let fresh = true;

  for (let i = 0; i < text.length; ) {
    const code = text.charCodeAt(i);
    if (isSpace(code)) {
      i++;
      continue;
    }
    if (code === colon || isStructure(code)) {
      if (code === openBrace || code === openBracket) {
        frame = { inside: inherited(code, frame.inside, next), isNamed: false };
        around.push(frame);
      } else if ((code === closeBrace || code === closeBracket) && around.length > 1) {
        around.pop();
        frame = around.at(-1) as Frame;
      }
      if (code !== colon) [next, name] = ['none', ''];
      fresh = true;
      i++;
      continue;
    }
    const quoted = code === quote || (code === apostrophe && fresh);
    const end = quoted ? stringEnd(text, i) : wordEnd(text, i, next !== 'none' || frame.inside === 'all');
    const isName = text.charCodeAt(spaceEnd(text, end)) === colon;
    fresh = false;
    if (isName && next === 'none') {
      name = nameOf(text, i, end, quoted);
      next = secrecyOf(name, around.length - 1);
      if (isPairName(name)) {
        frame.isNamed = true;
        if (frame.value !== undefined) spans.push(frame.value);
        delete frame.value;
      } else if (frame.isNamed && isPairValue(name)) next = 'all';
    } else {
      const secrecy = strongest(frame.inside, next);
      const put = replacement(text.slice(i, end), secrecy, code === quote && mayHoldJson(text, i), secrecyOf, nesting);
      if (put !== undefined) spans.push({ start: i, end, put });
      else if (isPairValue(name) && isSecretValue(text.slice(i, end), 'all'))
        frame.value = { start: i, end, put: `"${mask}"` };
      // In damaged text a colon after a value makes no name of it.
      if (!isName) [next, name] = ['none', ''];
    }
    i = end;
  }
  return replaced(text, spans);
}

// Settings are often a list of `{name, value}` or `{key, value}`; which of them are secret, their names seldom tell.
export function isPairName(name: string): boolean {
  return name === 'name' || name === 'key' || name === 'Name' || name === 'Key';
}

export function isPairValue(name: string): boolean {
  return name === 'value' || name === 'Value';
}

function replacement(
  piece: string,
  secrecy: Secrecy,
  mayBeJson: boolean,
  secrecyOf: SecrecyOf,
  nesting: number,
): string | undefined {
  if (secrecy !== 'none' && isSecretValue(piece, secrecy)) return `"${mask}"`;
  const put = mayBeJson ? redactString(piece, secrecyOf, nesting) : piece;
  return put === piece ? undefined : put;
}

function replaced(text: string, spans: Span[]): string {
  if (spans.length === 0) return text;
  let out = '';
  let copied = 0;
  for (const { start, end, put } of spans.sort((a, b) => a.start - b.start)) {
    out += text.slice(copied, start) + put;
    copied = end;
  }
  return out + text.slice(copied);
}

const [quote, apostrophe, backslash, colon, comma] = [0x22, 0x27, 0x5c, 0x3a, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

function isStructure(code: number): boolean {
  return code === comma || code === openBrace || code === closeBrace || code === openBracket || code === closeBracket;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function spaceEnd(text: string, from: number): number {
  let end = from;
  while (isSpace(text.charCodeAt(end))) end++;
  return end;
}

// After the closing quote: JSON knows only the double one, but damaged or hand-written bodies use both.
function stringEnd(text: string, start: number): number {
  const closing = text.charAt(start);
  for (let end = text.indexOf(closing, start + 1); end !== -1; end = text.indexOf(closing, end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

// A secret without quotes may have spaces and quotes in it.
function wordEnd(text: string, start: number, secret: boolean): number {
  for (let end = start + 1; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === comma || code === closeBrace || code === closeBracket || code === 0x0a) return end;
    if (!secret && (isSpace(code) || code === colon || code === quote || isStructure(code))) return end;
  }
  return text.length;
}

function nameOf(text: string, start: number, end: number, quoted: boolean): string {
  const name = quoted ? text.slice(start + 1, end - 1) : text.slice(start, end);
  if (!name.includes('\\')) return name;
  try {
    return JSON.parse(`"${name}"`) as string;
  } catch {
    return name;
  }
}

function isSecretValue(value: string, secrecy: Secrecy): boolean {
  if (/^(?:null|true|false)\s*$/.test(value)) return false;
  return secrecy === 'all' || !/^[-+\d.eE\s]+$/.test(value);
}

// A bracket, or white space before one.
function mayHoldJson(text: string, start: number): boolean {
  const code = text.charCodeAt(start + 1);
  return code === openBrace || code === openBracket || code === backslash || isSpace(code);
}

function redactString(piece: string, secrecyOf: SecrecyOf, nesting: number): string {
  if (nesting >= maxNesting) return piece;
  try {
    const value = JSON.parse(piece) as string;
    const redacted = redactInside(value, secrecyOf, nesting + 1);
    return redacted === value ? piece : JSON.stringify(redacted);
  } catch {
    return piece;
  }
}

function inherited(code: number, inside: Secrecy, next: Secrecy): Secrecy {
  const both = strongest(inside, next);
  return both === 'text' && code === openBrace ? 'none' : both;
}

function strongest(a: Secrecy, b: Secrecy): Secrecy {
  if (a === 'all' || b === 'all') return 'all';
  return a === 'text' || b === 'text' ? 'text' : 'none';
}
