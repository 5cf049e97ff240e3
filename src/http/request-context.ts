// The state of one request, which the steps of the pipeline read and fill in.

import type { Context } from 'koa';
import type { ApiError } from '../core/errors.js';
import { elapsed } from '../core/real-time.js';
import type { Label } from '../db/history-entry.js';
import type { World } from '../world/world.js';
import type { AssumptionId } from './assumptions.js';
import { type CallerConnections, connectionOf } from './connections.js';
import type { Caller, Endpoint, HandlerContext, UploadedFile } from './endpoint.js';
import type { Body } from './file-part.js';
import type { Answer, TextAnswer } from './response.js';
import { isUnread, readUnread, type WholeBody } from './unread-body.js';

/** A mistake of a client that must be noted early: the journal, which has no secrets, could not show it later. */
export type Finding = 'secret-in-url' | 'live-key' | 'expired-credential' | 'unknown-field';

/**
 * The end of the response. answered: it was sent whole. lost: a fault kept all or part of it from the client.
 * aborted: the client disconnected before it was ready. streaming: it is a stream that is still open.
 */
export type Outcome = 'answered' | 'lost' | 'aborted' | 'streaming';

/** The files of a request's form, which exist until the request ends. */
export interface Upload {
  readonly files: readonly UploadedFile[];
  /** The hash of the form's parts; undefined until all have been read. */
  readonly hash: string | undefined;
  /** The text of the form's part `name`. */
  readonly formName: string | undefined;
  /** Whether the form has been read to its end. */
  readonly isWhole: boolean;
  /** Removes the files, once the form has been read to its end. */
  discard(): Promise<void>;
}

/** What the journal keeps of a body of which it keeps only the beginning. */
interface LongBody {
  /** In characters. */
  length: number;
  /** The hash of the bytes. */
  hash: string;
  /** Whether it holds a key of the platform itself. */
  holdsLive: boolean;
}

/** The functions by which modules change errors before they are sent. */
export interface ErrorHooks {
  /** Adds to a 402 how it can be paid. */
  challenge(context: RequestContext, error: ApiError): Promise<ApiError>;
  /** The page that shows an error in a browser; undefined for programs. */
  errorPage(context: RequestContext, error: ApiError): TextAnswer | undefined;
}

/** The result of reading a request's credentials. */
export interface Identity {
  caller: Caller | undefined;
  /** The reason for the missing caller; thrown after the limiter has counted the request. */
  refusal: ApiError | undefined;
  /** The owner of the rate windows in which the request counts. */
  bucketOwner: string;
  /** The problem of the credentials, for the journal. */
  finding?: Finding;
  /** The request has no credentials: if it brings a payment, it acts as the wallet that pays. */
  anonymous?: true;
}

/** The payment of a request, before it is verified. */
export interface Offer {
  /** Whether the payment replaces credentials. */
  readonly authenticates: boolean;
  /**
   * Verifies the payment against the price of the request.
   *
   * @throws ApiError PAYMENT_REQUIRED with the protocol's reason
   */
  verify(call: HandlerContext): Promise<VerifiedPayment | undefined>;
}

/** A payment that was verified. */
export interface VerifiedPayment {
  /**
   * Settles the payment, first in the handler's transaction.
   *
   * @returns the 402 if it cannot be settled; the transaction is committed before it is sent
   */
  settle(): ApiError | undefined;
  /** Gives the caller the credits that the operation is about to take. */
  cover(caller: Caller): void;
  /** The headers that tell the payer of the settlement. */
  headers(): Record<string, string>;
}

/** A request and the world that it is for. */
export interface WorldRequest {
  ctx: Context;
  world: World;
  /** The path inside the world. */
  path: string;
  /** The origin under which the client reached the emulator, without a trailing slash. */
  origin: string;
  errors: ErrorHooks;
}

