// Strings: named after where they stand, in a format, or to match patterns.

import * as ret from 'ret';
import { regexFinds, regexProblem, regexSize } from '../../../core/safe-regex.js';
import { type Node, numberOf, unfit, wordOf } from './nodes.js';

// The formats of strings, and texts that have them.

/**
 * Texts of a format, the plainest first; undefined for a format that is not known, which any text has.
 *
 * @param now what times show, in milliseconds
 */
function textsOfFormat(format: string, now: number): string[] | undefined {
  if (Object.hasOwn(fixed, format)) return fixed[format];
  if (!/^(?:date-time|date|time)$/.test(format)) return undefined;
  const day = 86_400_000;
  const instants = Array.from({ length: 30 }, (_, index) => new Date(now + index * day).toISOString());
  const [first = ''] = instants;
  switch (format) {
    case 'date-time':
      return [
        ...instants,
        first.replace(/\.\d+Z/, 'Z'),
        first.replace(/:\d\d\.\d+Z/, 'Z'),
        first.replace('Z', '+00:00'),
        first.slice(0, -1),
      ];
    case 'time': {
      const times = Array.from({ length: 30 }, (_, index) => new Date(now + index * 61_000).toISOString().slice(11));
      return [...times, first.slice(11, 19), first.slice(11, 16), first.slice(11, -1), `${first.slice(11, 19)}Z`];
    }
    default:
      return instants.map((instant) => instant.slice(0, 10));
  }
}

const numbered = (count: number, text: (n: number) => string): string[] =>
  Array.from({ length: count }, (_, n) => text(n));
const end = (n: number): string => n.toString(16).padStart(12, '0');

const uris = [
  'https://example.com/',
  ...numbered(50, (n) => `https://example.com/${n + 2}`),
  'http://example.com/',
  'ftp://example.com/',
  'urn:example:1',
];

const fixed: Record<string, string[]> = {
  email: ['user@example.com', ...numbered(50, (n) => `user${n + 2}@example.com`), 'a@b.co', 'user@example.org'],
  'idn-email': ['user@example.com', 'user2@example.com'],
  uri: uris,
  url: uris,
  iri: uris,
  'uri-reference': uris,
  'iri-reference': uris,
  'uri-template': ['https://example.com/{id}', 'https://example.com/{name}'],
  hostname: ['example.com', ...numbered(50, (n) => `host${n + 2}.example.com`), 'a.co'],
  'idn-hostname': ['example.com', 'host2.example.com'],
  ipv4: numbered(100, (n) => `192.0.2.${n + 1}`),
  ipv6: numbered(100, (n) => `2001:db8::${(n + 1).toString(16)}`),
  cidrv4: numbered(50, (n) => `192.0.2.${n}/32`),
  cidrv6: numbered(50, (n) => `2001:db8::${n.toString(16)}/128`),
  uuid: [
    ...numbered(100, (n) => `00000000-0000-4000-8000-${end(n)}`),
    ...[1, 2, 3, 5, 6, 7, 8].map((version) => `00000000-0000-${version}000-8000-000000000000`),
  ],
  guid: numbered(50, (n) => `00000000-0000-4000-8000-${end(n)}`),
  duration: numbered(50, (n) => `PT${n + 1}H`),
  'json-pointer': ['/a', '/a/b', ''],
  'relative-json-pointer': ['0/a', '1/b'],
  regex: ['^a$', '^b$'],
  base64: ['dGV4dA==', 'dGV4dDI='],
  base64url: ['dGV4dA', 'dGV4dDI'],
  jwt: ['eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'],
  e164: numbered(50, (n) => `+1555010${String(n).padStart(4, '0')}`),
  byte: ['dGV4dA=='],
};

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
