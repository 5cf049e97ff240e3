// GET /_emulator/metrics: how the process does, for Prometheus. Behind the same guard as the control plane.

import type { Config } from '../../config/schema.js';
import { ApiError } from '../../core/errors.js';
import { guardControls } from '../../http/control-guard.js';
import { replyError } from '../../http/reply.js';
import { RequestContext, type WorldRequest } from '../../http/request-context.js';
import type { Worlds } from '../../world/worlds.js';
import { journalOf } from '../journal/journal.js';
import type { Prometheus } from './prometheus.js';
import type { RequestCounts } from './request-counts.js';

export interface MetricsOptions {
  config: Config;
  worlds: Worlds;
  requests: RequestCounts;
}

/** Answers with the metrics of an emulator. */
export function createMetricsSite({
  config,
  worlds,
  requests,
}: MetricsOptions): (request: WorldRequest) => Promise<void> {
  let prometheus: Promise<Prometheus> | undefined;
  const read = () => {
    const open = worlds.opened();
    return {
      requests: requests.all(),
      worlds: { open: open.length, closed: worlds.count() - open.length },
      journalDropped: open.reduce((sum, world) => sum + journalOf(world).dropped(), 0),
    };
  };
  return async (request) => {
    const { ctx } = request;
    const context = new RequestContext(request, undefined);
    ctx.set('Cache-Control', 'no-store');
    try {
      // A team's control token does not read them, because they count the whole process.
      if (guardControls(ctx, config) !== undefined)
        throw new ApiError('NOT_FOUND', { message: 'Metrics need the control token of the whole emulator' });
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
        throw new ApiError('METHOD_NOT_ALLOWED', { message: 'Use GET here', headers: { Allow: 'GET, HEAD' } });
      prometheus ??= import('./prometheus.js').then(({ createPrometheus }) => createPrometheus(read));
      const { contentType, text } = await prometheus;
      ctx.type = contentType;
      ctx.body = await text();
    } catch (error) {
      if (ctx.res.destroyed) return;
      await replyError(context, error);
    }
  };
}