/** One request in a world, from its arrival to its record in the journal. */
export class RequestContext {
  readonly ctx: Context;
  readonly world: World;
  readonly errors: ErrorHooks;
  /** The open connections of all callers; undefined for internal requests. */
  readonly connections: CallerConnections | undefined;
  /**
   * A command sent the request for its own purposes (core/internal-request.ts), or it is for the control plane: no limit, fault
   * or journal applies.
   */
  readonly isInternal: boolean;
  readonly requestId: string;
  /** What belongs to it in the history of its world. */
  readonly label: Label;
  /** The epoch of the world when the request began: see World.epoch. */
  readonly epoch: number;
  /** Virtual time at which the request arrived. */
  readonly arrivedAt: number;
  /** Virtual time at which the request takes effect: its arrival, or later if a fault or a slow body delayed it. */
  now: number;
  /** `performance.now()` at the start, from which the duration is computed. */
  readonly startedAt = elapsed();
  /** Number of requests that came on the same connection before. */
  readonly earlierRequests: number;
  /** The path inside the world. */
  readonly path: string;
  readonly baseUrl: string;
  params: Record<string, string> = {};
  endpoint: Endpoint | undefined = undefined;
  /** The error of a request that finds no endpoint, or no world; `limitOrEnd` throws it. */
  routeError: ApiError | undefined = undefined;
  /** No endpoint matches the path; `endpoint` only gives the error its format. */
  isUnmatched = false;
  /** A preflight, a document or a page: no window counts it, and the journal does not contain it. */
  isUnrecorded = false;
  /** The credentials of the request, once they are read. */
  identity: Identity | undefined = undefined;
  caller: Caller | undefined = undefined;
  /** The transaction is committed in which the account of the caller is created. */
  isClaimed = false;
  /** Number of other connections that the caller has open. */
  otherConnections = 0;
  /** The payment that the request brings. */
  offer: Offer | undefined = undefined;
  /** The body as it came, or its beginning, for the journal; undefined before it is read, and for forms. */
  bodyText: string | undefined = undefined;
  /** The body, once it is asked for: it can be read only once. */
  body: Promise<unknown> | undefined = undefined;
  /** What is known of the body, if it is JSON that is too long for the journal. */
  longBody: LongBody | undefined = undefined;
  /** The files in the body, if it is a form. */
  upload: Upload | undefined = undefined;
  /** The body, if the response was decided before it was read. */
  unread: Promise<WholeBody | undefined> | undefined = undefined;
  /** The request as its handler sees it, once it is checked. */
  call: HandlerContext | undefined = undefined;
  /** What the request is answered with; `reply` sends it. */
  answer: Answer | undefined = undefined;
  /** Whether the operation has taken effect, even if a fault then loses the response. */
  happened = false;
  /** Headers of the response, in addition to those that every response has. */
  headers: Record<string, string> = {};
  /** Headers that a fault rule gives the response; they replace those of the same name. */
  ownHeaders: Record<string, string> | undefined = undefined;
  warnings: string[] = [];
  /** Assumptions in addition to those that the endpoint declares. */
  assumptions: AssumptionId[] | undefined = undefined;
  errorCode: string | null = null;
  fault: string | null = null;
  outcome: Outcome = 'answered';
  /** The mistakes of the client that were noticed so far. */
  findings: Finding[] | undefined = undefined;
  /** Sends the response in place of the usual way; a fault sets it to send it slowly or in part. */
  transmit: ((status: number, headers: Record<string, string>, body: string | Body) => Promise<void>) | undefined =
    undefined;
  /** The response as it was sent, if it is text. */
  responseText: string | undefined = undefined;
  /** The length of the response, if `responseText` is only its beginning. */
  responseLength: number | undefined = undefined;
  /** The number of its record in the journal, once it has one. */
  notedAs: number | undefined = undefined;

  /** Begins a request in a world. */
  constructor({ ctx, world, path, origin, errors }: WorldRequest, connections: CallerConnections | undefined) {
    this.ctx = ctx;
    this.world = world;
    this.errors = errors;
    this.path = path;
    this.baseUrl = origin + world.prefix;
    this.connections = connections;
    this.isInternal = connections === undefined;
    if (!this.isInternal) world.clock.begin();
    this.arrivedAt = world.clock.now();
    this.now = this.arrivedAt;
    this.epoch = world.epoch;
    this.earlierRequests = connectionOf(ctx.req.socket).requests - 1;
    // Control requests take no request number: the ids of the platform's requests must not depend on them.
    this.requestId = this.isInternal ? 'control' : world.requestId(world.usage.nextRequest());
    this.label = this.isInternal
      ? { kind: 'control' }
      : { kind: 'request', request: this.requestId, ...world.remembered.begun() };
  }
}

/** A request from the step on that has found its endpoint and its caller. */
export type Routed = RequestContext & { endpoint: Endpoint; identity: Identity };

/** Notes an assumption that the response rests on. */
export function assume(context: RequestContext, id: AssumptionId): void {
  context.assumptions = [...new Set([...(context.assumptions ?? []), id])];
}

/** Maximum number of warnings per request; where there may be many, callers warn of the first ones and their number. */
const mostWarnings = 50;

/** Adds a warning to the response: each text once, and without the secrets that it may repeat from the request. */
export function warn(context: RequestContext, text: string): void {
  if (context.warnings.length >= mostWarnings) return;
  const clean = context.world.redactor.text(text);
  if (!context.warnings.includes(clean)) context.warnings.push(clean);
}

/** Notes a mistake of the client for the journal. */
export function note(context: RequestContext, finding: Finding): void {
  if (context.findings?.includes(finding) === true) return;
  context.findings = [...new Set([...(context.findings ?? []), finding])];
}

/** Reads the body if nothing has read it yet, or waits for the one that is being read; undefined without a body. */
export function readRest(context: RequestContext): Promise<WholeBody | undefined> | undefined {
  const { req } = context.ctx;
  if (context.unread === undefined && isUnread(req)) context.unread = readUnread(req);
  return context.unread;
}

/** The caller as a key for maps that serve all worlds: the same caller in another world has another one. */
export function callerOf({ world, identity }: RequestContext): string {
  return `${world.id} ${identity?.bucketOwner ?? 'unknown'}`;
}

/** Puts the headers that a fault rule gives a response in the place of those that it has. */
export function withOwnHeaders<Headers extends object>({ ownHeaders }: RequestContext, headers: Headers): Headers {
  if (ownHeaders === undefined) return headers;
  const names = new Set(Object.keys(ownHeaders).map((name) => name.toLowerCase()));
  for (const name of Object.keys(headers)) if (names.has(name.toLowerCase())) delete headers[name as keyof Headers];
  return Object.assign(headers, ownHeaders);
}
