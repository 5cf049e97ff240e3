// The kinds of faults that are tried at a point, the mildest first, each as a rule of its own.

import type { ErrorCode } from '../../core/errors.js';
import { counted } from '../../core/words.js';
import { changesFields, type FaultEffect, type FaultPhase, type FaultWhen } from '../faults/rule.js';
import type { Point } from './points.js';
import type { SeenRequest } from './seen.js';
import type { Shown } from './shown.js';

/** When it is tried: what costs money first, what takes time last. */
export const stages = ['money', 'writes', 'answers', 'errors', 'deployments', 'outages', 'hangs'] as const;

export interface FaultKind {
  /** `lost`, `429`, `CONFLICT`, `oom-start`. */
  id: string;
  /** The effect in words, after the name of the operation. */
  says: string;
  phase?: FaultPhase;
  effect?: FaultEffect;
  /** A failure mode of the deployment, instead of a rule. */
  mode?: string;
  /** Which further requests it meets, too: those of the operation, those with the same key, or the next ones of any kind. */
  lasts?: 'operation' | 'key' | 'all';
  /** How many requests it meets; by default one, or all further ones. */
  times?: number;
  /** It begins with the response before, and concerns all worlds: a run has no other fault then. */
  isForAll?: true;
  /** Another kind represents it, or it is rare: only a full exploration tries it. */
  isAlike?: true;
}

