// Strings: named after where they stand, in a format, or to match patterns.

import * as ret from 'ret';
import { regexFinds, regexProblem, regexSize } from '../../../core/safe-regex.js';
import { textsOfFormat } from './formats.js';
import { type Node, numberOf, unfit, wordOf } from './nodes.js';

type Tokens = ret.Tokens;
const { types } = ret;
// Its types say that the function is a member of the module; it is the module.
const tokensOf = (ret as { default?: unknown }).default as (pattern: string) => Tokens;

const mostNumbered = 300;
const odd = ['', ' ', '0', '1', 'a', 'A', 'é', 'true', '2026-01-01', 'https://example.com/', 'user@example.com'];

/** The longest text of which it is said whether it matches a pattern. */
export const longestMatched = 1_024;

/**
 * Strings that fit all these parts, the plainest first.
 *
 * @param name what holds the string
 * @param now what times show, in milliseconds
 * @param spend counts the work
 * @param compile counts that of a pattern
 */
export function* textsFor(
  nodes: readonly Node[],
  name: string,
  now: number,
  spend: (steps: number) => void,
  compile: (pattern: string) => void,
): Generator<string> {
  const least = Math.max(0, ...nodes.map((node) => numberOf(node, 'minLength') ?? 0));
  const most = Math.min(Infinity, ...nodes.map((node) => numberOf(node, 'maxLength') ?? Infinity));
  const patterns = nodes.flatMap((node) => checkedPattern(node, compile) ?? []);
  spend(300 * patterns.length);
  const eachCharacter = patterns.reduce((sum, source) => sum + Math.max(2, regexSize({ source, flags: 'u' }) / 50), 0);
  for (const text of tried(nodes, patterns, name, least, most, now)) {
    spend((text.length >> 4) + eachCharacter * Math.min(text.length, longestMatched));
    const length = lengthOf(text);
    if (length >= least && length <= most && patterns.every((pattern) => matches(pattern, text))) yield text;
  }
}

function* tried(
  nodes: readonly Node[],
  patterns: readonly string[],
  name: string,
  least: number,
  most: number,
  now: number,
): Generator<string> {
  const formats = nodes.flatMap((node) => textsOfFormat(String(wordOf(node, 'format')), now) ?? []);
  yield* formats;
  // Only a text of the list is known to have the format.
  if (formats.length > 0) return;
  yield fitted(name, 0, least, most);
  const firsts = patterns.map((pattern) => textOf(pattern, 0) || textOf(pattern, 1));
  if (firsts.length > 1) yield* [firsts.join(''), firsts.toReversed().join('')];
  for (const pattern of patterns)
    for (let more = 0; more < mostNumbered; more++) {
      const text = textOf(pattern, more) || textOf(pattern, 1);
      const missing = least - lengthOf(text);
      yield missing > 0 ? textOf(pattern, more + missing) : text;
      if (more === 0) yield* [text.padEnd(least, '.'), text.padEnd(least, text.at(-1))];
    }
  for (const text of odd) yield* [text, text.padEnd(least, '.')];
  for (let n = 1; n <= mostNumbered; n++) yield fitted(name, n, least, most);
}

/** The n-th text that is named so, in the lengths that are allowed. */
function fitted(name: string, n: number, least: number, most: number): string {
  const short = Number.isFinite(most) ? Math.max(0, most) : undefined;
  const number = n === 0 ? '' : (short ?? 9) < 4 ? n.toString(36) : String(n + 1);
  const characters = [...name.slice(0, 1_000)];
  const kept = short === undefined ? characters : characters.slice(0, Math.max(0, short - number.length));
  const missing = least - kept.length - number.length;
  return kept.join('') + number + '.'.repeat(Math.max(0, missing));
}

/** The length of a text as schemas count it: in characters, not in halves of them. */
function lengthOf(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

function checkedPattern(node: Node, compile: (pattern: string) => void): string | undefined {
  const pattern = wordOf(node, 'pattern');
  if (typeof pattern !== 'string') return undefined;
  checkPattern(node, 'pattern', pattern, compile);
  return pattern;
}

/**
 * Checks a pattern that stands in a word of a part.
 *
 * @throws ApiError VALIDATION_ERROR if it is none, or one that cannot be matched in linear time; OpenAI refuses these, too
 */
export function checkPattern(node: Node, word: string, source: string, compile: (pattern: string) => void): void {
  const problem = regexProblem({ source, flags: 'u' });
  if (problem === undefined) {
    compile(source);
    return;
  }
  const message = `must be a regular expression that is matched in linear time, as OpenAI demands; this one ${problem}`;
  throw unfit({ above: node.path, step: word }, message, source.slice(0, 60));
}

/** Whether a text matches a pattern; none does that is very long. */
export function matches(source: string, text: string): boolean {
  return text.length <= longestMatched && regexFinds({ source, flags: 'u' }, text);
}

/** A text that most likely matches a pattern. @param more characters that its repetitions add to the shortest */
function textOf(pattern: string, more: number): string {
  let left = more;
  let drawn = 0;
  const written = (token: Tokens): string => {
    switch (token.type) {
      case types.ROOT:
      case types.GROUP: {
        const options = token.options ?? [token.stack ?? []];
        // With more characters, the options that come later have their turn.
        return (options[Math.min(left, options.length - 1)] ?? []).map(written).join('');
      }
      case types.REPETITION: {
        let text = '';
        for (let count = 0; count < token.max && text.length < longestMatched; count++) {
          if (count >= token.min && left <= 0) break;
          const unit = written(token.value);
          if (count >= token.min) left -= Math.max(1, unit.length);
          text += unit;
        }
        return text;
      }
      case types.SET: {
        const characters = plain.filter((character) => isIn(token, character.charCodeAt(0)));
        return characters[drawn++ % characters.length] ?? firstOf(token);
      }
      case types.CHAR:
        return String.fromCodePoint(token.value);
      default:
        return '';
    }
  };
  try {
    return written(tokensOf(withoutClasses(pattern)));
  } catch {
    // What only the other engine can read.
    return '';
  }
}

/** Characters of the classes that the parser of patterns does not know. */
const classes: Record<string, string> = { Lu: 'A-Z', Ll: 'a-z', L: 'A-Za-z', N: '0-9', Nd: '0-9' };

function withoutClasses(pattern: string): string {
  let isInSet = false;
  return pattern.replace(/\\p\{(\w+)\}|\\.|[[\]]/g, (part: string, name: string | undefined) => {
    if (part === '[' || part === ']') isInSet = part === '[';
    const characters = name === undefined ? undefined : classes[name];
    if (characters === undefined) return part;
    return isInSet ? characters : `[${characters}]`;
  });
}

const plain = [...'aA0-bB1_cC2.dD3eE4fF5gG6hH7iI8jJ9kKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ !"#$%&\'()*+,/:;<=>?@[\\]^`{|}~'];

type Set = Extract<Tokens, { type: ret.types.SET }>;

function isIn({ set, not }: Set, code: number): boolean {
  const isListed = set.some((one) => {
    if (one.type === types.SET) return isIn(one, code);
    return one.type === types.RANGE ? code >= one.from && code <= one.to : one.value === code;
  });
  return isListed !== not;
}

function firstOf({ set: [one] }: Set): string {
  if (one === undefined) return '';
  if (one.type === types.SET) return firstOf(one);
  return String.fromCodePoint(one.type === types.RANGE ? one.from : one.value);
}
