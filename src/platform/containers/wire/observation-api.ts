// Endpoints that observe a container: logs, live logs, metrics, health.

import { documented, isEarlierServer } from '../../../config/profiles.js';
import { parseLowerBound } from '../../../core/instant.js';
import { wantsText } from '../../../http/accept.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../../http/endpoint.js';
import { ok, stream, text } from '../../../http/response.js';
import { iso } from '../../../http/wire.js';
import { base, own, read } from '../access.js';
import { probeUpstream } from '../address/upstream.js';
import { healthAt } from '../lifecycle/health.js';
import { wholeStateOf } from '../lifecycle/history.js';
import { containerAt } from '../lifecycle/lifecycle.js';
import { metricsAt } from '../lifecycle/metrics.js';
import { holdsStage } from '../lifecycle/phases.js';
import { logContextOf } from '../logs/lines-store.js';
import { linesAt, parseKey } from '../logs/logs.js';
import { openTail } from '../logs/tail.js';
import * as answers from './answers.js';
import * as present from './present.js';
import * as schema from './schema.js';

const ofContainer = (body: string): boolean => holdsStage('status')(/"container":\{[^}]*/.exec(body)?.[0] ?? '');

export const observationEndpoints: Endpoint[] = [
  endpoint({
    id: 'containers.logs',
    profiles: documented,
    method: 'GET',
    harmless: true,
    path: `${base}/{id}/logs`,
    polls: { for: 'container', underWay: ofContainer, anyQuery: true },
    summary: 'Get the last log lines, oldest first; Accept: text/plain gives plain lines',
    permission: read,
    params: schema.containerParams,
    query: schema.logsQuery,
    under: (config) => (isEarlierServer(config) ? { query: schema.limitedLogsQuery } : undefined),
    responses: {
      200: {
        description: 'The log lines',
        schema: answers.logsAnswer,
        contentTypes: ['application/json', 'text/plain'],
      },
    },
    errors: ['NOT_FOUND'],
    assumptions: ['containers.paths', 'containers.logs'],
    handle(call) {
      const record = own(call);
      const state = wholeStateOf(call.world.db, record, call.now);
      const { since, level = 'all' } = call.query;
      const tail = wantedLines(call);
      const context = logContextOf(call.world, record);
      const window = {
        since: since === undefined ? undefined : parseLowerBound(since),
        tail,
        level: level === 'all' ? undefined : level,
      };
      const lines = linesAt(state, call.now, context, window);
      if (wantsText(call.header('accept'))) {
        return text(lines.map((line) => `${iso(line.at)} ${line.level.toUpperCase()} ${line.message}\n`).join(''));
      }
      return ok(present.presentLogs(record, lines, state, { limit: tail, since: since ?? null, level }));
    },
  }),
  endpoint({
    id: 'containers.streamLogs',
    profiles: documented,
    method: 'GET',
    path: `${base}/{id}/logs/stream`,
    summary: 'Stream the log as server-sent events, from the last lines on; Last-Event-ID resumes it',
    permission: read,
    params: schema.containerParams,
    query: schema.logStreamQuery,
    responses: {
      200: {
        description: 'Events of type log, status or reset',
        contentTypes: ['text/event-stream'],
        events: schema.logEvents,
      },
    },
    errors: ['NOT_FOUND'],
    assumptions: ['containers.paths', 'containers.stream'],
    handle(call) {
      const { id: containerId } = own(call);
      const { tail = 100 } = call.query;
      const level = call.query.level === 'all' ? undefined : call.query.level;
      const since = call.query.since === undefined ? undefined : parseLowerBound(call.query.since);
      const after = parseKey(call.header('last-event-id') ?? '');
      return stream((sink) => openTail({ world: call.world, containerId, after, since, tail, level }, sink));
    },
  }),
  endpoint({
    id: 'containers.metrics',
    profiles: documented,
    method: 'GET',
    harmless: true,
    path: `${base}/{id}/metrics`,
    polls: { for: 'container', underWay: ofContainer },
    summary: 'Get the use of CPU, memory and network',
    permission: read,
    params: schema.containerParams,
    query: schema.metricsQuery,
    responses: { 200: { description: 'The metrics now', schema: answers.metricsAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['containers.paths', 'containers.metrics'],
    handle(call) {
      const record = own(call);
      const state = containerAt(record.deployments, call.now);
      const metrics = metricsAt(state, call.now, call.world.random);
      return ok(present.presentMetrics(record, metrics, state, call.now, call.query.period));
    },
  }),
  endpoint({
    id: 'containers.health',
    profiles: documented,
    method: 'GET',
    harmless: true,
    path: `${base}/{id}/health`,
    polls: { for: 'container', underWay: holdsStage('containerStatus') },
    summary: 'Get the health checks',
    permission: read,
    params: schema.containerParams,
    responses: { 200: { description: 'The checks now', schema: answers.healthAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['containers.paths', 'containers.health'],
    prepare(call) {
      const record = own(call);
      return probeUpstream(call.world, record, containerAt(record.deployments, call.now));
    },
    handle(call) {
      const record = own(call);
      const state = containerAt(record.deployments, call.now);
      return ok(present.presentHealth(record, healthAt(state, call.now, call.prepared), state, call.now));
    },
  }),
];

function wantedLines({ world, query, warn }: HandlerContext<unknown, typeof schema.logsQuery._output>): number {
  const { tail, limit = 100 } = query;
  if (!isEarlierServer(world.config)) return tail ?? limit;
  if (tail !== undefined) warn('tail is ignored here: limit says how many lines are wanted');
  return limit;
}