const before: readonly FaultKind[] = [
  { id: '429', says: 'gets 429 with Retry-After: 1', effect: { error: 'RATE_LIMITED', retryAfter: 1 } },
  { id: '503', says: 'gets 503', effect: { error: 'SERVICE_UNAVAILABLE' } },
  { id: '500', says: 'gets 500', effect: { error: 'INTERNAL_ERROR' }, isAlike: true },
  { id: 'reset', says: 'has its connection reset before it takes effect', effect: { network: 'reset' } },
];
/** A gateway in front of the platform answers with a page of its own. */
const page = (status: number, title: string): FaultEffect => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html><head><title>${status} ${title}</title></head><body><h1>${status} ${title}</h1></body></html>`,
});
const afterwards: readonly FaultKind[] = [
  { id: '502', says: 'takes effect, but the client gets 502', phase: 'after', effect: { status: 502 } },
  {
    id: '504',
    says: 'takes effect, but the client gets 504 with a page of a gateway',
    phase: 'after',
    effect: page(504, 'Gateway Timeout'),
  },
  { id: 'lost', says: 'takes effect, but the response is lost', phase: 'after', effect: { network: 'reset' } },
  { id: 'cut', says: 'takes effect, but its response is cut off', phase: 'after', effect: { network: 'truncate' } },
];
/** JSON-RPC says its errors with 200: the one operation of the platform that does. */
const jsonRpc = 'hostedAgents.bridge';
const okError: FaultKind = {
  id: 'ok-error',
  says: 'is refused, with 200 and the error in the body',
  effect: { status: 200, body: { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Service unavailable' } } },
  isAlike: true,
};
const tooLarge: FaultKind = {
  id: '413',
  says: 'gets 413: its body is too large',
  effect: { error: 'PAYLOAD_TOO_LARGE' },
  isAlike: true,
};
const reads: readonly FaultKind[] = [
  { id: '502', says: 'gets 502 with a page of a gateway', effect: page(502, 'Bad Gateway') },
  { id: 'cut', says: 'gets a response that is cut off', phase: 'after', effect: { network: 'truncate' } },
  { id: 'malformed', says: 'gets only half of its JSON', phase: 'after', effect: { network: 'malformed' } },
];
/** Whether a response is valid, but says other things than without the fault. */
export const isOtherwise = ({ effect }: FaultKind): boolean => effect !== undefined && changesFields(effect);

/** Valid responses in which a read shows something else than usual. */
function otherwise({ shown }: SeenRequest): FaultKind[] {
  return shown === undefined ? [] : [...unusual(shown), ...stale(shown)];
}

const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'));

// One response with all that clients may not know: each of it is said by the platform some day.
function unusual({ status, url }: Shown): FaultKind[] {
  const field = status ?? url;
  if (field === undefined) return [];
  const hasUrl = url !== undefined && parentOf(url) === parentOf(field);
  const what = [
    ...(status === undefined ? [] : ['an unknown status (archived)']),
    ...(hasUrl ? ['null for its URL'] : []),
    'a further field',
  ];
  const set = {
    ...(status !== undefined && { [status]: 'archived' }),
    ...(hasUrl && { [url]: null }),
    [`${parentOf(field)}/annotations`]: { tier: 'gold' },
  };
  const says = `gets ${what.slice(0, -1).join(', ')} and ${what.at(-1)}`;
  return [{ id: 'unusual', says, phase: 'after', effect: { set } }];
}

// Lists may lag behind: this one lacks what the client has made just before.
function stale({ ownList }: Shown): FaultKind[] {
  if (ownList === undefined) return [];
  const says = 'gets its list as it was before the client made what is in it';
  return [{ id: 'stale', says, phase: 'after', effect: { set: { [ownList]: [] } }, isAlike: true }];
}

const broken: FaultKind = {
  id: 'broken',
  says: 'gets a stream that breaks off',
  phase: 'partial',
  effect: { network: 'close' },
};
const stalled: FaultKind = {
  id: 'stalled',
  says: 'gets a stream that stalls',
  phase: 'partial',
  effect: { network: 'hang' },
};
/** Other kinds show what a client does that waits for nothing, and what one does that gets all at once. */
const buffered: FaultKind = {
  id: 'buffered',
  says: 'gets its stream only when it has ended, all at once',
  phase: 'after',
  effect: { network: 'buffer' },
  isAlike: true,
};
const hang: FaultKind = { id: 'hang', says: 'never gets a response', effect: { network: 'hang' } };
/** For a client that waits it is the same as the hang before it takes effect; one that gives up may do it twice. */
const unheard: FaultKind = {
  id: 'unheard',
  says: 'takes effect, but never gets a response',
  phase: 'after',
  effect: { network: 'hang' },
};
const outage: FaultKind = {
  id: 'outage',
  says: 'gets 503, and so does each one after it',
  effect: { error: 'SERVICE_UNAVAILABLE' },
  lasts: 'operation',
};
const restart: FaultKind = {
  id: 'restart',
  says: 'has its connection reset, and so have the four requests after it',
  effect: { network: 'reset' },
  lasts: 'all',
  times: 5,
};

/** Longer than a client takes from a response to its next request, and shorter than most clients go on trying. */
const awayMs = 500;
const refused: FaultKind = {
  id: 'refused',
  says: `finds the platform gone: connections are refused for ${awayMs} ms, as by a restart`,
  phase: 'after',
  effect: { network: 'refuse', delay: awayMs },
  lasts: 'all',
  isForAll: true,
};

/** Errors that the platform may answer to a client that did nothing wrong. */
const surprises: Partial<Record<ErrorCode, Pick<FaultKind, 'says' | 'lasts'>>> = {
  UNAUTHORIZED: { says: 'gets 401, and so does all that is sent with its key: it has expired', lasts: 'key' },
  INSUFFICIENT_CREDITS: {
    says: 'gets 402, and so does each one after it: no credits are left',
    lasts: 'operation',
  },
  QUOTA_EXCEEDED: { says: 'gets 403, and so does each one after it: the quota is used up', lasts: 'operation' },
  CONFLICT: { says: 'gets 409' },
};

/** A fault at a point. */
export interface Try {
  point: Point;
  kind: FaultKind;
  stage: (typeof stages)[number];
  /** How mild the kind is, among all: less is milder. */
  rank: number;
  /** The fault before it: the client sends the request of this point only because of that one, or both are tried at once. */
  first?: Try;
}

const kinds = [
  ...before,
  ...Object.keys(surprises).map((id) => ({ id })),
  tooLarge,
  ...afterwards,
  okError,
  ...reads,
  broken,
];
const rankOf = (id: string): number => {
  const rank = kinds.findIndex((kind) => kind.id === id);
  return rank === -1 ? kinds.length : rank;
};

/** All that can be tried at a point. */
export function triesAt(point: Point, modes: readonly string[]): Try[] {
  const { isPaid, request, success, neverMet } = point;
  const all: [Try['stage'], readonly FaultKind[]][] = [[isPaid ? 'writes' : 'answers', before]];
  const mayWrite = success !== undefined && point.writes;
  if (mayWrite) all.push([isPaid ? 'money' : 'writes', afterwards]);
  if (success !== undefined && point.operation === jsonRpc) all.push(['writes', [okError]]);
  if (success !== undefined && request.isStream)
    all.push(['answers', within(broken, request.events)], ['hangs', [...within(stalled, request.events), buffered]]);
  else if (success !== undefined && !point.writes) all.push(['answers', [...reads, ...otherwise(request)]]);
  if (mayWrite && hasBody(request)) all.push(['writes', [tooLarge]]);
  all.push(['errors', neverMet.flatMap((code) => errorKind(code))]);
  if (success !== undefined && point.operation === 'containers.create')
    all.push([
      'deployments',
      modes.map((mode) => ({ id: mode, says: `starts a deployment that fails with ${mode}`, mode })),
    ]);
  const away = point.former === undefined ? [restart] : [restart, refused];
  all.push(['outages', mayWrite ? [...away, outage] : [outage]]);
  all.push(['hangs', [mayWrite && !request.isStream ? unheard : hang]]);
  return all.flatMap(([stage, list]) => list.map((kind) => ({ point, kind, stage, rank: rankOf(kind.id) })));
}

// The shape of a request without a body is that of its query.
const hasBody = ({ shape }: SeenRequest): boolean => !/^(?:\?\S* )?$/.test(shape);

// In the middle of a stream. The variants after its first event and before its last one (such as `[DONE]`) are tried with
// --full only.
function within(kind: FaultKind, events: number): FaultKind[] {
  if (events < 2) return [kind];
  const middle = Math.floor(events / 2);
  const others = new Map([
    [1, 'first'],
    [events - 1, 'last'],
  ]);
  const after = (afterEvents: number): Pick<FaultKind, 'says' | 'effect'> => ({
    says: `${kind.says} after ${afterEvents} of ${counted(events, 'event')}`,
    effect: { ...kind.effect, afterEvents },
  });
  return [
    { ...kind, ...after(middle) },
    ...[...others].flatMap(([count, place]): FaultKind[] =>
      count === middle ? [] : [{ ...kind, ...after(count), id: `${kind.id}-${place}`, isAlike: true }],
    ),
  ];
}

function errorKind(code: string): FaultKind[] {
  const surprise = surprises[code as ErrorCode];
  return surprise === undefined ? [] : [{ id: code, ...surprise, effect: { error: code as ErrorCode } }];
}

/** Whether the request takes effect, and its response is lost or damaged. */
export const isOfResponse = ({ kind }: Try): boolean => kind.phase !== undefined && kind.isForAll !== true;

/** The faults of a try, in their order. */
export function faultsOf(tried: Try): Try[] {
  return [...(tried.first === undefined ? [] : faultsOf(tried.first)), tried];
}

/** The key that identifies a try from one exploration to the next. */
export function tryId(tried: Try): string {
  const faults = faultsOf(tried).map(({ point, kind }) => `${point.operation} ${point.occurrence} ${kind.id}`);
  return `${tried.point.label} ${faults.join(' then ')}`;
}

/** The fault rule of a try, as scenarios have it; undefined: it is an outcome of a deployment. */
export function ruleOfTry({ point, kind }: Try) {
  const { effect, phase = 'before', lasts, times } = kind;
  if (effect === undefined) return undefined;
  if (kind.isForAll === true && point.former !== undefined)
    return { match: { operation: point.former.operation }, when: { nth: point.former.success }, phase, effect };
  const { match, number } = metBy(point, lasts, phase);
  const when: FaultWhen =
    lasts === undefined ? { nth: number } : { after: number - 1, ...(times !== undefined && { times }) };
  return { match, when, phase, effect };
}

// The requests that a fault may meet, and the number of the point among them.
function metBy({ operation, occurrence, success, place, keyId }: Point, lasts: FaultKind['lasts'], phase: FaultPhase) {
  if (lasts === 'key' && keyId !== null) return { match: { key: keyId }, number: place.ofCaller };
  if (lasts === 'key' || lasts === 'all') return { match: {}, number: place.ofAll };
  return { match: { operation }, number: phase === 'before' ? occurrence : (success ?? occurrence) };
}

/** The scenario's part that makes the world of a try. */
export function additionOf(tried: Try) {
  const rules = faultsOf(tried).flatMap((one) => ruleOfTry(one) ?? []);
  if (rules.length > 0) return { faults: rules };
  const { kind, point } = tried;
  return { containers: [{ match: { deployment: point.success ?? point.occurrence }, mode: kind.mode ?? null }] };
}
