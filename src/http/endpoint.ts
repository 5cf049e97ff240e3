// The one declaration of an endpoint; routing, gates, validation, documents and tests are read from it.

import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type * as z from 'zod';
import type { Feature } from '../config/limit-features.js';
import type { Config } from '../config/schema.js';
import type { ApiError, ErrorCode } from '../core/errors.js';
import type { Micros } from '../core/money.js';
import type { World } from '../world/world.js';
import type { AssumptionId } from './assumptions.js';
import type { Answer, KeptError, LaterAnswer } from './response.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The caller of a request: found by `authenticate`, read by handlers. */
export interface Caller {
  kind: 'key' | 'session' | 'wallet' | 'payer';
  organizationId: string;
  userId: string;
  /** null for callers without a key. */
  keyId: string | null;
  /** Only for callers with a session. */
  sessionId?: string;
  /** null: everything is allowed. */
  permissions: string[] | null;
  /** The key's own limit of requests per minute. */
  rateLimit: number;
  /** The owner of the rate windows in which the requests count. */
  bucketOwner: string;
  /**
   * Creates the caller's account or uses up the signature, if the request needs that. It runs first in the handler's
   * transaction, so that a refusal undoes it.
   */
  claim?: () => void;
}

/** One request, as a handler sees it. */
export interface HandlerContext<Params = unknown, Query = unknown, Body = unknown> {
  readonly world: World;
  /** Virtual time, read once per request. */
  readonly now: number;
  readonly requestId: string;
  readonly operation: string;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The files of the body; they are deleted after `prepare`. */
  readonly files: readonly UploadedFile[];
  /** @throws when the endpoint is public and the request has no valid credentials, with the reason */
  readonly caller: Caller;
  /** The caller, or undefined without valid credentials. */
  readonly identified: Caller | undefined;
  /** The origin and world prefix that returned URLs begin with, without a trailing slash. */
  readonly baseUrl: string;
  /** The path under which the client finds this world. */
  readonly cookiePath: string;
  header(name: string): string | undefined;
  /** The request as it came, to be passed on. */
  readonly received: ReceivedRequest;
  /** Whether only the headers of the answer are asked for. */
  readonly isHead: boolean;
  /** The unread body of an endpoint without `body`: its `prepare` reads it in pieces, as it may be larger than memory. */
  readonly content: AsyncIterable<Buffer>;
  /** Adds a warning to X-Emulator-Warning and the journal. */
  warn(text: string): void;
  /** The settled payment that replaces credits. */
  payment?: Settlement;
  /** The result of `prepare`. */
  prepared?: unknown;
}

/** A request as it came. */
export interface ReceivedRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  /** The path inside the world, as it was written. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly search: string;
  /** The JSON of the body with unknown fields; undefined without a body. */
  readonly json: unknown;
}

/** A file of a form, in a private directory until `prepare` has ended. */
export interface UploadedFile {
  /** The form's field. */
  field: string;
  /** The file's name as the client gives it; never a path. */
  name: string;
  bytes: number;
  path: string;
}

/** The files of a multipart/form-data body; `body` declares its text fields. */
export interface UploadDeclaration {
  /** The fields that hold a file each; the first one is required. */
  fields: readonly string[];
  /** Other fields that may hold one. */
  pattern?: RegExp;
  maxFiles: number;
  /** The largest size of a file; a larger one is 413. */
  maxFileBytes: number;
  /** The largest size of the whole body; a larger one is 413. */
  maxBytes: number;
}

/** A payment with USDC (x402) that was settled. */
export interface Settlement {
  /** The version of the protocol. */
  version: 1 | 2;
  /** The wallet that paid, in lower case. */
  payer: string;
  /** Atomic units of USDC that moved. */
  amount: number;
  /** The credits that the caller was given for it, in micro-credits; none where there is a fee. */
  credited: Micros;
  /** The hash of the transfer: it follows from seed and payment. */
  transaction: string;
  /** The name of the network in the version of the payment. */
  network: string;
}

/** Polling: repeated requests by which a client sees whether something is done. */
export interface Polling {
  for: PolledNoun;
  /**
   * Whether a response body shows the thing in progress; the journal holds its beginning, so it may be no whole JSON. Without it,
   * the response lists only what is done.
   */
  underWay?: (body: string) => boolean;
  /** The query selects lines of one thing, so polls with different queries count as the same poll. */
  anyQuery?: true;
}

/** The things that clients poll for. */
export type PolledNoun = 'container' | 'voice' | 'job';

interface ResponseDeclaration {
  description: string;
  /** Missing for answers without a JSON body. */
  schema?: z.ZodType;
  /** Default application/json; several where the client chooses. */
  contentTypes?: string[];
  /** The events that a stream may send, in the order in which they come. */
  events?: readonly EventDeclaration[];
}

/** An event of a stream. */
export interface EventDeclaration {
  /** Its type, where the wire has one (`event:`). */
  event?: string;
  description: string;
  /** The JSON in its data; missing where they are no JSON. */
  data?: z.ZodType;
}

/** The request that headers of a response may depend on. */
interface AnsweredRequest {
  world: World;
  requestId: string;
  baseUrl: string;
  params: Record<string, string>;
}

