// Texts that match a regular expression. Each is tried afterwards: what looks around is a guess here.

import type { Part } from './regex.js';

interface Making {
  /** The number of this text among the many that match: each choice takes a part of it. */
  variant: number;
  /** Characters that are still to be added where the expression repeats something. */
  missing: number;
  /** Characters so far. */
  length: number;
  captures: Map<string, string>;
  spend: (steps: number) => void;
}

const mostVariants = 400;
const mostRepeats = 100_000;

// Kinds of characters in turn, so that a few of them have some of each.
const plain = interleaved(
  'abcdefghijklmnopqrstuvwxyz',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  '0123456789',
  '-_.!@#$%&*+ /:;=?()[]{}<>|~^`\'",\\',
);
const others = [
  'é',
  'ß',
  'ñ',
  'Ж',
  'α',
  '中',
  'あ',
  '한',
  'ع',
  'א',
  '€',
  '→',
  '☺',
  '😀',
  '🎉',
  '👍',
  '🇫',
  '\n',
  '\t',
  '\u00a0',
  '\0',
];

function interleaved(...kinds: string[]): string[] {
  const longest = Math.max(...kinds.map((kind) => kind.length));
  return Array.from({ length: longest }, (_, index) => kinds.map((kind) => kind.charAt(index)).join('')).flatMap(
    (all) => [...all],
  );
}

/**
 * Texts that should match, the plainest first.
 *
 * @param least how long they should be, at least
 */
export function* textsFor(regex: Part, least: number, spend: (steps: number) => void): Generator<string> {
  const seen = new Set<string>();
  const cached = new Map<Part, string[]>();
  for (let variant = 0; variant < mostVariants; variant++) {
    const state = { variant: variant >> 1, length: 0, captures: new Map<string, string>(), spend };
    const short = make(regex, { ...state, missing: 0 }, cached);
    const missing = least - [...short].length + (variant >> 1 > 40 ? variant % 7 : 0);
    const text = missing > 0 ? make(regex, { ...state, captures: new Map(), missing }, cached) : short;
    // If nothing repeats, the text may be padded before or behind it.
    for (const each of variant % 2 === 0 ? [text] : [text.padEnd(least, '.'), text.padStart(least, '.')]) {
      if (seen.has(each)) continue;
      seen.add(each);
      yield each;
    }
  }
}

function make(part: Part, state: Making, cached: Map<Part, string[]>): string {
  state.spend(2);
  switch (part.kind) {
    case 'set': {
      const characters = charactersOf(part, state.spend, cached);
      if (characters.length === 0) return '';
      // Once no choice is left, the characters change.
      return characters[(state.length++ + state.variant) % characters.length] ?? '';
    }
    case 'sequence':
      return part.parts.map((each) => make(each, state, cached)).join('');
    case 'choice':
      return make(part.options[chosen(state, part.options.length)] as Part, state, cached);
    case 'group': {
      const text = make(part.part, state, cached);
      for (const name of part.names) state.captures.set(name, text);
      return text;
    }
    case 'repeat':
      return repeated(part, state, cached);
    case 'look':
      // A positive look may write its text in front of what follows, which fits if what follows may be anything.
      return part.isNegative || chosen(state, 2) === 0 ? '' : make(part.part, state, cached);
    case 'edge':
      return '';
    case 'again':
      return state.captures.get(part.name) ?? '';
  }
}

function repeated(
  { part, least, most }: Extract<Part, { kind: 'repeat' }>,
  state: Making,
  cached: Map<Part, string[]>,
): string {
  const more = most > least ? chosen(state, Math.min(most - least, 2) + 1) : 0;
  // The first choice: what may repeat comes once, and what may only be left out is left out.
  const usual = least === 0 && most > 1 ? [1, 0, 2][more] : more;
  const count = least + (usual ?? 0);
  let text = '';
  let done = 0;
  const from = state.missing;
  for (; done < count || (state.missing > 0 && done < most); done++) {
    if (done > mostRepeats) return text;
    const next = make(part, state, cached);
    text += next;
    if (done >= count) state.missing -= Math.max(1, next.length);
    if (state.missing === from && next === '' && done >= count) break;
  }
  return text;
}

function chosen(state: Making, of: number): number {
  const choice = state.variant % of;
  state.variant = Math.floor(state.variant / of);
  return choice;
}

function charactersOf(
  part: Extract<Part, { kind: 'set' }>,
  spend: Making['spend'],
  cached: Map<Part, string[]>,
): string[] {
  const known = cached.get(part);
  if (known !== undefined) return known;
  const own = [...part.source].slice(0, 200);
  spend(plain.length + own.length);
  const found = [...plain, ...others].filter(part.fits);
  const all = found.length > 0 ? found : own.filter(part.fits);
  const characters = all.length > 0 ? all : searched(part, spend);
  cached.set(part, characters);
  return characters;
}

// One that nobody thinks of, such as \p{Script=Thai} or \u3000.
function searched(part: Extract<Part, { kind: 'set' }>, spend: Making['spend']): string[] {
  for (let code = 1; code < 0x20000; code++) {
    if (code % 64 === 1) spend(64);
    if (code >= 0xd800 && code < 0xe000) continue;
    const character = String.fromCodePoint(code);
    if (part.fits(character)) return [character];
  }
  return [];
}
