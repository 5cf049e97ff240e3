// The one declaration of an endpoint; routing, gates, validation, documents and tests are read from it.

import type * as z from 'zod';
import type { Config } from '../config/schema.js';
import type { ErrorCode } from '../kernel/errors.js';
import type { World } from '../worlds/world.js';
import type { Answer } from './answer.js';
import type { AssumptionId } from './assumptions.js';
import type { Feature } from './presets.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who is calling: found by identify, read by handlers. */
export interface Caller {
  kind: 'key';
  organizationId: string;
  userId: string;
  keyId: string;
  /** null: everything is allowed. */
  permissions: string[] | null;
  /** Requests a minute that the key allows itself. */
  rateLimit: number;
  /** Whose rate windows its requests count in. */
  bucketOwner: string;
}

/** One request, as a handler sees it. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  readonly world: World;
  /** Virtual time, read once per request. */
  readonly now: number;
  readonly requestId: string;
  readonly operation: string;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** @throws when the endpoint is public and nobody was identified */
  readonly caller: Caller;
  /** The origin and world prefix that returned URLs begin with, without a trailing slash. */
  readonly baseUrl: string;
  header(name: string): string | undefined;
  /** Tells the client something it should know, in X-Emulator-Warning and the journal. */
  warn(text: string): void;
}

export interface ResponseDeclaration {
  description: string;
  /** Missing for answers without a JSON body. */
  schema?: z.ZodType;
  /** Default application/json; several where the client chooses. */
  contentTypes?: string[];
}

export interface EndpointDeclaration<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  /** `<feature>.<verb>`: fault rules, limits and coverage name it. */
  id: string;
  method: Method;
  /** With `{name}` for parameters. */
  path: string;
  /** Other paths of the same operation. */
  aliases?: string[];
  summary: string;
  /** public: nobody need be known; caller: authenticated in whatever way. */
  auth: 'public' | 'caller';
  /** What a restricted key must be allowed; 'unrestricted' for keys, account and usage. */
  permission?: { name: string; level: 'read' | 'write' } | 'unrestricted';
  /** The feature whose rate limit holds; without one only the key's own limit counts. */
  limit?: Feature;
  params?: Params;
  query?: Query;
  body?: Body;
  /** The body may be left out. */
  bodyOptional?: boolean;
  /** A body that works as it stands; the document shows it, the tests send it. */
  example?: z.input<Body>;
  /** Other names of body fields, where the settings accept them. */
  synonyms?: { names: ReadonlyMap<string, string>; accepted: (config: Config) => boolean };
  /** Body paths whose values are never repeated in errors or the journal. */
  secrets?: string[];
  responses: Record<number, ResponseDeclaration>;
  /** Beyond those that the gates imply. */
  errors?: ErrorCode[];
  assumptions?: AssumptionId[];
  /** Awaits that must come before the (synchronous) handler. */
  prepare?: (call: Call<z.output<Params>, z.output<Query>, z.output<Body>>) => Promise<void> | undefined;
  handle: (call: Call<z.output<Params>, z.output<Query>, z.output<Body>>) => Answer;
}

/** A declaration whose types no longer matter: what the registry holds. */
export interface Endpoint extends Omit<EndpointDeclaration<z.ZodType, z.ZodType, z.ZodType>, 'prepare' | 'handle'> {
  prepare?: (call: Call) => Promise<void> | undefined;
  handle: (call: Call) => Answer;
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
>(declaration: EndpointDeclaration<Params, Query, Body>): Endpoint {
  return declaration as unknown as Endpoint;
}
