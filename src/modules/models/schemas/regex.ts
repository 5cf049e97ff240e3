// The regular expressions of a schema, taken apart: those of JavaScript, which look around and refer back, so that they
// can be matched with a count of the work, and a text be made that matches.

import { memoizeMany } from '../../../core/memoize-last.js';

/** A part of a regular expression. */
export type Part =
  | { kind: 'set'; source: string; fits: (character: string) => boolean }
  | { kind: 'sequence'; parts: Part[] }
  | { kind: 'choice'; options: Part[] }
  | { kind: 'repeat'; part: Part; least: number; most: number; isLazy: boolean }
  | { kind: 'group'; part: Part; names: string[] }
  | { kind: 'look'; part: Part; isBehind: boolean; isNegative: boolean }
  | { kind: 'edge'; at: '^' | '$' | '\\b' | '\\B' }
  | { kind: 'again'; name: string };

const longest = 5_000;
const deepest = 100;

/** A regular expression, or why it cannot be used. */
export const readRegex = memoizeMany(500, (source: string): Part | string => {
  if (source.length > longest) return `must have at most ${longest.toLocaleString('en')} characters`;
  const flags = flagsOf(source);
  if (flags === undefined) return 'must be a regular expression of JavaScript';
  try {
    return new Reader(source, flags).whole();
  } catch (error) {
    return (error as Error).message;
  }
});

// Validators try code points first; expressions that are invalid with the flag `u` are read without it.
function flagsOf(source: string): 'u' | '' | undefined {
  for (const flags of ['u', ''] as const) {
    try {
      new RegExp(source, flags);
      return flags;
    } catch {
      // The other kind is tried.
    }
  }
  return undefined;
}

/** Reads what the engine of JavaScript has accepted: nothing in it is wrong, only some of it is not known here. */
class Reader {
  private at = 0;
  private groups = 0;
  private depth = 0;

  constructor(
    private readonly source: string,
    private readonly flags: string,
  ) {}

  whole(): Part {
    return this.choice();
  }

  private choice(): Part {
    if (++this.depth > deepest) throw new Error(`must not be nested more deeply than ${deepest} levels`);
    const options = [this.sequence()];
    while (this.takes('|')) options.push(this.sequence());
    this.depth--;
    return options.length === 1 ? (options[0] as Part) : { kind: 'choice', options };
  }

  private sequence(): Part {
    const parts: Part[] = [];
    while (this.at < this.source.length && !/[|)]/.test(this.source.charAt(this.at))) parts.push(this.repeated());
    return { kind: 'sequence', parts };
  }

  private repeated(): Part {
    const part = this.atom();
    const [quantifier, least, comma, most] =
      /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(this.source.slice(this.at, this.at + 40)) ?? [];
    if (quantifier === undefined) return part;
    this.at += quantifier.length;
    const isLazy = this.takes('?');
    const from = quantifier === '*' || quantifier === '?' ? 0 : Number(least ?? 1);
    const to = quantifier === '?' ? 1 : least === undefined ? Infinity : comma === '' ? from : Number(most || Infinity);
    return { kind: 'repeat', part, least: from, most: to, isLazy };
  }

  private atom(): Part {
    const { source } = this;
    const character = source.charAt(this.at);
    if (character === '(') return this.group();
    if (character === '^' || character === '$') {
      this.at++;
      return { kind: 'edge', at: character };
    }
    if (character === '[') return this.set(classLength(source, this.at));
    if (character !== '\\')
      return this.set(this.flags === 'u' ? String.fromCodePoint(source.codePointAt(this.at) ?? 0).length : 1);
    const [escaped, boundary, name, number] =
      /^\\(?:([bB])|k<([^>]+)>|([1-9]\d*)|[pP]\{[^}]*\}|u\{[^}]*\}|u[\dA-Fa-f]{4}(?:\\u[dD][c-fC-F][\dA-Fa-f]{2})?|x[\dA-Fa-f]{2}|c[A-Za-z]|[\s\S])/.exec(
        source.slice(this.at, this.at + 200),
      ) ?? ['\\'];
    if (boundary !== undefined || name !== undefined || number !== undefined) {
      this.at += escaped.length;
      if (boundary !== undefined) return { kind: 'edge', at: escaped as '\\b' | '\\B' };
      return { kind: 'again', name: name ?? number ?? '' };
    }
    return this.set(escaped.length);
  }

  private group(): Part {
    const [opening, look, name] = /^\((?:\?(?:(<?[=!])|:|<([^>]+)>))?/.exec(
      this.source.slice(this.at, this.at + 200),
    ) ?? [''];
    if (this.source.startsWith('(?', this.at) && opening === '(')
      throw new Error('must do without changes of its flags');
    this.at += opening.length;
    const names =
      opening === '(' || name !== undefined ? [String(++this.groups), ...(name === undefined ? [] : [name])] : [];
    const part = this.choice();
    this.at++;
    if (look === undefined) return { kind: 'group', part, names };
    return { kind: 'look', part, isBehind: look.startsWith('<'), isNegative: look.endsWith('!') };
  }

  private set(length: number): Part {
    const text = this.source.slice(this.at, this.at + length);
    this.at += length;
    const literal = /^[^\\[.]/.test(text) ? text : undefined;
    if (literal !== undefined) return { kind: 'set', source: text, fits: (character) => character === literal };
    // One character against one set: there is nothing to go back over.
    const regex = new RegExp(`^(?:${text})$`, this.flags);
    return { kind: 'set', source: text, fits: (character) => regex.test(character) };
  }

  private takes(character: string): boolean {
    const isThere = this.source.charAt(this.at) === character;
    if (isThere) this.at++;
    return isThere;
  }
}

function classLength(source: string, from: number): number {
  let at = from + 1;
  while (at < source.length && source.charAt(at) !== ']') at += source.charAt(at) === '\\' ? 2 : 1;
  return at + 1 - from;
}
