// The Koa application: the way of a request from top to bottom.

import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import { allowOrigins } from './cors.js';
import type { AppOptions, Step } from './hooks.js';
import * as pipeline from './pipeline.js';
import { answerOutside } from './reply.js';
import { findWorld } from './request-world.js';
import { findRoute } from './route.js';
import { beginInWorld, serveContainers, serveControls } from './sites.js';

/** The application as a node:http request listener. */
export function createApp(options: AppOptions): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const { hooks, onError } = options;
  const app = new Koa();
  // Errors of requests that are in no world.
  app.use(answerOutside(options));
  app.use(findWorld(options));
  // The control plane and the addresses of containers end here: they have no further steps.
  app.use(serveControls(options));
  app.use(serveContainers(options));
  app.use(beginInWorld(options));
  const steps: readonly Step[] = [
    // Every outcome becomes a response and a record in the journal.
    pipeline.record(options),
    allowOrigins(options),
    // Finds an endpoint, or the error of a path that has none; `limit` throws that error.
    findRoute(options),
    pipeline.identify(hooks),
    pipeline.limit(hooks),
    // A fault may delay the following steps, take their place, or change their response.
    pipeline.applyFault(hooks),
    pipeline.keepClaim,
    pipeline.resume,
    pipeline.pay(hooks),
    pipeline.authorize(hooks),
    pipeline.readBody,
    pipeline.checkInput(options),
    pipeline.prepare,
    // In one transaction.
    pipeline.handle,
  ];
  for (const step of steps) app.use((ctx, next) => step(ctx.state.context, next));
  app.on('error', (error: NodeJS.ErrnoException) => {
    // A client that disconnects during the response causes no error.
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      onError(error);
  });
  return app.callback();
}
