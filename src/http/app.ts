// The Koa application: the way of a request from top to bottom.

import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import { allowOrigins } from './cors.js';
import type { AppOptions, Step } from './hooks.js';
import * as pipeline from './pipeline.js';
import { answerOutside } from './reply.js';
import { findWorld } from './request-world.js';
import { findRoute } from './route.js';

/** The application as a node:http request listener. */
export function createApp(options: AppOptions): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const app = new Koa();
  // Errors of requests that are in no world.
  app.use(answerOutside(options));
  // Requests to the control plane and to the addresses of containers end here: they have no further steps.
  app.use(findWorld(options));
  const steps: readonly Step[] = [
    // Every outcome becomes a response and a record in the journal.
    pipeline.record,
    allowOrigins,
    // Finds an endpoint, or the error of a path that has none; `limitOrEnd` throws that error.
    findRoute,
    pipeline.identify,
    pipeline.limitOrEnd,
    // A fault may delay the following steps, take their place, or change their response.
    pipeline.applyFault,
    pipeline.beginOperation,
    pipeline.authorize,
    pipeline.readInput,
    // In one transaction.
    pipeline.handle,
  ];
  for (const step of steps) app.use((ctx, next) => step(ctx.state.context, next, options));
  app.on('error', (error: NodeJS.ErrnoException) => {
    // A client that disconnects during the response causes no error.
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      options.onError(error);
  });
  return app.callback();
}
