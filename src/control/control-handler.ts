// /_emulator over HTTP: guarded, never limited, never faulted, not in the journal.

import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import type { Config } from '../config/schema.js';
import { ApiError } from '../core/errors.js';
import { type ControlHandler, unmatched } from '../http/app.js';
import { createBodyReader } from '../http/body.js';
import { guardControls } from '../http/control-guard.js';
import type { Endpoint } from '../http/endpoint.js';
import { sharedOrigin } from '../http/own-port.js';
import { readCall } from '../http/read-request.js';
import { replyError } from '../http/reply.js';
import { beginRequest, type RequestContext } from '../http/request-context.js';
import { createRoutes } from '../http/routes.js';
import { openSse } from '../http/sse.js';
import type { World } from '../world/world.js';
import type { Controls } from './controls.js';
import type { ControlOperation } from './operation.js';
import { controlOperations } from './operations.js';

export interface ControlHandlerOptions {
  config: Config;
  controlsOf: (world: World) => Controls;
  /** The control plane's own OpenAPI document. */
  openapi: (baseUrl: string) => object;
  onError: (error: unknown) => void;
}

const nothing = { body: z.strictObject({}), bodyOptional: true };

/** Handles requests to the control plane. */
export function createControlHandler({ config, controlsOf, openapi, onError }: ControlHandlerOptions): ControlHandler {
  const readBody = createBodyReader(config.server.maxBody);
  const routes = createRoutes(
    controlOperations.map((target) => ({ method: target.method, path: target.path, target })),
    'any',
  );

  async function run(context: RequestContext, endpoint: ControlOperation): Promise<void> {
    const { ctx } = context;
    // An operation without input reports any body that it receives.
    const takesNothing = endpoint.method !== 'GET' && endpoint.body === undefined;
    const declared = { ...endpoint, ...(takesNothing && nothing) } as unknown as Endpoint;
    const body = declared.body === undefined ? undefined : await readBody(context, declared);
    const { alsoWrong } = endpoint;
    const call = readCall(context, declared, body, {
      strict: true,
      ...(alsoWrong !== undefined && { alsoWrong: (sent: unknown) => alsoWrong(context.world, sent) }),
    });
    const answer = await endpoint.handle(controlsOf(context.world), call, signalOf(ctx.res));
    context.world.usage.persist();
    ctx.status = answer.status;
    ctx.type = 'application/json';
    if (context.warnings.length > 0)
      ctx.set('X-Emulator-Warning', encodeURIComponent(context.warnings.join('; ').slice(0, 300)));
    if (answer.kind === 'stream') return openSse(context, answer, {});
    // The response ends with a newline, because people read it in terminals.
    ctx.body = answer.kind === 'json' ? `${JSON.stringify(answer.body)}\n` : '';
  }

  return async ({ origin, ...asked }) => {
    const { ctx, path } = asked;
    const context = beginRequest({ ...asked, origin: sharedOrigin(ctx.req, origin) }, undefined);
    ctx.set('Cache-Control', 'no-store');
    try {
      guardControls(ctx, config);
      if (ctx.method === 'GET' && path === '/_emulator/openapi.json') {
        ctx.type = 'application/json';
        ctx.body = JSON.stringify(openapi(origin + asked.world.prefix));
        return;
      }
      const found = routes.find(ctx.method, path);
      if (found === undefined) throw unmatched(controlOperations as unknown as Endpoint[], routes, ctx.method, path);
      context.params = found.params;
      await run(context, found.target);
    } catch (error) {
      // A request that was aborted because the client disconnected is not an error.
      if (ctx.res.destroyed) return;
      if (!(error instanceof ApiError)) onError(error);
      replyError(context, error);
    }
  };
}

// A client that goes away must leave nothing waiting behind.
function signalOf(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => controller.abort());
  return controller.signal;
}
