// What modules do to requests: the hooks of the pipeline (`src/app/hooks.ts` names the functions), and the sites that serve
// requests of their own.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../config/schema.js';
import type { ApiError } from '../core/errors.js';
import type { World } from '../world/world.js';
import type { Worlds } from '../world/worlds.js';
import type { Caller, Endpoint } from './endpoint.js';
import type { ErrorHooks, Identity, Offer, RequestContext, Routed, WorldRequest } from './request-context.js';

/** The hooks, in the order in which they run. */
export interface Hooks extends ErrorHooks {
  /** Finds the caller; changes nothing. */
  identify(context: RequestContext): Identity | Promise<Identity>;
  /** Counts the request. @throws ApiError RATE_LIMITED */
  limit(context: Routed): void;
  /** Sets the headers of the limits without counting the request. */
  showLimits(context: Routed): void;
  /** Applies the fault rule that fires on the request. */
  applyFault(context: Routed, next: Next): Promise<void>;
  /** Reads the payment of the request. @throws ApiError PAYMENT_REQUIRED if the endpoint requires one */
  pay(context: Routed): Offer | undefined;
  /** Checks that the caller may do what the endpoint does. @throws ApiError FORBIDDEN */
  authorize(context: Routed, caller: Caller): void;
  /** Delays an error, so that requests that were sent at the same time arrive before the client sees it. */
  letArrive(context: RequestContext, status: number): Promise<void>;
  /** Records the request in the journal when its response is decided. */
  record(context: RequestContext): void;
}

/** Responds to a request to the control plane. */
export type ControlHandler = (request: WorldRequest) => Promise<void>;

/** Containers that share this origin. */
export interface ContainerSite {
  /** The container that a Host names. */
  slugOf(host: string, config: Config): { slug: string; world: string } | undefined;
  /** Whether the path of a slug under /_containers is a container. */
  servesPath(world: World, slug: string): boolean;
  serve(
    world: World,
    container: { slug: string; target: string },
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<void>;
}

/** The image registry, which routes the requests under its paths itself. */
export interface RegistrySite {
  isPath(path: string): boolean;
  /** @param world the world that the path names; the world that the repository's name contains overrides it */
  find(method: string, path: string, authorization: string, world: World, worlds: Worlds): RegistryRequest;
  /** An endpoint with the registry's format of errors, for requests that match none. */
  anyEndpoint: Endpoint;
}

export interface RegistryRequest {
  world: World;
  params: { name: string; reference: string };
  /** Undefined if the path does not exist or does not allow the method. */
  endpoint: Endpoint | undefined;
  /** The error in that case. */
  refusal: ApiError | undefined;
}

/** What the application is put together from. */
export interface AppOptions {
  config: Config;
  worlds: Worlds;
  hooks: Hooks;
  /** The endpoints of the platform; the same list for settings that have the same endpoints. */
  surfaceOf: (config: Config) => readonly Endpoint[];
  containers: ContainerSite;
  registry: RegistrySite;
  /** The control plane, under /_emulator. */
  controls: ControlHandler;
  /** The platform's OpenAPI document under some settings, for a base URL. */
  openapi: (config: Config, baseUrl: string) => Buffer;
  onError: (error: unknown) => void;
}

/** Runs the rest of a request, to its answer. */
export type Next = () => Promise<void>;

/** A step of a request: it calls `next` to have the rest run, and ends the request by an answer or an error. */
export type Step = (context: Routed, next: Next, options: AppOptions) => Promise<void> | undefined;
