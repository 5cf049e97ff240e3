// Which fault rule acts on a request: the one in its header, else the oldest that fits and whose conditions hold.

import type { IncomingMessage } from 'node:http';
import { wallNow } from '../../core/clock.js';
import { hashSecret } from '../../core/random.js';
import type { Endpoint } from '../../http/endpoint.js';
import type { RequestContext } from '../../http/request-context.js';
import { isShort, peekBody, type WholeBody } from '../../http/unread-body.js';
import type { World } from '../../world/world.js';
import { readFaultHeader } from './header.js';
import { acts, fits, type RequestFacts } from './match.js';
import type { FaultAct, FaultRule } from './rule.js';
import { countFault, type FaultCounts, listFaultRules, markLost, readFaultCounts } from './store.js';

/** The rule that acts on a request. */
export interface ActingFault {
  /** Of the rule; `header` for one that came with the request. */
  id: string;
  seq: number | undefined;
  act: FaultAct;
  /** Wall milliseconds. */
  delayMs: number | undefined;
  /** The client sent this request by itself once more: it is not counted again. */
  repeated: boolean;
}

/** What fault rules have to do with a request. */
export interface ChosenFault {
  acting: ActingFault | undefined;
  /** The rules that have counted it and count successes only. */
  counted: number[];
  epoch: number;
}

interface ArmedRule {
  seq: number;
  id: string;
  expiresAt: number | null;
  rule: FaultRule;
}

/**
 * Chooses, and counts; undefined when no rule has anything to do with the request.
 *
 * @throws ApiError VALIDATION_ERROR for a header that is no rule
 */
export function selectFaultRule(
  context: RequestContext,
  endpoint: Endpoint,
): ChosenFault | undefined | Promise<ChosenFault | undefined> {
  const { world, ctx, epoch } = context;
  const header = ctx.req.headers['x-emulator-fault'];
  if (typeof header === 'string' && header !== '') {
    const act = readFaultHeader(header);
    const delayMs = delayOf(world, act, context.requestId, 0);
    return { acting: { id: 'header', seq: undefined, act, delayMs, repeated: false }, counted: [], epoch };
  }
  const rules = armedRules(world);
  if (rules.length === 0) return undefined;

  if (!mayRepeat(context, rules)) return chooseAmong(context, endpoint, rules, undefined);
  return bodyToCome(context).then((body) => chooseAmong(context, endpoint, rules, digest(context, body)));
}

function chooseAmong(
  context: RequestContext,
  endpoint: Endpoint,
  rules: readonly ArmedRule[],
  repeated: string | undefined,
): ChosenFault | undefined {
  const { world, epoch } = context;
  const facts = factsOf(context, endpoint);
  const counted: number[] = [];
  for (const { seq, id, expiresAt, rule } of rules) {
    if ((expiresAt !== null && expiresAt <= context.now) || !fits(rule.match, facts)) continue;
    const counts = readFaultCounts(world.db, seq);
    if (counts === undefined) continue;
    const number = counts.hits + 1;
    const chosen = { id, seq, act: rule, delayMs: delayOf(world, rule, id, number) };
    if (repeated !== undefined && isFresh(counts) && counts.lost === repeated)
      return { acting: { ...chosen, repeated: true }, counted, epoch };
    const seen = counts.seen + 1;
    const hit = acts(rule.when, seen, counts.hits, () => world.random.fraction('fault', id, seen));
    countFault(world.db, seq, 1, hit ? 1 : 0);
    if (hit) return { acting: { ...chosen, repeated: false }, counted, epoch };
    if (rule.phase !== 'before') counted.push(seq);
  }
  return counted.length === 0 ? undefined : { acting: undefined, counted, epoch };
}