export interface EndpointDeclaration<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Prepared = unknown,
> {
  /** `<feature>.<action>`: fault rules, limits and coverage refer to it. */
  id: string;
  /** The profiles that have it so; without it, all. */
  profiles?: readonly Config['profile'][];
  method: Method;
  /** The path, with `{name}` for each parameter. */
  path: string;
  /** Other paths of the same operation. */
  aliases?: string[];
  /** The id at the end of its path may hold slashes, with or without encoding. */
  idHasSlashes?: boolean;
  /** The part that follows the voice provider's name in an older path of the same operation, which takes sessions only. */
  legacyPath?: string;
  summary: string;
  /** A GET that changes nothing and costs nothing, so that `drift` may ask the platform. */
  harmless?: true;
  /** public: no authentication; caller: any authentication, which is the default; session: a signed-in user. */
  auth?: 'public' | 'caller' | 'session';
  /** A page of the emulator itself, for users of this machine: pages of other origins can neither read nor submit it. */
  page?: boolean;
  /** The response contains a token or a key, so pages of other origins cannot send the request or read the response, unless they are listed. */
  sameOrigin?: boolean;
  /** The permission that a restricted key needs; 'unrestricted' for keys, account and usage. */
  permission?: { name: string; level: 'read' | 'write' } | 'unrestricted';
  /** The highest price of the request. A payment with USDC, instead of credits, pays this amount. */
  price?: (call: HandlerContext<z.output<Params>, z.output<Query>, z.output<Body>>) => Micros | Promise<Micros>;
  /** The settings of `prices` that the price follows, for documents. */
  priceSettings?: readonly (keyof Config['prices'])[];
  /** A price in USDC that every caller pays: without a payment the response is 402, before all other checks. */
  fee?: Micros;
  /** The feature whose rate limit applies; without one only the key's own limit applies. */
  limit?: Feature;
  params?: Params;
  query?: Query;
  body?: Body;
  /** Changes of the declaration under some settings; `surfaceKey` names those settings. */
  under?: (config: Config) => Partial<Pick<Endpoint, 'query' | 'body'>> | undefined;
  /** No rate limit counts it. */
  isUnlimited?: boolean;
  /** Headers of every response, including errors. */
  answerHeaders?: (status: number, request: AnsweredRequest) => Record<string, string>;
  /** The body may be left out. */
  bodyOptional?: boolean;
  /** Browsers may send the body as a form. */
  form?: boolean;
  /** The body is a form with files. */
  upload?: UploadDeclaration;
  /** A complete valid body, which the document shows and the tests send. */
  example?: z.input<Body>;
  /** Other names of body fields, where the settings accept them. */
  synonyms?: { names: ReadonlyMap<string, string>; accepted: (config: Config) => boolean };
  /** Body paths whose values are never repeated in errors or the journal. */
  secrets?: string[];
  responses: Record<number, ResponseDeclaration>;
  /** Errors beyond those that authentication, limits and validation imply. */
  errors?: ErrorCode[];
  assumptions?: AssumptionId[];
  /** Additional fields in the body of an error, for clients that expect them there. */
  besideError?: BesideError;
  /** What an error is called in the flat style, where it differs for this operation. */
  flatAs?: (error: ApiError) => { error?: string | undefined; code?: string | undefined };
  /** Clients poll it: a verdict rule judges how often. */
  polls?: Polling;
  /** Its success begins something that clients then poll for. */
  begins?: PolledNoun;
  /** Does what comes before the transaction of the handler, which gets the result as `prepared`. */
  prepare?: (
    call: HandlerContext<z.output<Params>, z.output<Query>, z.output<Body>>,
  ) => Prepared | Promise<Prepared> | undefined;
  /** Handles the request, in one transaction: an error that it throws rolls it back, unless it is `keeping` what was written. */
  handle: (
    call: HandlerContext<z.output<Params>, z.output<Query>, z.output<Body>> & { prepared: Prepared },
  ) => Answer | LaterAnswer | KeptError;
}

/** Whether browsers get errors as a page: the endpoint is a page or has one. */
export function hasErrorPages({ page, responses }: Pick<Endpoint, 'page' | 'responses'>): boolean {
  return page === true || Object.values(responses).some((one) => one.contentTypes?.includes('text/html') === true);
}

/** The fields that an operation adds to the bodies of its errors. */
export interface BesideError {
  /** The schema of the fields that it adds or fills in; documents refer to it by its id. */
  schema: z.ZodType;
  /** Returns the fields; `body` is the body so far. */
  of: (error: ApiError, body: Record<string, unknown>) => Record<string, unknown>;
}

/** A declared endpoint, without the types of its input: the form in which lists and routes hold it. */
export interface Endpoint
  extends Omit<EndpointDeclaration<z.ZodType, z.ZodType, z.ZodType>, 'auth' | 'price' | 'prepare' | 'handle'> {
  auth: 'public' | 'caller' | 'session';
  price?: (call: HandlerContext) => Micros | Promise<Micros>;
  prepare?: (call: HandlerContext) => unknown;
  handle: (call: HandlerContext) => Answer | LaterAnswer | KeptError;
  /** The endpoint is an older path of another one. */
  isLegacy?: true;
}

/**
 * Declares an endpoint.
 *
 * @example
 * endpoint({
 *   id: 'agents.stats', method: 'GET', path: '/api/my-agents/characters/{id}/stats',
 *   summary: 'Stats of an agent', params: z.object({ id: uuid }),
 *   responses: { 200: { description: 'The stats', schema: statsAnswer } }, errors: ['NOT_FOUND'],
 *   handle: ({ world, caller, params }) => ok(presentStats(ownAgent(world, caller, params.id))),
 * })
 */
export function endpoint<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Prepared = unknown,
>(declaration: EndpointDeclaration<Params, Query, Body, Prepared>): Endpoint {
  return { auth: 'caller', ...declaration } as unknown as Endpoint;
}
