// From recordings to exchanges of the platform: which host it is, who called, how far the clocks were apart. Credentials
// become names, and everything is scrubbed, before the rest of the program sees it.

import { hashSecret } from '../../core/random.js';
import { createRedactor } from '../../core/redact.js';
import { isPairName, isPairValue } from '../../core/redact-json.js';
import { createSecretFinder, isSecretHeader, mask, type Secrecy, secrecyOf } from '../../core/secrets.js';
import { isTree } from '../../core/tree.js';
import { counted } from '../../core/words.js';
import type { Routes } from '../../http/routes.js';
import type { Exchange, RecordedExchange, Recording } from './exchange.js';
import { type Fact, factOf } from './facts.js';

export interface Choice {
  /** The host that is the platform; default: the one whose paths the routes know best. */
  host?: string | undefined;
  /** The part of the recording that counts, by the client's clock. */
  from?: number | undefined;
  to?: number | undefined;
  /** Only this caller, from 1. */
  caller?: number | undefined;
}

export interface Exchanges {
  exchanges: Exchange[];
  /** How far the platform's clock was ahead of the client's, in ms. */
  skewMs: number;
  facts: Fact[];
}

/** What a scenario holds where a recording had a secret. */
export const removed = 'removed';

// Of the profiles, and of what else often lies in variables and prompts.
const prefixes = [
  'ek_test_',
  'ek_live_',
  'eliza_',
  'sk_live_',
  'sk_test_',
  'rk_live_',
  'whsec_',
  'sk-proj-',
  'sk-ant-',
  'sk-or-v1-',
].concat(['ghp_', 'gho_', 'ghs_', 'github_pat_', 'glpat-', 'xoxb-', 'xoxp-', 'hf_', 'npm_', 'AIza']);
const [livePrefix = '', ...otherPrefixes] = prefixes;
const finder = createSecretFinder(prefixes);
const redactor = createRedactor(otherPrefixes, livePrefix);

/** A text without secrets. */
export const scrubbed = (text: string): string => finder.clean(text).replaceAll(mask, removed);

/**
 * The exchanges of the platform, in the order in which the client sent them, without secrets.
 *
 * @param routes those of the profile
 */
export function exchangesOf(
  recordings: readonly Recording[],
  routes: Routes<{ id: string }>,
  choice: Choice,
): Exchanges {
  const facts = recordings.flatMap(({ limits }) => limits.map((text) => factOf('unknown', text)));
  const all = numbered(recordings);
  const host = choice.host ?? hostOf(all, routes);
  const ours = all.filter(({ url }) => hostIn(url) === host);
  if (ours.length < all.length)
    facts.push(
      factOf(
        'seen',
        `${counted(all.length - ours.length, 'request')} to other hosts than ${host || 'the platform'} are left out`,
      ),
    );
  const silent = ours.filter(({ status, text }) => status > 0 && text === null);
  if (silent.length > 0)
    facts.push(factOf('unknown', `What ${counted(silent.length, 'answer')} said: the recording lacks their bodies`));
  const timed = withTimes(ours, facts).sort((a, b) => a.sentAt - b.sentAt || a.index - b.index);
  const skewMs = skewOf(timed);
  if (skewMs !== 0)
    facts.push(factOf('inferred', `The platform's clock was ${(skewMs / 1_000).toFixed(1)} s ahead of the client's`));
  const callers = callersOf(timed, facts);
  const exchanges = timed
    .map((recorded) => exchangeOf(recorded, callers.get(recorded.index) ?? 'caller 1', skewMs, routes))
    .filter(({ sentAt }) => sentAt >= (choice.from ?? -Infinity) && sentAt <= (choice.to ?? Infinity))
    .filter(({ caller }) => choice.caller === undefined || caller === `caller ${choice.caller}`);
  return { exchanges, skewMs, facts };
}

