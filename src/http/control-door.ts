// /_emulator over HTTP: guarded, never limited, never faulted, not in the journal.

import { Router, type RouterContext } from '@koa/router';
import type { Context } from 'koa';
import type { Endpoint } from '../api/endpoint.js';
import { routingOrder } from '../api/registry.js';
import type { Config } from '../config/schema.js';
import type { Controls } from '../controls/controls.js';
import { type ControlEndpoint, controlEndpoints } from '../controls/endpoints.js';
import { ApiError } from '../kernel/errors.js';
import type { World } from '../worlds/world.js';
import { routerPath, type SideDoor, unmatched } from './app.js';
import { createBodyReader } from './body.js';
import { guardControls } from './control-guard.js';
import type { Exchange } from './exchange.js';
import { readCall } from './pipeline.js';
import { replyError } from './reply.js';

export interface ControlDoorOptions {
  config: Config;
  controlsOf: (world: World) => Controls;
  /** The control plane's own OpenAPI document. */
  openapi: (baseUrl: string) => object;
  onError: (error: unknown) => void;
}

/** The door, for the application to open. */
export function createControlDoor({ config, controlsOf, openapi, onError }: ControlDoorOptions): SideDoor {
  const readBody = createBodyReader(config.server.maxBody);
  const router = new Router();
  for (const endpoint of routingOrder(controlEndpoints as unknown as Endpoint[]) as unknown as ControlEndpoint[]) {
    router.register(routerPath(endpoint.path), [endpoint.method.toLowerCase()], async (ctx: RouterContext) => {
      const exchange = ctx.state.exchange as Exchange;
      const declared = endpoint as unknown as Endpoint;
      const answer = await endpoint.handle(
        controlsOf(exchange.world),
        readCall(exchange, declared, declared.body === undefined ? undefined : await readBody(exchange, declared)),
      );
      ctx.status = answer.status;
      ctx.type = 'application/json';
      if (exchange.warnings.length > 0)
        ctx.set('X-Emulator-Warning', encodeURIComponent(exchange.warnings.join('; ').slice(0, 300)));
      // Read in terminals: a line of its own.
      ctx.body = answer.kind === 'json' ? `${JSON.stringify(answer.body)}\n` : '';
    });
  }
  const route = router.routes();

  return async (ctx: Context, world, path, origin) => {
    const exchange = controlExchange(ctx, world, path, origin + world.prefix);
    ctx.state.exchange = exchange;
    ctx.path = path;
    ctx.set('Cache-Control', 'no-store');
    try {
      guardControls(ctx, config);
      if (ctx.method === 'GET' && path === '/_emulator/openapi.json') {
        ctx.type = 'application/json';
        ctx.body = JSON.stringify(openapi(origin + world.prefix));
        return;
      }
      await route(ctx as RouterContext, () => {
        throw unmatched(controlEndpoints as unknown as Endpoint[], ctx.method, path, ctx);
      });
    } catch (error) {
      if (!(error instanceof ApiError)) onError(error);
      replyError(exchange, error);
    }
  };
}

// Requests to the control plane take no number: the ids of the platform's requests must not depend on them.
function controlExchange(ctx: Context, world: World, path: string, baseUrl: string): Exchange {
  return {
    ctx,
    world,
    seq: 0,
    requestId: 'control',
    now: world.clock.now(),
    startedAt: performance.now(),
    path,
    baseUrl,
    endpoint: undefined,
    caller: undefined,
    headers: {},
    warnings: [],
    assumptions: undefined,
    errorCode: null,
    fault: null,
  };
}
