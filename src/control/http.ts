// /_emulator over HTTP: guarded, never limited, never faulted; its requests are not in the journal.

import * as z from 'zod';
import type { Config } from '../config/schema.js';
import { ApiError } from '../core/errors.js';
import { memoizeMany } from '../core/memoize-last.js';
import type { Label } from '../db/history-entry.js';
import { readBody } from '../http/body.js';
import { guardControls, type Team } from '../http/control-guard.js';
import type { Endpoint, HandlerContext } from '../http/endpoint.js';
import { goneOf } from '../http/file-part.js';
import type { ControlHandler } from '../http/hooks.js';
import { readCall } from '../http/read-request.js';
import { replyError } from '../http/reply.js';
import { RequestContext } from '../http/request-context.js';
import { sharedOrigin } from '../http/request-world.js';
import { type SseSink, stream } from '../http/response.js';
import { createRoutes, unmatched } from '../http/routes.js';
import { openSse } from '../http/sse.js';
import { argumentsOf, type Call, chosenBy } from './arguments.js';
import { type ControlOperation, controlled } from './operation.js';

export interface ControlHandlerOptions {
  config: Config;
  operations: readonly ControlOperation[];
  /** The control plane's own OpenAPI document, where it is one of the paths. */
  openapi?: (config: Config, baseUrl: string) => Buffer;
  onError: (error: unknown) => void;
}

const nothing = { body: z.strictObject({}), bodyOptional: true };

// The same for all emulators of a process: with the texts of profiles (config/load.ts), a later start takes 2.6 instead of
// 3.5 ms of CPU.
const routesOf = memoizeMany(2, (operations: readonly ControlOperation[]) =>
  createRoutes(
    operations.map((target) => ({ method: target.method, path: target.path, target })),
    'any',
  ),
);

/**
 * The longest body of an operation that takes no files: a scenario is stored with its world, and read whole with each
 * reset.
 */
const longestDocument = 4 * 1_024 * 1_024;

/** Handles requests to the control plane. */
export function createControlHandler({ config, operations, openapi, onError }: ControlHandlerOptions): ControlHandler {
  const { maxBody } = config.server;
  const endpoints = operations as unknown as Endpoint[];
  const routes = routesOf(operations);

  async function run(context: RequestContext, operation: ControlOperation, team: Team | undefined): Promise<void> {
    const { ctx, world } = context;
    // An operation without input reports any body that it receives.
    const takesNothing = operation.method !== 'GET' && operation.body === undefined;
    const declared = { ...operation, ...(takesNothing && nothing) } as unknown as Endpoint;
    const most = operation.holdsFiles ? maxBody : Math.min(maxBody, longestDocument);
    const body = declared.body === undefined ? undefined : await readBody(context, declared, most);
    const { alsoWrong } = operation;
    const request = readCall(context, declared, body, {
      strict: true,
      ...(alsoWrong !== undefined && { alsoWrong: (sent: unknown) => alsoWrong(world, sent) }),
    });
    const chosen = chosenBy(request.query, operation);
    const call = { ...callOf(request), signal: goneOf(ctx.res) };
    const origin = request.baseUrl.slice(0, request.baseUrl.length - world.prefix.length);
    const args = [{ world, origin, team }, ...argumentsOf(chosen.shape, call)] as const;
    const about: Label = { kind: 'control', subject: operation.id };
    const begin = (): unknown => world.remembered.as(about, () => chosen.run(...args));
    // For all operations alike but health, which needs no effects: a jump of a year brings many. Those that cannot be
    // applied are errors only of who needs them.
    if (operation.id !== 'control.health') await world.settleInParts(world.clock.now())?.catch(() => undefined);
    const result = await begin();
    if (operation.method !== 'GET') world.bus.emit(controlled);
    ctx.status = chosen.created ? 201 : 200;
    ctx.type = 'application/json';
    if (context.warnings.length > 0)
      ctx.set('X-Emulator-Warning', encodeURIComponent(context.warnings.join('; ').slice(0, 300)));
    if (chosen.shape.streams) {
      const answer = stream((sink) => void send(result as AsyncIterable<unknown>, sink, chosen.idOf));
      return openSse(context, answer, {});
    }
    // The response ends with a newline, because people read it in terminals.
    const document = Array.isArray(result) ? listed(chosen.path, result, chosen.total?.(...args)) : result;
    ctx.body = `${JSON.stringify(document)}\n`;
  }

  return async ({ origin, ...request }) => {
    const { ctx, path } = request;
    const context = new RequestContext({ ...request, origin: sharedOrigin(ctx.req, origin) }, undefined);
    const { id } = request.world;
    let foreign: ApiError | undefined;
    ctx.set('Cache-Control', 'no-store');
    try {
      const team = guardControls(ctx, config);
      const match = routes.find(ctx.method, path);
      const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
      const isDocument = openapi !== undefined && isRead && path === '/_emulator/openapi.json';
      const isShared = id === 'default' && (isDocument || match?.target.ofTeams === true);
      if (team !== undefined && !id.startsWith(team.prefix) && !isShared) {
        foreign = unknownWorld(id);
        throw foreign;
      }
      if (isDocument) {
        ctx.type = 'application/json';
        ctx.body = openapi(request.world.config, origin + request.world.prefix);
        return;
      }
      if (match === undefined) throw unmatched(endpoints, routes, ctx.method, path);
      context.params = match.params;
      await run(context, match.target, team);
    } catch (error) {
      // Answered as that of a world that does not exist.
      if (error === foreign) throw error;
      // A request that was aborted because the client disconnected is not an error.
      if (ctx.res.destroyed) return;
      // A world that has ended meanwhile can neither do nor say anything.
      if (request.world.isClosed) throw unknownWorld(id);
      if (!(error instanceof ApiError)) onError(error);
      await replyError(context, error);
    }
  };
}

/** The error for a world that does not exist, and for a world of others that a team asks for. */
function unknownWorld(id: string): ApiError {
  return new ApiError('NOT_FOUND', { message: `There is no world "${id}"` });
}

function callOf(call: HandlerContext): Call {
  const { params, query, body } = call;
  return { params, query, body, after: call.header('last-event-id') } as Call;
}

// A reader that cannot keep up is disconnected; it can reconnect with the id of its last event.
async function send(items: AsyncIterable<unknown>, sink: SseSink, idOf?: (item: unknown) => string): Promise<void> {
  try {
    for await (const item of items) {
      await sink.send([{ ...(idOf !== undefined && { id: idOf(item) }), data: JSON.stringify(item) }]);
    }
  } catch {
    // The end of the stream shows the client that it was disconnected.
  }
  sink.end();
}

// A list is wrapped in an object, under the last segment of its path, so that fields can be added later.
function listed(path: string, entries: readonly unknown[], total = entries.length): object {
  return { [path.slice(path.lastIndexOf('/') + 1)]: entries, total };
}
