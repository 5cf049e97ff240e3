// Removes the secrets from the parts of a request that the journal keeps: headers, path, query, bodies.

import { memoizeMany } from './memoize-last.js';
import { isJson, isPairName, isPairValue, looksLikeJson, redactAny, redactJson } from './redact-json.js';
import {
  createKeyFinder,
  createSecretFinder,
  isSecretHeader,
  isSecretParameter,
  mask,
  type Secrecy,
  secrecyOf,
  tellsOfSecret,
} from './secrets.js';

/** The longest body that is kept, in bytes. */
export const maxBodyBytes = 8 * 1_024;

/** The length of a body that is searched; the journal keeps only the beginning. */
export const maxLookedAt = 16 * 1_024;

interface BodyTraits {
  /** Top-level fields that its endpoint declares secret. */
  secrets?: readonly string[] | undefined;
  /** The text should be JSON and could not be read, so that nothing in it tells what is secret: only its length is kept. */
  damaged?: boolean;
  /** The text is declared as that of a form. */
  form?: boolean;
  /** The text is the platform's own, in which a `code` is that of an error. */
  answer?: boolean;
  /** Bytes that are taken by what else is kept of the same request. */
  taken?: number;
  /** How long the whole was, where the text is only its beginning. */
  length?: number | undefined;
}

export interface Redactor {
  /** A text with everything masked that looks like a secret. */
  text(text: string): string;
  header(name: string, value: string): string;
  /** A query string, with its question mark or empty. */
  query(query: string): string;
  /** A body without its secrets, cut to `maxBodyBytes`. */
  body(text: string, traits?: BodyTraits): string;
  /** Whether the text contains a key or a token. */
  finds(text: string): boolean;
  /** Whether the query names a secret or holds something that looks like one. */
  findsInQuery(query: string): boolean;
  /** Whether the text contains a live key. */
  findsLive(text: string): boolean;
  /** The text with live keys masked, and nothing else. */
  withoutLive(text: string): string;
}

/** The redactor of a world whose keys begin with one of the prefixes. */
export function createRedactor(prefixes: readonly string[], livePrefix: string): Redactor {
  const finder = createSecretFinder([...prefixes, livePrefix]);
  const live = createKeyFinder([livePrefix]);

  // Clients send the same names again and again.
  const known = memoizeMany(2_000, secrecyOf);
  // Long names, which only a careless client sends, would stay in memory.
  const secrecy = (name: string): Secrecy => (name.length > 100 ? secrecyOf(name) : known(name));
  const headerSecrecy = memoizeMany(2_000, isSecretHeader);

  function parameter(part: string, pairs: ReadonlySet<string>): string {
    const { name, value, written } = split(part);
    if (value === undefined) return finder.clean(part);
    const { last, before } = stepsOf(name);
    const isOfPair = isPairValue(last) && pairs.has(before);
    if (value !== '' && (isOfPair || isSecretParameter(name))) return `${written}=${mask}`;
    const clean = finder.clean(/^\s*[{[]/.test(value) ? redactAny(value, secrecy) : value);
    return clean === value ? finder.clean(part) : `${finder.clean(written)}=${encodeURIComponent(clean)}`;
  }

  function parameters(text: string): string {
    const parts = text.split('&');
    const pairs = pairsIn(parts);
    return parts.map((part) => parameter(part, pairs)).join('&');
  }

  return {
    text: finder.clean,
    finds: finder.finds,
    findsLive: live.finds,
    withoutLive: live.clean,
    header(name, value) {
      if (!headerSecrecy(name)) return finder.clean(value);
      const [scheme] = /^(?:Bearer|Basic|Digest) /i.exec(value) ?? [''];
      return name === 'authorization' ? scheme + mask : mask;
    },
    query: (query) => (query === '' ? '' : `?${parameters(query.slice(1))}`),
    body(text, { secrets = [], damaged = false, form = false, answer = false, length = text.length, taken = 0 } = {}) {
      const beginning = text.slice(0, maxLookedAt);
      const room = maxBodyBytes - taken;
      if (form || looksLikeForm(beginning)) return cut(parameters(beginning), length, room);
      const of = (name: string, depth: number): Secrecy => {
        if (depth === 1 && secrets.includes(name)) return 'all';
        return answer && depth <= 2 && name === 'code' ? 'none' : secrecy(name);
      };
      const [seemsJson, isCut] = [looksLikeJson(beginning), length > beginning.length];
      if (damaged || (seemsJson && !isJson(beginning, isCut))) return `(no JSON: ${length} characters)`;
      const fields = seemsJson ? redactJson(beginning, of) : redactAny(beginning, of);
      return cut(finder.clean(fields), length, room);
    },
    findsInQuery: (query) =>
      query
        .slice(1)
        .split('&')
        .some((part) => {
          const { name, value = '', written } = split(part);
          // `offline_token=true` asks for one, as docker does.
          const isSwitch = /^(true|false|)$/i.test(value);
          return (!isSwitch && tellsOfSecret(name)) || finder.finds(value) || finder.finds(written);
        }),
  };
}

function split(part: string): { name: string; value: string | undefined; written: string } {
  const equals = part.indexOf('=');
  const written = equals === -1 ? part : part.slice(0, equals);
  return { name: decoded(written), value: equals === -1 ? undefined : decoded(part.slice(equals + 1)), written };
}

// Finds the fields that consist of a name and a value: as in JSON, the name in `vars[0][name]=A&vars[0][value]=B` seldom
// shows whether the value is a secret.
function pairsIn(parts: readonly string[]): ReadonlySet<string> {
  const names = parts.map((part) => stepsOf(split(part).name)).filter(({ last }) => isPairName(last));
  return new Set(names.map(({ before }) => before));
}

function stepsOf(name: string): { last: string; before: string } {
  const steps = name
    .slice(0, longestName)
    .split(/[[\].]+/)
    .filter((step) => step !== '');
  return { last: steps.at(-1) ?? '', before: steps.slice(0, -1).join('.') };
}

const longestName = 400;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

// Forms come with any content type.
function looksLikeForm(text: string): boolean {
  return /^[^\s{["'<=&][^\s{"'<=&]{0,200}=\S*$/.test(text);
}

// Cut at a character, with a word about what is missing.
function cut(text: string, length: number, room: number): string {
  const isWhole = length <= maxLookedAt;
  if (isWhole && (text.length * 3 <= room || Buffer.byteLength(text) <= room)) return text;
  const note = `… (cut: ${length} characters in all)`;
  const bytes = Buffer.from(text).subarray(0, room - Buffer.byteLength(note));
  return bytes.toString('utf8').replace(/\ufffd+$/, '') + note;
}
