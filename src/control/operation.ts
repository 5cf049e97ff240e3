// The declaration of a control operation: declared like an endpoint of the platform, answered by the controls.

import * as z from 'zod';
import type { FieldProblem } from '../core/errors.js';
import type { Endpoint, EndpointDeclaration, HandlerContext } from '../http/endpoint.js';
import { type Answer, json, type SseSink, stream } from '../http/response.js';
import type { World } from '../world/world.js';
import type { Controls } from './controls.js';

export interface ControlOperation extends Omit<Endpoint, 'handle' | 'prepare'> {
  /** Calls the method of the controls that implements it, with checked input. */
  act: (controls: Controls, input: OperationInput<unknown, unknown, unknown>) => unknown;
  /** Further problems of a body that fails its schema, so that all problems of a document are reported at once. */
  alsoWrong?: (world: World, body: unknown) => readonly FieldProblem[];
  /** @param signal aborted when the client has disconnected */
  handle: (controls: Controls, call: HandlerContext, signal: AbortSignal) => Answer | Promise<Answer>;
}

type ControlDeclaration<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = Pick<
  EndpointDeclaration<P, Q, B>,
  'id' | 'method' | 'path' | 'summary' | 'params' | 'query' | 'body' | 'bodyOptional' | 'errors'
> & {
  response: z.ZodType;
  /** The status, 200 or 201, of an operation that creates something; 200 by default. */
  status?: (input: OperationInput<z.output<P>, z.output<Q>, z.output<B>>) => 200 | 201;
  act: (controls: Controls, input: OperationInput<z.output<P>, z.output<Q>, z.output<B>>) => unknown;
} & Pick<ControlOperation, 'alsoWrong'>;

/** The input of a control operation, from HTTP or from a caller in the same process. */
export interface OperationInput<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  /** Under which the client reached the emulator, without a trailing slash and without a world's prefix. */
  origin: string | undefined;
  /** Aborted when the client has gone. */
  signal: AbortSignal | undefined;
  /** What the reader of a stream has already. */
  lastEventId: string | undefined;
}

/** Declares a control operation: `act` calls one method of the controls. */
export function control<
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(declaration: ControlDeclaration<P, Q, B>): ControlOperation {
  const { act, response, status, ...rest } = declaration;
  const described = { description: declaration.summary, schema: response };
  return {
    ...(rest as Omit<Endpoint, 'handle' | 'auth' | 'responses' | 'prepare'>),
    act: act as ControlOperation['act'],
    auth: 'public',
    responses: { 200: described, ...(status !== undefined && { 201: described }) },
    async handle(controls, call, signal) {
      const { params, query, body, baseUrl, world } = call;
      const origin = baseUrl.slice(0, baseUrl.length - world.prefix.length);
      const input = { params, query, body, origin, signal, lastEventId: undefined } as Parameters<typeof act>[1];
      const result = await act(controls, input);
      const content = Array.isArray(result) ? listOf(declaration.path, result) : (result as Record<string, unknown>);
      return json(status?.(input) ?? 200, content);
    },
  };
}

interface StreamDeclaration<Q extends z.ZodType>
  extends Pick<EndpointDeclaration<z.ZodUndefined, Q, z.ZodUndefined>, 'id' | 'path' | 'summary' | 'query'> {
  open: (controls: Controls, input: OperationInput<undefined, z.output<Q>, undefined>) => AsyncIterable<unknown>;
  /** What a client that lost the stream names to resume after an item. */
  idOf?: (item: unknown) => string;
}

/** Declares a control operation that streams: `open` calls one method of the controls, whose items become events. */
export function controlStream<Q extends z.ZodType = z.ZodUndefined>(
  declaration: StreamDeclaration<Q>,
): ControlOperation {
  const { open, idOf, ...rest } = declaration;
  return {
    ...rest,
    act: open as ControlOperation['act'],
    method: 'GET',
    auth: 'public',
    responses: { 200: { description: declaration.summary, contentTypes: ['text/event-stream'] } },
    handle(controls, call, signal) {
      const query = call.query as z.output<Q>;
      const lastEventId = call.header('last-event-id');
      const input = { params: undefined, query, body: undefined, origin: undefined, signal, lastEventId };
      const items = open(controls, input);
      return stream((sink) => void send(items, sink, idOf));
    },
  };
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
function listOf(path: string, entries: unknown[]): Record<string, unknown> {
  return { [path.slice(path.lastIndexOf('/') + 1)]: entries, total: entries.length };
}

/** The shape of a list answer. */
export const listed = <Name extends string>(name: Name, item: z.ZodType) =>
  z.object({ [name]: z.array(item), total: z.int() } as Record<Name, z.ZodArray> & { total: z.ZodInt });

/** The parameter of paths that name one thing. */
export const byId = z.object({ id: z.string() });
