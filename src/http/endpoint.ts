// The one declaration of an endpoint; routing, gates, validation, documents and tests are read from it.

import type * as z from 'zod';
import type { Feature } from '../config/limit-features.js';
import type { Config } from '../config/schema.js';
import type { ApiError, ErrorCode } from '../core/errors.js';
import type { Micros } from '../core/money.js';
import type { World } from '../world/world.js';
import type { AssumptionId } from './assumptions.js';
import type { Answer, LaterAnswer } from './response.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who is calling: found by identify, read by handlers. */
export interface Caller {
  kind: 'key' | 'session' | 'wallet' | 'payer';
  organizationId: string;
  userId: string;
  /** null for callers without a key. */
  keyId: string | null;
  /** Of callers with a session. */
  sessionId?: string;
  /** null: everything is allowed. */
  permissions: string[] | null;
  /** Requests a minute that the key allows itself. */
  rateLimit: number;
  /** Whose rate windows its requests count in. */
  bucketOwner: string;
  /**
   * Writes what the request brings into being (an account) or uses up (a signature): first in the handler's
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
  /** Those that came with the body; they are gone once `prepare` has looked at them. */
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
  /** The body as it comes, where the endpoint declares that it reads it so. */
  readonly content: AsyncIterable<Buffer>;
  /** Tells the client something it should know, in X-Emulator-Warning and the journal. */
  warn(text: string): void;
  /** What it was paid with instead of credits, once that is settled. */
  payment?: Settlement;
  /** What `prepare` found out. */
  prepared?: unknown;
}

/** A file that came with a form: it lies in a private directory for as long as the request is looked at. */
export interface UploadedFile {
  /** The form's field. */
  field: string;
  /** As the client calls it; never a path. */
  name: string;
  bytes: number;
  path: string;
}

/** A body that comes as multipart/form-data: `body` says what its texts are, this what its files are. */
export interface UploadDeclaration {
  /** The fields that hold a file each; the first one is required. */
  fields: readonly string[];
  /** Other fields that may hold one. */
  pattern?: RegExp;
  maxFiles: number;
  /** Beyond which a file is 413. */
  maxFileBytes: number;
  /** Beyond which the whole body is 413. */
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
  /** Under the name that the payment's version has for it. */
  network: string;
}

/** Polling: repeated requests by which a client sees whether something is done. */
export interface Polling {
  for: PolledNoun;
  /** Matches a response body that shows it under way; without it, the response lists only what is done. */
  underWay?: RegExp;
  /** The query chooses among the lines of one thing, not among things. */
  anyQuery?: true;
}

/** What clients poll for. */
export type PolledNoun = 'container' | 'voice';

interface ResponseDeclaration {
  description: string;
  /** Missing for answers without a JSON body. */
  schema?: z.ZodType;
  /** Default application/json; several where the client chooses. */
  contentTypes?: string[];
}

/** The request that headers of an answer may depend on. */
export interface AnsweredRequest {
  world: World;
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
  method: Method;
  /** With `{name}` for parameters. */
  path: string;
  /** Other paths of the same operation. */
  aliases?: string[];
  /** What follows the voice provider's name in an older path of the same operation, which takes sessions only. */
  legacyPath?: string;
  summary: string;
  /** public: no authentication; caller: any authentication; session: a signed-in user. */
  auth: 'public' | 'caller' | 'session';
  /** A page of the emulator itself, for users of this machine: pages of other origins can neither read nor submit it. */
  page?: boolean;
  /** Its answer holds a token or a key: pages of other origins can neither read nor send it, unless they are listed. */
  sameOrigin?: boolean;
  /** What a restricted key must be allowed; 'unrestricted' for keys, account and usage. */
  permission?: { name: string; level: 'read' | 'write' } | 'unrestricted';
  /** What it costs at most, from what the request says: those who pay with USDC instead of credits pay this. */
  price?: (call: HandlerContext<z.output<Params>, z.output<Query>, z.output<Body>>) => Micros | Promise<Micros>;
  /** The settings of `prices` that the price follows, for documents. */
  priceSettings?: readonly (keyof Config['prices'])[];
  /** Only callers who are known by other credentials may pay: what it costs depends on what they have. */
  payersAreKnown?: boolean;
  /** What everybody pays, with USDC only: without a payment it is 402, before anything else is looked at. */
  fee?: Micros;
  /** The feature whose rate limit holds; without one only the key's own limit counts. */
  limit?: Feature;
  params?: Params;
  query?: Query;
  body?: Body;
  /** What is declared otherwise under some settings; `surfaceKey` of the registry names those settings. */
  under?: (config: Config) => Partial<Pick<Endpoint, 'query' | 'body'>> | undefined;
  /** `prepare` reads the body itself, as it comes: it may be larger than memory. */
  readsContent?: boolean;
  /** No rate limit counts it. */
  isUnlimited?: boolean;
  /** Headers that every answer of it has, those of errors too. */
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
  /** Beyond those that the gates imply. */
  errors?: ErrorCode[];
  assumptions?: AssumptionId[];
  /** Additional fields in the body of an error, for clients that expect them there. */
  besideError?: BesideError;
  /** Clients poll it: a verdict rule judges how often. */
  polls?: Polling;
  /** Its success begins something that clients then poll for. */
  begins?: PolledNoun;
  /** Awaits that must come before the (synchronous) handler, which finds the result as `prepared`. */
  prepare?: (call: HandlerContext<z.output<Params>, z.output<Query>, z.output<Body>>) => Promise<Prepared> | undefined;
  /** An error that is returned, and not thrown, undoes nothing of what was written. */
  handle: (
    call: HandlerContext<z.output<Params>, z.output<Query>, z.output<Body>> & { prepared: Prepared },
  ) => Answer | LaterAnswer | ApiError;
}

/** Whether browsers get errors as a page: the endpoint is a page or has one. */
export function hasErrorPages({ page, responses }: Pick<Endpoint, 'page' | 'responses'>): boolean {
  return page === true || Object.values(responses).some((one) => one.contentTypes?.includes('text/html') === true);
}

/** What an operation adds to the bodies of its errors. */
export interface BesideError {
  /** Of the fields that it adds or fills in; it has an id, by which documents name it. */
  schema: z.ZodType;
  /** The fields; `body` is what there is. */
  of: (error: ApiError, body: Record<string, unknown>) => Record<string, unknown>;
}

/** A declaration whose types no longer matter: what the registry holds. */
export interface Endpoint
  extends Omit<EndpointDeclaration<z.ZodType, z.ZodType, z.ZodType>, 'price' | 'prepare' | 'handle'> {
  price?: (call: HandlerContext) => Micros | Promise<Micros>;
  prepare?: (call: HandlerContext) => Promise<unknown> | undefined;
  handle: (call: HandlerContext) => Answer | LaterAnswer | ApiError;
  /** The endpoint is an older path of another one. */
  isLegacy?: true;
}

/**
 * Declares an endpoint.
 *
 * @example
 * endpoint({
 *   id: 'agents.stats', method: 'GET', path: '/api/my-agents/characters/{id}/stats', auth: 'caller',
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
  return declaration as unknown as Endpoint;
}
