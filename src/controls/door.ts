// What a door of the control plane is: declared like an endpoint of the platform, answered by the controls.

import * as z from 'zod';
import { type Answer, json } from '../api/answer.js';
import type { Call, Endpoint, EndpointDeclaration } from '../api/endpoint.js';
import type { Controls } from './controls.js';

export interface ControlEndpoint extends Omit<Endpoint, 'handle' | 'prepare'> {
  /** @param signal aborted when nobody is there any more to be answered */
  handle: (controls: Controls, call: Call, signal: AbortSignal) => Answer | Promise<Answer>;
}

type ControlDeclaration<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = Pick<
  EndpointDeclaration<P, Q, B>,
  'id' | 'method' | 'path' | 'summary' | 'params' | 'query' | 'body' | 'bodyOptional' | 'errors'
> & {
  response: z.ZodType;
  /** Which of 200 and 201 an answer has, for doors that make things; 200 without it. */
  status?: (input: DoorInput<z.output<P>, z.output<Q>, z.output<B>>) => 200 | 201;
  act: (controls: Controls, input: DoorInput<z.output<P>, z.output<Q>, z.output<B>>) => unknown;
};

interface DoorInput<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  /** Under which the client reached the emulator, without a trailing slash and without a world's prefix. */
  origin: string;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
}

/** Declares a door: `act` calls one method of the controls. */
export function control<
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(declaration: ControlDeclaration<P, Q, B>): ControlEndpoint {
  const { act, response, status, ...rest } = declaration;
  const described = { description: declaration.summary, schema: response };
  return {
    ...(rest as Omit<Endpoint, 'handle' | 'auth' | 'responses' | 'prepare'>),
    auth: 'public',
    responses: { 200: described, ...(status !== undefined && { 201: described }) },
    async handle(controls, call, signal) {
      const { params, query, body, baseUrl, world } = call;
      const origin = baseUrl.slice(0, baseUrl.length - world.prefix.length);
      const input = { params, query, body, origin, signal } as Parameters<typeof act>[1];
      const result = await act(controls, input);
      const content = Array.isArray(result) ? listOf(declaration.path, result) : (result as Record<string, unknown>);
      return json(status?.(input) ?? 200, content);
    },
  };
}

// Lists stand in an object under the name of their path, so that something may stand beside them one day.
function listOf(path: string, entries: unknown[]): Record<string, unknown> {
  return { [path.slice(path.lastIndexOf('/') + 1)]: entries, total: entries.length };
}

/** The shape of a list answer. */
export const listed = <Name extends string>(name: Name, item: z.ZodType) =>
  z.object({ [name]: z.array(item), total: z.int() } as Record<Name, z.ZodArray> & { total: z.ZodInt });

/** The parameter of paths that name one thing. */
export const byId = z.object({ id: z.string() });
