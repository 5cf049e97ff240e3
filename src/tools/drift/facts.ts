// What an answer says without saying any value: a fact is a place and a kind.

/** An answer of either side. */
export interface DriftAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** JSON; undefined: there is none. */
  body: unknown;
}

/** The kinds that have been seen at each place. */
export type Facts = Record<string, string[]>;

/** Headers that the platform's contract speaks of; others differ by whatever stands before it. */
const ofContract = /^(x-ratelimit-|retry-after$|www-authenticate$|x-payment|payment-|location$|content-type$)/;

/** Fields whose word is part of the contract. */
const named = /(^|\/)(status|code|type|plan|mode|tier|role|level|object|currency|phase)$/;
/** Fields whose number is. */
const counted =
  /(^|\/)([\w-]*limit|max|\w*_?price|\w*[pP]rice\w*|\w*[cC]ost\w*|window\w*|interval\w*|\w*Interval|[mM]inimum\w*|\w*Per[A-Z]\w*|version)$/;

/** What several answers say together, as words of ours: prices, refunds, windows, what a repetition does. */
export const relations = ['price', 'refund', 'window', 'stages', 'idempotency', 'deletion', 'list'] as const;

/** What an account may still spend follows from its balance. */
const ofBalance = /\/global\/limit$/;
/** How long things take is a setting of the emulator, which nobody compares. */
const ofTiming = /^\/polling\//;

// A counter of bytes is as large as an instant in seconds: only the name tells them apart.
const ofTime = /(^|\/)(created|exp|iat|updated)$|(_at|At|time|Time|timestamp|reset|until)$/;

const items = 50;

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The kind of a value: never the value itself, but for words and numbers of the contract. */
export function kindOf(value: unknown, place = ''): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') {
    if (counted.test(place) && !ofBalance.test(place) && !ofTiming.test(place)) return `=${value}`;
    if (!Number.isInteger(value)) return 'number';
    return value > 1e9 && ofTime.test(place) ? 'epoch' : 'int';
  }
  if (typeof value === 'string') {
    if (value === '') return 'empty';
    if (counted.test(place) && /^\d+$/.test(value)) return `=${value}`;
    if (named.test(place) && /^[\w.: -]{1,40}$/.test(value)) return `"${value}"`;
    if (instant.test(value)) return 'instant';
    if (uuid.test(value)) return 'uuid';
    if (/^https?:\/\//.test(value)) return 'url';
    return /^\d+$/.test(value) ? (Number(value) > 1e9 ? 'epoch' : 'digits') : 'text';
  }
  return Array.isArray(value) ? 'list' : typeof value;
}

/** A name as a step of a JSON pointer. */
export const pointerStep = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Adds what several answers say together. */
export function addRelation(facts: Facts, place: (typeof relations)[number], kind: string): void {
  const kinds = facts[place] ?? [];
  if (!kinds.includes(kind)) facts[place] = [...kinds, kind].sort();
}

/** Adds the facts of an answer to those of earlier ones. */
export function addFacts(facts: Facts, { status, headers, body }: DriftAnswer): Facts {
  const add = (place: string, kind: string): void => {
    const kinds = facts[place] ?? [];
    if (!kinds.includes(kind)) facts[place] = [...kinds, kind].sort();
  };
  add('status', String(status));
  for (const [name, value] of Object.entries(headers))
    if (ofContract.test(name))
      add(
        `header ${name}`,
        name === 'content-type' ? (value.split(';')[0] ?? '').trim() : kindOf(value, `header/${name}`),
      );
  const walk = (value: unknown, place: string): void => {
    add(place === '' ? '/' : place, kindOf(value, place));
    if (Array.isArray(value)) {
      const order = orderOf(value);
      if (order !== undefined) add(`order ${place === '' ? '/' : place}`, order);
      for (const one of value.slice(0, items)) walk(one, `${place}/*`);
    } else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) walk(inner, `${place}/${pointerStep(name)}`);
  };
  if (body !== undefined) walk(body, '');
  return facts;
}

/** Whether a list has its newest or its oldest first; undefined: it does not show. */
function orderOf(list: readonly unknown[]): string | undefined {
  const times = list.map((one) => {
    const { created_at: snake, createdAt: camel, timestamp } = (one ?? {}) as Record<string, unknown>;
    return Date.parse(String(snake ?? camel ?? timestamp ?? ''));
  });
  if (times.length < 2 || times.some(Number.isNaN)) return undefined;
  const steps = times.slice(1).map((time, index) => Math.sign(time - (times[index] ?? 0)));
  if (steps.every((step) => step === 0)) return undefined;
  if (steps.every((step) => step <= 0)) return 'newest first';
  return steps.every((step) => step >= 0) ? 'oldest first' : 'neither';
}
