// Selects the fault rule for a request: the one in its header, else the oldest that matches and whose conditions hold.

import type { IncomingMessage } from 'node:http';
import { wallNow } from '../../core/clock.js';
import { invalid } from '../../core/errors.js';
import { readJson } from '../../core/json.js';
import { fitsPattern } from '../../core/patterns.js';
import { hashSecret } from '../../core/random.js';
import { readRegex, regexFinds } from '../../core/safe-regex.js';
import { isTree } from '../../core/tree.js';
import { cached } from '../../db/cached-reads.js';
import type { RequestContext, Routed } from '../../http/request-context.js';
import { plainPath } from '../../http/routes.js';
import { isShort, peekBody, type WholeBody } from '../../http/unread-body.js';
import { checkInput } from '../../http/validate.js';
import type { World } from '../../world/world.js';
import { effectProblems } from './check-effect.js';
import { actionOf, type FaultAction, type FaultMatch, type FaultWhen, headerFaultRequest } from './rule.js';
import { countFault, type FaultCounts, type FaultRow, listFaultRules, markLost, readFaultCounts } from './store.js';

// The header X-Emulator-Fault: a fault for the request that carries it.

const place = 'X-Emulator-Fault';
const longest = 4_096;

/**
 * The phase and effect in the header.
 *
 * @throws ApiError VALIDATION_ERROR that names the header and the field
 */
function readFaultHeader(header: string): FaultAction {
  if (header.length > longest)
    throw invalid({ path: place, message: 'must be at most 4 KB', received: `${header.length} bytes` });
  // Node decodes header bytes as Latin-1; JSON is UTF-8.
  const reading = readJson(Buffer.from(header, 'latin1').toString('utf8'));
  if ('problem' in reading)
    throw invalid({ path: place, message: `must be JSON such as {"effect":{"status":503}}: ${reading.problem}` });
  const { value } = reading;
  if (!isTree(value)) throw invalid({ path: place, message: 'must be an object such as {"effect":{"status":503}}' });
  for (const name of ['match', 'when'])
    if (Object.hasOwn(value, name))
      throw invalid({
        path: `${place}.${name}`,
        message: 'has no place here: the header is for its own request, at once',
      });
  const action = actionOf(checkInput(headerFaultRequest, value, { place, strict: true, warn: () => {} }));
  const problems = effectProblems(action);
  if (problems.length > 0)
    throw invalid(...problems.map((problem) => ({ ...problem, path: `${place}.${problem.path}` })));
  return action;
}

/** The rule that acts on a request. */
export interface FiringFault {
  /** The rule's id; `header` for one that came with the request. */
  id: string;
  seq: number | undefined;
  action: FaultAction;
  /** Wall milliseconds. */
  delayMs: number | undefined;
  /**
   * The client has silently repeated a request whose connection was broken, as browsers do. The first one has taken effect and
   * was counted: the repetition takes none, is not counted, and its connection is broken as well.
   */
  repeated: boolean;
}

/** The fault rules that concern a request. */
export interface SelectedFault {
  firing: FiringFault | undefined;
  /** The rules that have counted it and count successes only. */
  counted: number[];
}

/**
 * Selects a rule and counts the request; undefined when no rule concerns it.
 *
 * @throws ApiError VALIDATION_ERROR for a header that is not a rule
 */
export async function selectFaultRule(context: Routed): Promise<SelectedFault | undefined> {
  const { world, ctx } = context;
  const header = ctx.req.headers['x-emulator-fault'];
  if (typeof header === 'string' && header !== '') {
    const action = readFaultHeader(header);
    const delayMs = delayOf(world, action, context.requestId, 0);
    return { firing: { id: 'header', seq: undefined, action, delayMs, repeated: false }, counted: [] };
  }
  const rules = allRules(world.db);
  if (rules.length === 0) return undefined;

  const repeated = mayRepeat(context, rules) ? digest(context, await bodyToCome(context)) : undefined;
  const facts = factsOf(context);
  const counted: number[] = [];
  for (const { seq, id, expires_at: expiresAt, rule } of rules) {
    const isInForce = (rule.beginsAt ?? 0) <= context.now && context.now < (expiresAt ?? Number.POSITIVE_INFINITY);
    if (!isInForce || !matchesRule(rule.match, facts)) continue;
    const counts = readFaultCounts(world.db, seq);
    if (counts === undefined) continue;
    const number = counts.hits + 1;
    const fault = { id, seq, action: rule, delayMs: delayOf(world, rule, id, number) };
    if (repeated !== undefined && isFresh(counts) && counts.lost === repeated)
      return { firing: { ...fault, repeated: true }, counted };
    const seen = counts.seen + 1;
    const hit = fires(rule.when, seen, counts.hits, () => world.random.fraction('fault', id, seen));
    count(context, seq, 1, hit ? 1 : 0);
    if (hit) return { firing: { ...fault, repeated: false }, counted };
    if (rule.phase !== 'before') counted.push(seq);
  }
  return counted.length === 0 ? undefined : { firing: undefined, counted };
}

/** Takes a request without a success out of the counts of rules that count successes only: those of the phases after and partial. */
export function uncountRequest(context: RequestContext, { firing, counted }: SelectedFault): void {
  if (context.world.isClosed || context.world.epoch !== context.epoch) return;
  for (const seq of counted) count(context, seq, -1, 0);
  if (firing?.seq !== undefined && firing.action.phase !== 'before' && !firing.repeated)
    count(context, firing.seq, -1, -1);
}

