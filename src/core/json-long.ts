// Parses a long JSON text in slices. The engine's parser takes up to 100 ms for 16 MB, in which nobody else has a turn.

import {
  excessOf,
  halfProblem,
  type Json,
  type JsonLimits,
  type JsonProblem,
  type JsonReading,
  mostLevels,
  protoProblem,
  type RepeatedKeys,
  repeat,
  tooDeep,
} from './json.js';
import { type Expected, faultText, follow, tokenEnd } from './json-fault.js';
import type { Sliced } from './slices.js';

// Each the work of about a millisecond.
const charactersPerSlice = 100_000;
const tokensPerSlice = 2_000;
/** Nobody writes a longer number, and reading one of megabytes takes 70 ms. */
const mostDigits = 10_000;

/** An object or a list that has not ended. */
type Open = { list: Json[] } | { fields: Record<string, Json>; key: string };

/** Ends the reading of a text. */
class Refused extends Error {
  readonly problem: JsonProblem;

  constructor(problem: JsonProblem) {
    super(problem.problem);
    this.problem = problem;
  }
}

const fault = (text: string, at: number): Refused => new Refused({ problem: faultText(text, at, false) });

/** Reads a text as `readJson` does, in slices. */
export function* readJsonInSlices(text: string, limits: JsonLimits): Sliced<JsonReading> {
  const building = build(limits);
  try {
    yield* readTokens(text, building);
    const value = building.whole();
    return value === undefined ? fault(text, text.length).problem : { value, repeated: building.repeated };
  } catch (error) {
    if (error instanceof Refused) return error.problem;
    throw error;
  }
}

/** Builds a value from tokens, one by one. */
interface Building {
  mark(character: string): void;
  key(name: string): void;
  value(found: Json): void;
  repeated: RepeatedKeys;
  /** The value; undefined before its end. */
  whole(): Json | undefined;
}

function build(limits: JsonLimits): Building {
  const repeated: RepeatedKeys = { first: [], count: 0 };
  const open: Open[] = [];
  let [names, entries] = [0, 0];
  let whole: Json | undefined;

  function put(found: Json): void {
    const around = open.at(-1);
    if (around === undefined) whole = found;
    else if ('list' in around) around.list.push(found);
    else around.fields[around.key] = found;
  }
  function begin(character: string): void {
    const list: Json[] = [];
    const fields: Record<string, Json> = {};
    put(character === '[' ? list : fields);
    open.push(character === '[' ? { list } : { fields, key: '' });
    if (open.length > mostLevels) throw new Refused({ problem: tooDeep });
  }

  return {
    repeated,
    mark(character) {
      if (character === ',' && ++entries > limits.entries) throw new Refused(excessOf(limits.entries, 'entries'));
      if (':{['.includes(character) && ++names > limits.names)
        throw new Refused(excessOf(limits.names, 'names, objects and lists'));
      if (character === '{' || character === '[') begin(character);
      else if (character === '}' || character === ']') open.pop();
    },
    key(name) {
      const around = open.at(-1);
      if (around === undefined || 'list' in around) return;
      if (name === '__proto__') throw new Refused({ problem: protoProblem });
      if (Object.hasOwn(around.fields, name)) repeat(repeated, name);
      around.key = name;
    },
    value: put,
    whole: () => (open.length === 0 ? whole : undefined),
  };
}

function* readTokens(text: string, building: Building): Sliced<void> {
  const closers: string[] = [];
  let expected: Expected = 'value';
  for (let at = 0, until = charactersPerSlice, tokens = 0; at < text.length; ) {
    if (at >= until || ++tokens % tokensPerSlice === 0) {
      until = at + charactersPerSlice;
      yield;
    }
    const first = text.charAt(at);
    if (' \t\r\n'.includes(first)) {
      at++;
      continue;
    }
    const isKey = expected === 'key' || expected === 'keyOrEnd';
    const next = follow(first, expected, closers);
    if (next === undefined) throw fault(text, at);
    if (first === '"') {
      const { string, end } = yield* readString(text, at);
      if (isKey) building.key(string);
      else building.value(string);
      at = end;
    } else if ('{}[]:,'.includes(first)) {
      building.mark(first);
      at++;
    } else {
      const length = tokenEnd(text.slice(at, at + mostDigits + 1), 0, first);
      if (length === 0) throw fault(text, at);
      if (length > mostDigits) throw new Refused(excessOf(mostDigits, 'digits in one number'));
      building.value(JSON.parse(text.slice(at, at + length)) as Json);
      at += length;
    }
    expected = next;
  }
}

// The string that begins at a place, and where the text goes on: read in pieces, none of which ends within an escape.
function* readString(text: string, start: number): Sliced<{ string: string; end: number }> {
  const pieces: string[] = [];
  let from = start + 1;
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== 0x22) {
    at += text.charCodeAt(at) !== 0x5c ? 1 : text.charCodeAt(at + 1) === 0x75 ? 6 : 2;
    if (at - from < charactersPerSlice) continue;
    pieces.push(unescaped(text, start, from, at));
    from = at;
    yield;
  }
  pieces.push(unescaped(text, start, from, at));
  if (at >= text.length) throw fault(text, text.length);
  const string = pieces.length === 1 ? (pieces[0] as string) : pieces.join('');
  if (!string.isWellFormed()) throw new Refused({ problem: halfProblem });
  return { string, end: at + 1 };
}

// A copy: a part of the text would keep all of it in memory.
function unescaped(text: string, start: number, from: number, to: number): string {
  try {
    return JSON.parse(`"${text.slice(from, to)}"`) as string;
  } catch {
    throw fault(text, start);
  }
}
