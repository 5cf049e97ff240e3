// What one request gathers on its way through the pipeline.

import type { Context } from 'koa';
import type { ApiError } from '../core/errors.js';
import type { TableDifference } from '../db/row-difference.js';
import type { World } from '../world/world.js';
import type { AssumptionId } from './assumptions.js';
import { type CallerConnections, earlierOn } from './connections.js';
import type { Caller, Endpoint, UploadedFile } from './endpoint.js';
import type { Body } from './file-part.js';
import type { TextAnswer } from './response.js';
import { isUnread, readUnread, type WholeBody } from './unread-body.js';

/** Something that a client did wrong, seen while its secrets were still there to be seen. */
export type Finding = 'secret-in-url' | 'live-key' | 'expired-credential' | 'unknown-field';

/**
 * What became of the answer. answered: all of it was sent. lost: a fault kept all or part of it from the client.
 * aborted: the client went away before it was there. streaming: a stream that is still open.
 */
export type Outcome = 'answered' | 'lost' | 'aborted' | 'streaming';

/** Files on their way through a request. */
export interface Upload {
  readonly files: readonly UploadedFile[];
  /** The hash of its parts, once all have been read. */
  readonly hash: string | undefined;
  /** The text of its part `name`. */
  readonly formName: string | undefined;
  /** Whether all has been read. */
  readonly isWhole: boolean;
  /** Takes them away, once all has been read. */
  discard(): Promise<void>;
}

/** What modules do to errors before they are sent. */
export interface ErrorHooks {
  /** Adds to a 402 how it can be paid. */
  challenge(context: RequestContext, error: ApiError): Promise<ApiError>;
  /** The page that shows an error in a browser; undefined for programs. */
  errorPage(context: RequestContext, error: ApiError): TextAnswer | undefined;
}

/** A request and the world that it is for. */
export interface Asked {
  ctx: Context;
  world: World;
  /** Inside the world. */
  path: string;
  /** Under which the client reached the emulator, without a trailing slash. */
  origin: string;
  errors: ErrorHooks;
}

/** One request in a world. */
export interface RequestContext {
  readonly ctx: Context;
  readonly world: World;
  readonly errors: ErrorHooks;
  readonly requestId: string;
  /** The data that it began with: see World.epoch. */
  readonly epoch: number;
  /** Virtual time at its arrival. */
  readonly arrivedAt: number;
  /** Virtual time at which it acts: at its arrival, unless something held it up. */
  now: number;
  /** Wall time at the start, for the duration. */
  readonly startedAt: number;
  /** The path inside the world. */
  readonly path: string;
  readonly baseUrl: string;
  params: Record<string, string>;
  endpoint: Endpoint | undefined;
  /** The endpoint only lends its errors their form: none answers the path. */
  isUnmatched?: true;
  caller: Caller | undefined;
  /** Whose rate windows it counts in. */
  bucketOwner: string;
  /** Why there is no caller. */
  refusal: ApiError | undefined;
  /** Of the answer, besides those that every answer has. */
  headers: Record<string, string>;
  warnings: string[];
  /** Beyond those that the endpoint declares. */
  assumptions: AssumptionId[] | undefined;
  errorCode: string | null;
  fault: string | null;
  /** What became of the answer. */
  outcome: Outcome;
  /** What the client did wrong, so far as it was seen on the way. */
  findings: Finding[] | undefined;
  /** What was asked for has happened, though the answer is lost. */
  happened: boolean;
  /** Those of all callers; control has none. */
  readonly connections: CallerConnections | undefined;
  /** No client has sent it: it counts nowhere. */
  readonly aside: boolean;
  /** How many other connections the caller has open. */
  otherConnections: number;
  /** How many requests came by its connection before. */
  readonly earlierRequests: number;
  /** The answer as it went out, where it is text. */
  responseText: string | undefined;
  /** Its length, where only its beginning is at hand. */
  responseLength: number | undefined;
  /** The rows that it changed; undefined where nobody wanted to know. */
  readonly rowChanges: TableDifference[] | undefined;
  /** The files that came with the body. */
  upload: Upload | undefined;
  /** The body, where it was not read before the answer. */
  unread: Promise<WholeBody | undefined> | undefined;
  /** Sends the answer in another way than at once and whole. */
  transmit: ((status: number, headers: Record<string, string>, body: string | Body) => void) | undefined;
}

/** Begins a request in a world. */
export function beginRequest(
  { ctx, world, path, origin, errors }: Asked,
  connections: CallerConnections | undefined,
): RequestContext {
  // What control asks takes no request number: the ids of the platform's requests must not depend on it.
  const aside = connections === undefined;
  const now = world.clock.now();
  return {
    ctx,
    world,
    errors,
    requestId: aside ? 'control' : world.requestId(world.usage.nextRequest()),
    epoch: world.epoch,
    arrivedAt: now,
    now,
    startedAt: performance.now(),
    path,
    baseUrl: origin + world.prefix,
    params: {},
    endpoint: undefined,
    caller: undefined,
    bucketOwner: 'unknown',
    refusal: undefined,
    headers: {},
    warnings: [],
    assumptions: undefined,
    errorCode: null,
    fault: null,
    outcome: 'answered',
    findings: undefined,
    happened: false,
    connections,
    aside,
    otherConnections: 0,
    earlierRequests: earlierOn(ctx.req.socket),
    responseText: undefined,
    responseLength: undefined,
    rowChanges: world.db.recorder.begin(),
    upload: undefined,
    unread: undefined,
    transmit: undefined,
  };
}

/** Names an assumption that this answer rests on. */
export function assume(context: RequestContext, id: AssumptionId): void {
  context.assumptions = [...new Set([...(context.assumptions ?? []), id])];
}

/** How many warnings a request gets; of what may come in any number, callers tell the first and a count. */
const mostWarnings = 50;

/** Tells the client something it should know; each thing once, and without the secrets that a client has misplaced. */
export function warn(context: RequestContext, text: string): void {
  if (context.warnings.length >= mostWarnings) return;
  const clean = context.world.redactor.text(text);
  if (!context.warnings.includes(clean)) context.warnings.push(clean);
}

/** Notes for the journal what the client did wrong. */
export function note(context: RequestContext, finding: Finding): void {
  if (context.findings?.includes(finding) === true) return;
  context.findings = [...new Set([...(context.findings ?? []), finding])];
}

/** Reads a body that is otherwise left unread, or waits for the one that is being read; undefined without such a body. */
export function readRest(context: RequestContext): Promise<WholeBody | undefined> | undefined {
  const { req } = context.ctx;
  if (context.unread === undefined && isUnread(req)) context.unread = readUnread(req);
  return context.unread;
}

/** The caller's key, distinct from those of other worlds. */
export function callerOf({ world, bucketOwner }: RequestContext): string {
  return `${world.id} ${bucketOwner}`;
}
