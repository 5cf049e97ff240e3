// Masks the values of secret fields in a JSON text, in one pass, also where the text is cut, damaged, or only looks
// like JSON.

import { mask, type Secrecy } from './secrets.js';

export interface RedactOptions {
  /** How secret a field is, by its name and by how many containers stand around it (1: the outermost). */
  secrecyOf: (name: string, depth: number) => Secrecy;
  /** Once the output is so long, the rest is left out. */
  maxLength: number;
}

/**
 * The text with secret values masked; layout stays, so that what was not secret is as it was sent.
 *
 * @example redactJson('{"password": "x", "a": 1}', options) // '{"password": "********", "a": 1}'
 */
export function redactJson(text: string, options: RedactOptions): string {
  return redactInside(text, options, 0);
}

// JSON inside of strings of JSON is looked at too, but not without end.
const maxNesting = 4;

function redactInside(text: string, options: RedactOptions, nesting: number): string {
  const { secrecyOf, maxLength } = options;
  let out = '';
  // Of each container around: how secret what stands in it is.
  const around: Secrecy[] = [];
  let inside: Secrecy = 'none';
  // Of the value that comes next, by the name before it.
  let next: Secrecy = 'none';
  // A name or value may begin here; elsewhere a single quote is an apostrophe.
  let fresh = true;

  for (let i = 0; i < text.length && out.length < maxLength; ) {
    const character = text.charAt(i);
    if (isSpace(character) || character === ':') {
      out += character;
      fresh ||= character === ':';
      i++;
      continue;
    }
    if (isStructure(character)) {
      if (character === '{' || character === '[') {
        around.push(inside);
        inside = inherited(character, inside, next);
      } else if (character !== ',') inside = around.pop() ?? 'none';
      next = 'none';
      fresh = true;
      out += character;
      i++;
      continue;
    }
    const quoted = character === '"' || (character === "'" && fresh);
    const end = quoted ? stringEnd(text, i) : wordEnd(text, i, next !== 'none' || inside === 'all');
    const piece = text.slice(i, end);
    const isName = text.charAt(spaceEnd(text, end)) === ':';
    i = end;
    fresh = false;
    if (isName && next === 'none') {
      next = secrecyOf(decoded(piece), around.length);
      out += piece;
      continue;
    }
    if (isHidden(piece, strongest(inside, next))) out += `"${mask}"`;
    else out += quoted ? redactString(piece, options, nesting) : piece;
    // In damaged text a colon after a value makes no name of it.
    if (!isName) next = 'none';
  }
  return out;
}

function redactString(piece: string, options: RedactOptions, nesting: number): string {
  if (nesting >= maxNesting || !/^"\s*(?:\\[nrt])*\s*[{[]/.test(piece)) return piece;
  try {
    return JSON.stringify(redactInside(JSON.parse(piece) as string, options, nesting + 1));
  } catch {
    return piece;
  }
}

function inherited(container: string, inside: Secrecy, next: Secrecy): Secrecy {
  const both = strongest(inside, next);
  return both === 'text' && container === '{' ? 'none' : both;
}

function strongest(a: Secrecy, b: Secrecy): Secrecy {
  if (a === 'all' || b === 'all') return 'all';
  return a === 'text' || b === 'text' ? 'text' : 'none';
}

function isHidden(piece: string, secrecy: Secrecy): boolean {
  if (secrecy === 'none' || /^(?:null|true|false)\s*$/.test(piece)) return false;
  return secrecy === 'all' || !/^[-+\d.eE\s]+$/.test(piece);
}

function isStructure(character: string): boolean {
  return character === ',' || character === '{' || character === '}' || character === '[' || character === ']';
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}

function spaceEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isSpace(text.charAt(end))) end++;
  return end;
}

// After the closing quote: JSON knows only the double one, but damaged or hand-written bodies use both.
function stringEnd(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let end = text.indexOf(quote, start + 1); end !== -1; end = text.indexOf(quote, end + 1)) {
    let backslashes = 0;
    while (text.charAt(end - 1 - backslashes) === '\\') backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

// A secret without quotes may have spaces and quotes in it.
function wordEnd(text: string, start: number, secret: boolean): number {
  const wordBreak = secret ? /[\n,}\]]/g : /[\s,:{}[\]"]/g;
  wordBreak.lastIndex = start + 1;
  return wordBreak.exec(text)?.index ?? text.length;
}

function decoded(name: string): string {
  const plain = name.replace(/^["']|["']$/g, '');
  if (!name.includes('\\')) return plain;
  try {
    return JSON.parse(name) as string;
  } catch {
    return plain;
  }
}
