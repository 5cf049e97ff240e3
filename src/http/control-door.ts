// /_emulator over HTTP: guarded, never limited, never faulted, not in the journal.

import type { Context } from 'koa';
import * as z from 'zod';
import type { Endpoint } from '../api/endpoint.js';
import { routingOrder } from '../api/registry.js';
import type { Config } from '../config/schema.js';
import type { Controls } from '../controls/controls.js';
import type { ControlEndpoint } from '../controls/door.js';
import { controlEndpoints } from '../controls/endpoints.js';
import { ApiError } from '../kernel/errors.js';
import type { World } from '../worlds/world.js';
import { type SideDoor, unmatched } from './app.js';
import { createBodyReader } from './body.js';
import { guardControls } from './control-guard.js';
import type { Exchange } from './exchange.js';
import { sharedOrigin } from './own-port.js';
import { readCall } from './read-call.js';
import { replyError } from './reply.js';
import { createRoutes } from './routes.js';
import { openSse } from './sse.js';

export interface ControlDoorOptions {
  config: Config;
  controlsOf: (world: World) => Controls;
  /** The control plane's own OpenAPI document. */
  openapi: (baseUrl: string) => object;
  onError: (error: unknown) => void;
}

const nothing = { body: z.strictObject({}), bodyOptional: true };

/** The door, for the application to open. */
export function createControlDoor({ config, controlsOf, openapi, onError }: ControlDoorOptions): SideDoor {
  const readBody = createBodyReader(config.server.maxBody);
  const ordered = routingOrder(controlEndpoints as unknown as Endpoint[]) as unknown as ControlEndpoint[];
  const findRoute = createRoutes(
    ordered.map((endpoint) => ({ method: endpoint.method, path: endpoint.path, target: endpoint })),
    2,
    'any',
  );

  async function run(exchange: Exchange, endpoint: ControlEndpoint): Promise<void> {
    const { ctx } = exchange;
    // What acts and takes nothing is told that it was given something.
    const takesNothing = endpoint.method !== 'GET' && endpoint.body === undefined;
    const declared = { ...endpoint, ...(takesNothing && nothing) } as unknown as Endpoint;
    const body = declared.body === undefined ? undefined : await readBody(exchange, declared);
    const { alsoWrong } = endpoint;
    const call = readCall(exchange, declared, body, {
      strict: true,
      ...(alsoWrong !== undefined && { alsoWrong: (sent: unknown) => alsoWrong(exchange.world, sent) }),
    });
    const answer = await endpoint.handle(controlsOf(exchange.world), call, signalOf(ctx));
    exchange.world.usage.persist();
    ctx.status = answer.status;
    ctx.type = 'application/json';
    if (exchange.warnings.length > 0)
      ctx.set('X-Emulator-Warning', encodeURIComponent(exchange.warnings.join('; ').slice(0, 300)));
    if (answer.kind === 'stream') return openSse(exchange, answer, {});
    // Read in terminals: a line of its own.
    ctx.body = answer.kind === 'json' ? `${JSON.stringify(answer.body)}\n` : '';
  }

  return async (ctx: Context, world, path, origin) => {
    const exchange = controlExchange(ctx, world, path, sharedOrigin(ctx.req, origin) + world.prefix);
    ctx.set('Cache-Control', 'no-store');
    try {
      guardControls(ctx, config);
      if (ctx.method === 'GET' && path === '/_emulator/openapi.json') {
        ctx.type = 'application/json';
        ctx.body = JSON.stringify(openapi(origin + world.prefix));
        return;
      }
      const found = findRoute(ctx.method, path);
      if (found === undefined) throw unmatched(controlEndpoints as unknown as Endpoint[], ctx.method, path);
      exchange.params = found.params;
      await run(exchange, found.target);
    } catch (error) {
      // What was given up because the client has gone is nobody's fault.
      if (ctx.res.destroyed) return;
      if (!(error instanceof ApiError)) onError(error);
      replyError(exchange, error);
    }
  };
}

// A client that goes away must leave nothing waiting behind.
function signalOf({ res }: Context): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => controller.abort());
  return controller.signal;
}

// Requests to the control plane take no number: the ids of the platform's requests must not depend on them.
function controlExchange(ctx: Context, world: World, path: string, baseUrl: string): Exchange {
  return {
    ctx,
    world,
    requestId: 'control',
    epoch: world.epoch,
    now: world.clock.now(),
    startedAt: performance.now(),
    path,
    baseUrl,
    params: {},
    endpoint: undefined,
    caller: undefined,
    bucketOwner: 'control',
    refusal: undefined,
    headers: {},
    warnings: [],
    assumptions: undefined,
    errorCode: null,
    fault: null,
    outcome: 'answered',
    findings: undefined,
    happened: false,
    connections: undefined,
    aside: true,
    otherConnections: 0,
    responseText: undefined,
    upload: undefined,
    unread: undefined,
    transmit: undefined,
  };
}
