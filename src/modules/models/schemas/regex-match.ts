// Matches texts against regular expressions, and counts each step: some would otherwise go back and forth for ever.

import type { Part } from './regex.js';

interface Matching {
  characters: string[];
  captures: Map<string, string>;
  spend: (steps: number) => void;
  depth: number;
}

const deepest = 1_000;

/** Thrown for what goes back over more than can be kept in mind. */
export class TooDeep extends Error {}

type Then = (at: number) => boolean;

/**
 * Whether a part of a text matches, or all of it where the expression says so.
 *
 * @throws TooDeep, and what `spend` throws
 */
export function matches(regex: Part, text: string, spend: (steps: number) => void): boolean {
  const state: Matching = { characters: [...text], captures: new Map(), spend, depth: 0 };
  for (let from = 0; from <= state.characters.length; from++) {
    state.captures.clear();
    if (match(regex, from, state, () => true)) return true;
    if (isAnchored(regex)) return false;
  }
  return false;
}

function isAnchored(regex: Part): boolean {
  if (regex.kind === 'group') return isAnchored(regex.part);
  if (regex.kind === 'choice') return regex.options.every(isAnchored);
  const [first] = regex.kind === 'sequence' ? regex.parts : [regex];
  if (first === undefined || first === regex) return regex.kind === 'edge' && regex.at === '^';
  return isAnchored(first);
}

function match(part: Part, at: number, state: Matching, then: Then): boolean {
  state.spend(5);
  if (++state.depth > deepest) throw new TooDeep('must go back over less of a text');
  const isMatch = matchPart(part, at, state, then);
  state.depth--;
  return isMatch;
}

function matchPart(part: Part, at: number, state: Matching, then: Then): boolean {
  const { characters, captures } = state;
  switch (part.kind) {
    case 'set':
      return at < characters.length && part.fits(characters[at] ?? '') && then(at + 1);
    case 'sequence':
      return sequence(part.parts, 0, at, state, then);
    case 'choice':
      return part.options.some((option) => match(option, at, state, then));
    case 'repeat':
      return part.part.kind === 'set' ? run(part, at, state, then) : repeat(part, 0, at, state, then);
    case 'group':
      return match(part.part, at, state, (end) => {
        const before = part.names.map((name) => captures.get(name));
        for (const name of part.names) captures.set(name, characters.slice(at, end).join(''));
        if (then(end)) return true;
        for (const [index, name] of part.names.entries()) restore(captures, name, before[index]);
        return false;
      });
    case 'look':
      return looks(part, at, state) !== part.isNegative && then(at);
    case 'edge':
      return isEdge(part.at, at, characters) && then(at);
    case 'again': {
      const again = [...(captures.get(part.name) ?? '')];
      state.spend(again.length);
      return again.every((character, index) => characters[at + index] === character) && then(at + again.length);
    }
  }
}

function restore(captures: Map<string, string>, name: string, before: string | undefined): void {
  if (before === undefined) captures.delete(name);
  else captures.set(name, before);
}

function sequence(parts: readonly Part[], index: number, at: number, state: Matching, then: Then): boolean {
  const part = parts[index];
  if (part === undefined) return then(at);
  return match(part, at, state, (next) => sequence(parts, index + 1, next, state, then));
}

type Repeat = Extract<Part, { kind: 'repeat' }>;

// Repeats a single set in a loop, without a call for each character.
function run({ part, least, most, isLazy }: Repeat, at: number, state: Matching, then: Then): boolean {
  if (part.kind !== 'set') return false;
  const { characters, spend } = state;
  const longest = Math.min(most, characters.length - at);
  let count = 0;
  while (count < longest && part.fits(characters[at + count] ?? '')) count++;
  spend(count);
  if (isLazy) {
    for (let n = least; n <= count; n++) if (then(at + n)) return true;
    return false;
  }
  for (let n = count; n >= least; n--) if (then(at + n)) return true;
  return false;
}

function repeat(part: Repeat, count: number, at: number, state: Matching, then: Then): boolean {
  const { least, most, isLazy } = part;
  const once = (): boolean =>
    count < most &&
    match(part.part, at, state, (next) =>
      // An empty match could repeat without end, and changes nothing.
      next === at && count >= least ? false : repeat(part, count + 1, next, state, then),
    );
  if (count < least) return once();
  return isLazy ? then(at) || once() : once() || then(at);
}

function looks({ part, isBehind }: Extract<Part, { kind: 'look' }>, at: number, state: Matching): boolean {
  if (!isBehind) return match(part, at, state, () => true);
  for (let from = at; from >= 0; from--) if (match(part, from, state, (end) => end === at)) return true;
  return false;
}

function isEdge(edge: string, at: number, characters: readonly string[]): boolean {
  if (edge === '^') return at === 0;
  if (edge === '$') return at === characters.length;
  const isWord = (index: number): boolean => /^\w$/.test(characters[index] ?? '');
  return (isWord(at - 1) !== isWord(at)) === (edge === '\\b');
}