function count({ world, label }: RequestContext, seq: number, seen: number, hits: number): void {
  world.remembered.as({ ...label, kind: 'fault' }, () => countFault(world.db, seq, seen, hits));
}

/** Takes back that a rule has fired, because it could change nothing in the response. The request stays counted. */
export function uncountFiring(context: RequestContext, { firing }: SelectedFault): void {
  const { world, epoch } = context;
  if (firing?.seq !== undefined && !world.isClosed && world.epoch === epoch) count(context, firing.seq, 0, -1);
}

const allRules = cached(['faults'], (db): readonly FaultRow[] => listFaultRules(db));

function factsOf({ ctx, path, caller, endpoint }: Routed): RequestFacts {
  return {
    operation: endpoint.id,
    method: ctx.method,
    path,
    keyId: caller?.keyId ?? null,
    organizationId: caller?.organizationId ?? null,
    header: (name) => (ctx.req.headers[name] === undefined ? undefined : ctx.get(name)),
  };
}

function delayOf(world: World, { effect }: FaultAction, id: string, number: number): number | undefined {
  const { delay } = effect;
  if (typeof delay !== 'object') return delay;
  return Math.round(delay.min + (delay.max - delay.min) * world.random.fraction('fault-delay', id, number));
}

// Some clients silently repeat a request when its connection ended without a byte of the response and had carried a
// response before. Node's fetch does not.
const repeaters = /^(?:Mozilla|curl|Go-http-client|okhttp|Java-http-client|Apache-HttpClient)\/|\baiohttp\//;
const repeatWithinMs = 1_000;
/** A 100 Continue is not a response. */
const continueBytes = 25;

/** Records a request whose connection was broken, so that its silent repetition is recognised. */
export function rememberBreak(context: RequestContext, firing: FiringFault, body: WholeBody | undefined): void {
  const { ctx, world } = context;
  if (firing.seq === undefined || world.epoch !== context.epoch || !repeaters.test(ctx.get('user-agent'))) return;
  const reused = ctx.req.socket.bytesWritten > continueBytes;
  markLost(world.db, firing.seq, reused ? digest(context, bodyOf(context, body)) : null, reused ? wallNow() : null);
}

function mayRepeat({ ctx, world }: RequestContext, rules: readonly FaultRow[]): boolean {
  if (!repeaters.test(ctx.get('user-agent'))) return false;
  return rules.some(({ seq }) => isFresh(readFaultCounts(world.db, seq)));
}

function isFresh(counts: FaultCounts | undefined): boolean {
  if (counts?.lost_at == null) return false;
  const elapsed = wallNow() - counts.lost_at;
  return elapsed >= 0 && elapsed <= repeatWithinMs;
}

// Forms and long bodies are compared by length only: they are repeated unchanged.
async function bodyToCome({ ctx: { req } }: RequestContext): Promise<string> {
  const bytes = isForm(req) ? undefined : await peekBody(req);
  return bytes === undefined ? '' : hashSecret(bytes.toString());
}

function bodyOf({ ctx, bodyText }: RequestContext, unread: WholeBody | undefined): string {
  const text = unread?.text ?? bodyText;
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

// Decides whether a request matches a fault rule's selectors, and whether the rule fires.

/** The parts of a request that selectors read. */
export interface RequestFacts {
  operation: string | null;
  method: string;
  /** The path inside the world. */
  path: string;
  keyId: string | null;
  organizationId: string | null;
  /** By name in lower case. */
  header: (name: string) => string | undefined;
}

/** Whether a request matches all selectors of a rule. */
export function matchesRule(match: FaultMatch, facts: RequestFacts): boolean {
  const { operation, method, path, key, organization, headers } = match;
  if (facts.operation === null) return false;
  if (operation !== undefined && !fitsPattern(operation, facts.operation)) return false;
  // The handler of GET also serves HEAD.
  if (method !== undefined && method !== (facts.method === 'HEAD' ? 'GET' : facts.method)) return false;
  if (key !== undefined && key !== facts.keyId) return false;
  if (organization !== undefined && organization !== facts.organizationId) return false;
  if (path !== undefined && !fitsPattern(asFound(path), asFound(facts.path))) return false;
  return headers === undefined || Object.entries(headers).every(([name, want]) => fitsHeader(want, facts.header(name)));
}

function fitsHeader(wanted: string, value: string | undefined): boolean {
  if (value === undefined) return false;
  const regex = readRegex(wanted);
  return regex === undefined ? wanted === value : regexFinds(regex, value);
}

// Whatever leads to one endpoint is one path.
function asFound(path: string): string {
  const plain = plainPath(path);
  return plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain;
}

/**
 * Whether a rule fires on a request that matches it.
 *
 * @param seen the number of matching requests, this one included
 * @param hits on how many of the earlier ones it has fired
 * @param draw a number in [0, 1) for this request
 */
export function fires(when: FaultWhen, seen: number, hits: number, draw: () => number): boolean {
  const number = seen - (when.after ?? 0);
  if (number < 1 || isSpent(when, seen - 1, hits)) return false;
  if (when.nth !== undefined && number !== when.nth) return false;
  if (when.every !== undefined && number % when.every !== 0) return false;
  return when.probability === undefined || draw() < when.probability;
}

/** Whether a rule can never fire again. */
export function isSpent({ times, nth, after = 0 }: FaultWhen, seen: number, hits: number): boolean {
  return (times !== undefined && hits >= times) || (nth !== undefined && seen >= nth + after);
}