/** Uncounts a request that failed by itself, for the rules that wait for a success. */
export function takeBack({ world }: RequestContext, { acting, counted, epoch }: ChosenFault): void {
  if (world.epoch !== epoch) return;
  for (const seq of counted) countFault(world.db, seq, -1, 0);
  if (acting?.seq !== undefined && acting.act.phase !== 'before' && !acting.repeated)
    countFault(world.db, acting.seq, -1, -1);
}

function armedRules({ db }: World): readonly ArmedRule[] {
  return db.memo('faults', 'armed', () =>
    listFaultRules(db).map(({ seq, id, expires_at: expiresAt, rule }) => ({
      seq,
      id,
      expiresAt,
      rule: JSON.parse(rule) as FaultRule,
    })),
  );
}

function factsOf({ ctx, path, caller }: RequestContext, endpoint: Endpoint): RequestFacts {
  return {
    operation: endpoint.id,
    method: ctx.method,
    path,
    keyId: caller?.keyId ?? null,
    organizationId: caller?.organizationId ?? null,
    header: (name) => (ctx.req.headers[name] === undefined ? undefined : ctx.get(name)),
  };
}

function delayOf(world: World, { effect }: FaultAct, id: string, number: number): number | undefined {
  const { delay } = effect;
  if (typeof delay !== 'object') return delay;
  return Math.round(delay.min + (delay.max - delay.min) * world.random.fraction('fault-delay', id, number));
}

// Clients that send a request again by themselves, unseen, when its connection ended without a byte of an answer and
// had carried an answer before. Node's fetch does not.
const repeaters = /^(?:Mozilla|curl|Go-http-client|okhttp|Java-http-client|Apache-HttpClient)\/|\baiohttp\//;
const repeatWithinMs = 1_000;
/** What asks for the body of a first request is no answer. */
const continueBytes = 25;

/** Notes a request whose connection was broken, so that its silent repetition can be known. */
export function rememberBreak(context: RequestContext, acting: ActingFault, body: WholeBody | undefined): void {
  const { ctx, world } = context;
  if (acting.seq === undefined || world.epoch !== context.epoch || !repeaters.test(ctx.get('user-agent'))) return;
  const reused = ctx.req.socket.bytesWritten > continueBytes;
  markLost(world.db, acting.seq, reused ? digest(context, bodyOf(context, body)) : null, reused ? wallNow() : null);
}

function mayRepeat({ ctx, world }: RequestContext, rules: readonly ArmedRule[]): boolean {
  if (!repeaters.test(ctx.get('user-agent'))) return false;
  return rules.some(({ seq }) => isFresh(readFaultCounts(world.db, seq)));
}

function isFresh(counts: FaultCounts | undefined): boolean {
  if (counts?.lost_at == null) return false;
  const elapsed = wallNow() - counts.lost_at;
  return elapsed >= 0 && elapsed <= repeatWithinMs;
}

// Forms and long bodies are known by their length only: they are repeated whole.
async function bodyToCome({ ctx: { req } }: RequestContext): Promise<string> {
  const bytes = isForm(req) ? undefined : await peekBody(req);
  return bytes === undefined ? '' : hashSecret(bytes.toString());
}

function bodyOf({ ctx }: RequestContext, unread: WholeBody | undefined): string {
  const { body } = ctx.request as { body?: unknown };
  const text = unread?.text ?? (typeof body === 'string' ? body : undefined);
  return text === undefined || text === '' || isForm(ctx.req) || !isShort(ctx.req) ? '' : hashSecret(text);
}

function isForm({ headers }: IncomingMessage): boolean {
  return /^multipart\//i.test(headers['content-type'] ?? '');
}

function digest({ ctx, world, caller }: RequestContext, body: string): string {
  const { method, url, req } = ctx;
  const who = caller?.bucketOwner ?? req.socket.remoteAddress ?? '';
  const parts = [
    world.id,
    method,
    url,
    who,
    req.headers['content-length'] ?? '',
    req.headers['user-agent'] ?? '',
    body,
  ];
  return hashSecret(parts.join('\n')).slice(0, 16);
}