// Files that belong together are one recording, whose entries count on.
function numbered(recordings: readonly Recording[]): RecordedExchange[] {
  let before = 0;
  return recordings.flatMap(({ exchanges }) => {
    const start = before;
    before += exchanges.reduce((most, { index }) => Math.max(most, index + 1), 0);
    return exchanges.map((one) => ({ ...one, index: one.index + start }));
  });
}

const hostIn = (url: string): string =>
  /^https?:\/\/([^/?#]*)/i
    .exec(url)?.[1]
    ?.toLowerCase()
    .replace(/^[^@]*@/, '') ?? '';

/** The host with the most requests that the routes know. */
function hostOf(all: readonly RecordedExchange[], routes: Routes<unknown>): string | undefined {
  const counts = new Map<string, number>();
  for (const { method, url } of all)
    if (routes.find(method, placeIn(url, routes).path) !== undefined)
      counts.set(hostIn(url), (counts.get(hostIn(url)) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

// A gateway, or a world of an emulator, puts something before the platform's own paths.
function placeIn(url: string, routes: Routes<unknown>): { path: string; query: string } {
  const [whole = '', query] =
    url
      .replace(/^https?:\/\/[^/?#]*/i, '')
      .split('#')[0]
      ?.split(/\?(.*)/s) ?? [];
  let path = whole === '' ? '/' : whole;
  for (let cut = 0; cut < 3 && routes.at(path).length === 0; cut++) {
    const rest = path.replace(/^\/[^/]*/, '');
    if (rest === '') break;
    path = rest;
  }
  return {
    path: routes.at(path).length > 0 ? path : whole,
    query: query === undefined || query === '' ? '' : `?${query}`,
  };
}

type Timed = RecordedExchange & { sentAt: number; ms: number };

const apartMs = 1_000;
const mostApartMs = 150 * 86_400_000;
const longestMs = 3_600_000;

// Without times the order is kept, a second apart.
function withTimes(all: readonly RecordedExchange[], facts: Fact[]): Timed[] {
  const said = all.flatMap(({ sentAt }) => sentAt ?? []).sort((a, b) => a - b);
  const middle = said[said.length >> 1] ?? 0;
  // An instant in another year is none.
  const timeOf = ({ sentAt }: RecordedExchange): number | null =>
    sentAt === null || Math.abs(sentAt - middle) > mostApartMs ? null : sentAt;
  const known = all.flatMap((one) => timeOf(one) ?? []);
  const lacks = all.length - known.length;
  if (lacks > 0)
    facts.push(
      factOf('unknown', `${counted(lacks, 'request')} have no time: their order alone is used, a second apart`),
    );
  let last = known.length === 0 ? Date.UTC(2026, 0, 1) : known.reduce((least, one) => Math.min(least, one));
  return all.map((one) => {
    last = timeOf(one) ?? last + apartMs;
    return { ...one, sentAt: last, ms: Math.min(one.ms ?? 0, longestMs) };
  });
}

// A header holds whole seconds, and clocks of one machine differ by nothing.
const leastSkewMs = 2_000;

function skewOf(all: readonly Timed[]): number {
  const differences = all
    .flatMap(({ sentAt, ms, answer }) => {
      const date = Date.parse(answer.date ?? '');
      return Number.isNaN(date) ? [] : [date + 500 - (sentAt + ms / 2)];
    })
    .sort((a, b) => a - b);
  const median = Math.round(differences[differences.length >> 1] ?? 0);
  return Math.abs(median) < leastSkewMs ? 0 : median;
}

/** Who sent each exchange: a name for each credential, in the order in which they appear. */
function callersOf(all: readonly Timed[], facts: Fact[]): Map<number, string> {
  const names = new Map<string, string>();
  const of = new Map<number, string>();
  for (const { index, headers } of all) {
    const { authorization, 'x-api-key': key, cookie, 'x-wallet-address': wallet } = headers;
    const credential = wallet ?? key ?? authorization ?? cookie;
    if (credential === undefined || credential.includes('*****')) continue;
    const hash = hashSecret(credential.replace(/^Bearer\s+/i, ''));
    const name = names.get(hash) ?? `caller ${names.size + 1}`;
    names.set(hash, name);
    of.set(index, name);
  }
  if (all.length > 0 && names.size === 0)
    facts.push(
      factOf('unknown', 'Who called: the recording holds no credentials, so that all requests count as one caller’s'),
    );
  else for (const { index } of all) if (!of.has(index)) of.set(index, nobody);
  if (names.size > 1) facts.push(factOf('assumed', `The ${names.size} callers belong to one organization`));
  return of;
}

/** Who sent no credential, in a recording that has some. */
export const nobody = 'nobody';

const mostBeforeActingMs = 200;

function exchangeOf(
  { url, ...recorded }: Timed,
  caller: string,
  skewMs: number,
  routes: Routes<{ id: string }>,
): Exchange {
  const place = placeIn(url, routes);
  const exchange: Exchange = {
    ...recorded,
    caller,
    path: scrubbed(place.path),
    query: redactor.query(place.query).replaceAll(mask, removed),
    operation: routes.find(recorded.method, place.path)?.target.id ?? null,
    headers: headersOf(recorded.headers),
    answer: headersOf(recorded.answer),
    body: recorded.body === null ? null : withoutSecrets(recorded.body, false),
    text: recorded.text === null ? null : withoutSecrets(recorded.text, true),
    actedAt: 0,
  };
  if (exchange.failure !== undefined) exchange.failure = scrubbed(exchange.failure).slice(0, 200);
  exchange.actedAt = Math.round(actedAt(exchange, skewMs));
  return exchange;
}

const headersOf = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      isSecretHeader(name) ? [] : [[scrubbed(name), scrubbed(value)]],
    ),
  );

// What a write says of its time, if that lies within the request; otherwise its middle.
function actedAt({ method, sentAt, ms, text }: Exchange, skewMs: number): number {
  const start = sentAt + skewMs;
  const said =
    method === 'GET'
      ? undefined
      : /"(?:updated_at|updatedAt|created_at|createdAt)"\s*:\s*"([^"]{1,40})"/.exec(text ?? '')?.[1];
  const instant = Date.parse(said ?? '');
  if (instant >= start && instant <= start + ms) return instant;
  return start + Math.min(ms / 2, mostBeforeActingMs);
}

/** A body without secrets: JSON keeps its names, and the names of variables stay. */
function withoutSecrets(text: string, isAnswer: boolean): string {
  if (!/^\s*[{[]/.test(text))
    return /^[^\s{}<>]+=\S*$/.test(text)
      ? redactor.query(`?${text}`).slice(1).replaceAll(mask, removed)
      : scrubbed(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
    return JSON.stringify(clean(value, 'none', isAnswer, 0));
  } catch {
    return scrubbed(
      text.replace(/("(?:[^"\\]|\\.){1,100}"\s*:\s*")((?:[^"\\]|\\.)*)/g, (all, name: string) =>
        secrecyOf(name.split('"')[1] ?? '') === 'none' ? all : name + removed,
      ),
    );
  }
}

function clean(value: unknown, secrecy: Secrecy, isAnswer: boolean, depth: number): unknown {
  if (depth > mostDepth) return null;
  if (Array.isArray(value))
    return value.map((one) => clean(one, secrecy === 'all' ? 'all' : 'none', isAnswer, depth + 1));
  if (isTree(value))
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => name !== '__proto__')
        .map(([name, inner]) => {
          // The `code` of an error is no secret; the value of a variable that stands beside its name may be one.
          const ofPair = isPairValue(name) && Object.keys(value).some(isPairName);
          const own = isAnswer && name === 'code' ? 'none' : ofPair ? 'text' : secrecyOf(name);
          return [scrubbed(name), clean(inner, secrecy === 'all' ? 'all' : own, isAnswer, depth + 1)];
        }),
    );
  if (secrecy === 'none') return typeof value === 'string' ? scrubbed(value) : value;
  return typeof value === 'string' || (secrecy === 'all' && typeof value === 'number') ? removed : value;
}

const mostDepth = 200;
