// The declaration of a control operation. The method in process, the HTTP route, the client's method, the command, both
// documents and the reference page are made from it.

import * as z from 'zod';
import type { ErrorCode, FieldProblem } from '../core/errors.js';
import type { Team } from '../http/control-guard.js';
import type { Endpoint } from '../http/endpoint.js';
import type { World } from '../world/world.js';
import { wholePath } from './base-url.js';
import type { CommandDeclaration } from './command.js';

/** The topic that announces that an operation has changed something. */
export const controlled = 'control';

/** The place where an operation runs. */
export interface ControlContext {
  world: World;
  /** The URL under which the client reached the emulator, without a world's prefix; undefined in process. */
  origin: string | undefined;
  /** Whose token the caller has, where it is for some worlds only. */
  team?: Team | undefined;
}

/** The fields that the last argument of a method may have beside those that its schema names. */
export interface CallExtras {
  /** Ends the wait or the stream. */
  signal?: AbortSignal | undefined;
  /** The number of the last record that the reader of a stream has. */
  after?: number | string | undefined;
}

/** How the arguments of a method become a request, and back. It is plain data: the client needs nothing else. */
export interface MethodShape {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/_emulator`, with `{name}` for each parameter; one that begins with `/w/{id}` is a whole path. */
  path: string;
  /** Whether the method takes a body. */
  takesBody: boolean;
  /** Whether the method takes a query. */
  takesQuery: boolean;
  extras: readonly (keyof CallExtras)[];
  /** The response is a stream of events. */
  streams: boolean;
  /** The field that a value stands for if it comes instead of an object: `advance('10m')` is `advance({ by: '10m' })`. */
  shorthand?: string;
  /** The value that is meant if none is given. */
  byDefault?: string;
  /** The parameters of the path are fields of the one argument. */
  paramsInside?: true;
  /** Query fields that every call of this method has. */
  fixed?: Record<string, boolean>;
  /** The operation that takes a document where this one takes its name. */
  document?: MethodShape;
}

/** A declared control operation. */
export interface ControlOperation extends Omit<Endpoint, 'handle' | 'prepare'> {
  shape: MethodShape;
  commands: readonly CommandDeclaration[];
  /** Whether it answers 201. */
  created: boolean;
  /** Whether `run` returns what it answers, or a promise of it, as its method does. */
  runs: 'sync' | 'async';
  /** Its body holds files: it may be as long as the setting says, others have at most 4 MB. */
  holdsFiles: boolean;
  /** The operation itself checks what a team may do: it is of the emulator, not of one world. */
  ofTeams: boolean;
  run: (context: ControlContext, ...args: unknown[]) => unknown;
  /** How many there are in all, of a list that `run` answers a page of. */
  total?: (context: ControlContext, ...args: unknown[]) => number;
  /** The name of an item: a client that lost the stream resumes after it. */
  idOf?: (item: unknown) => string;
  /** Further problems of a body that fails its schema, so that all problems of a document are reported at once. */
  alsoWrong?: (world: World, body: unknown) => readonly FieldProblem[];
  /** The operation for a document, where this one takes its name. */
  document?: ControlOperation;
  /** Operations on the same path, meant by fields of the query. */
  variants?: readonly ControlOperation[];
}

/** An operation whose method has this type. */
export type Operation<Method> = ControlOperation & { readonly type: Method };

/** The methods of a group of operations. */
export type ControlsOf<Group> = {
  [Name in keyof Group]: Group[Name] extends Operation<infer Method> ? Method : ControlsOf<Group[Name]>;
};

type Out<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

// `/containers/{id}/fail` has one parameter.
type Names<Route extends string> = Route extends `${string}{${string}}${infer Rest}` ? [string, ...Names<Rest>] : [];

type Last<Query, Extra extends keyof CallExtras> = (Query extends z.ZodType ? z.output<Query> : unknown) &
  Pick<CallExtras, Extra>;

/** The arguments that `run` is called with, after the context: parameters of the path, the body, then query and extras. */
type Arguments<Route extends string, Params, Query, Body, Optional, Extra extends keyof CallExtras, Inside> = [
  ...(Inside extends true ? [Out<Params> & Out<Body>] : Names<Route>),
  ...(Body extends z.ZodType
    ? Inside extends true
      ? []
      : [Optional extends true ? Out<Body> | undefined : Out<Body>]
    : []),
  Last<Query, Extra>,
];

// The result of `run`, in the way that is declared: as the output describes it; of a list its items.
type Answer<Output, Runs extends Way> =
  Output extends ListOf<infer Item extends z.ZodType>
    ? In<Runs, readonly z.output<Item>[]>
    : Output extends z.ZodType
      ? In<Runs, z.output<Output>>
      : In<Runs, unknown>;

// Known to the compiler alone.
interface ListOf<Item> {
  readonly listed: Item;
}

type Way = ControlOperation['runs'];

type In<Runs extends Way, Result> = { sync: Result; async: Promise<Result> }[Runs];

export interface OperationDeclaration<
  Route extends string,
  Params extends z.ZodType | undefined,
  Query extends z.ZodType | undefined,
  Body extends z.ZodType | undefined,
  Optional extends boolean,
  Extra extends keyof CallExtras,
  Inside extends boolean,
  Runs extends Way,
  Args extends unknown[],
  Result,
  Output extends z.ZodType | undefined,
> {
  /** `control.` and the method’s place in the controls. */
  id: string;
  /**
   * The HTTP method, and the path below `/_emulator`; a query in it makes it a variant of the operation on that path. A
   * path that begins with `/w/{id}` is whole: it is that of a world, which need not exist.
   */
  route: Route;
  summary: string;
  params?: Params;
  query?: Query;
  body?: Body;
  bodyOptional?: Optional;
  /** The response, which `run` must answer; an operation without one streams what `run` yields. */
  output?: Output;
  /** Whether it answers 201. */
  created?: true;
  /** Teams may call it beyond their worlds: `run` looks at the team. */
  ofTeams?: true;
  /** Its body holds files, and may be as long as the setting `server.maxBody` says. */
  holdsFiles?: true;
  errors?: readonly ErrorCode[];
  extras?: readonly Extra[];
  shorthand?: string;
  byDefault?: string;
  paramsInside?: Inside;
  idOf?: (item: unknown) => string;
  alsoWrong?: (world: World, body: unknown) => readonly FieldProblem[];
  document?: ControlOperation;
  variants?: readonly ControlOperation[];
  /** The commands that call it. */
  command?: CommandDeclaration | readonly CommandDeclaration[];
  /** How `run` works, if not at once. The method of an asynchronous one rejects where others throw. */
  runs?: Runs;
  /** Does it, with checked input. The parameters after the context are those of the method. */
  run: (context: ControlContext, ...args: Args) => Result;
  /** How many there are in all, of a list that `run` answers a page of; without it, as many as it answers. */
  total?: (context: ControlContext, ...args: Args) => number;
}

/**
 * Declares a control operation.
 *
 * @example
 * skip: operation({
 *   id: 'control.containers.skip',
 *   route: 'POST /containers/{id}/skip',
 *   summary: 'Move a container to the next stage, or to a status',
 *   params: z.object({ id: z.string() }),
 *   body: z.object({ status: z.enum(statuses).optional() }),
 *   bodyOptional: true,
 *   output: container,
 *   errors: ['NOT_FOUND', 'CONFLICT'],
 *   command: { line: 'container skip <id>', examples: [['container skip my-app', 'moves it to its next status']] },
 *   run: ({ world }, id: string, options: { status?: Status | undefined } = {}): ControlledContainer => …,
 * })
 */
export function operation<
  const Route extends string,
  Args extends unknown[],
  Result,
  Params extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  const Optional extends boolean = false,
  const Extra extends keyof CallExtras = never,
  const Inside extends boolean = false,
  const Runs extends Way = 'sync',
  Output extends z.ZodType | undefined = undefined,
>(
  declaration: OperationDeclaration<Route, Params, Query, Body, Optional, Extra, Inside, Runs, Args, Result, Output> & {
    run: (
      context: ControlContext,
      ...args: Arguments<Route, Params, Query, Body, Optional, Extra, Inside>
    ) => Answer<Output, Runs>;
  },
): Operation<(...args: Args) => Result> {
  const {
    route,
    output,
    created = false,
    ofTeams = false,
    holdsFiles = false,
    runs = 'sync',
    extras = [],
    shorthand,
    byDefault,
    paramsInside,
    command,
    run,
    total,
    ...rest
  } = declaration;
  const [method, path, fixed] = parseRoute(route);
  const described = { description: rest.summary, ...(output !== undefined && { schema: output }) };
  const declared: ControlOperation = {
    ...(rest as unknown as Pick<ControlOperation, 'id' | 'summary' | 'params' | 'query' | 'body' | 'errors'>),
    method,
    path: wholePath(path),
    auth: 'public',
    responses: {
      ...Object.assign({}, ...(rest.variants ?? []).map(({ responses }) => responses)),
      [created ? 201 : 200]: output === undefined ? { ...described, contentTypes: ['text/event-stream'] } : described,
    },
    created,
    ofTeams,
    holdsFiles,
    commands: command === undefined ? [] : [command].flat(),
    runs,
    run: run as unknown as ControlOperation['run'],
    ...(total !== undefined && { total: total as unknown as NonNullable<ControlOperation['total']> }),
    shape: {
      method,
      path,
      takesBody: rest.body !== undefined,
      takesQuery: rest.query !== undefined,
      extras,
      streams: output === undefined,
      ...(shorthand !== undefined && { shorthand }),
      ...(byDefault !== undefined && { byDefault }),
      ...(paramsInside === true && { paramsInside }),
      ...(fixed !== undefined && { fixed }),
      ...(rest.document !== undefined && { document: rest.document.shape }),
    },
  };
  return declared as Operation<(...args: Args) => Result>;
}

function parseRoute(route: string): [MethodShape['method'], string, Record<string, boolean>?] {
  const [, method = '', path = '', query] = /^(GET|POST|PUT|DELETE) (\/[^?]*)(?:\?(.*))?$/.exec(route) ?? [];
  if (method === '') throw new Error(`${route} must be GET, POST, PUT or DELETE and a path`);
  if (query === undefined) return [method as MethodShape['method'], path];
  const fixed = [...new URLSearchParams(query)].map(([name, value]) => [name, value === 'true'] as const);
  return [method as MethodShape['method'], path, Object.fromEntries(fixed)];
}

/** The shape of a list answer, of which `run` answers the items. */
export const listed = <Item extends z.ZodType>(name: string, item: Item) =>
  z.lazy(() => z.object({ [name]: z.array(item), total: z.int() })) as unknown as z.ZodObject & ListOf<Item>;

/** The parameter of paths that end with the id of a thing: `byId('fault rule')`. */
export const byId = (thing: string) => z.lazy(() => z.object({ id: z.string().describe(`Id of the ${thing}`) }));

type Group = { readonly [name: string]: ControlOperation | Group };

/** The operations of a group and of the groups within it, one for each route. */
export function operationsIn(group: object): ControlOperation[] {
  return Object.values(group as Group).flatMap((member) => {
    if (!isOperation(member)) return operationsIn(member);
    if (member.shape.fixed !== undefined) return [];
    return member.document === undefined ? [member] : [member, member.document];
  });
}

export function isOperation(member: unknown): member is ControlOperation {
  return typeof (member as Partial<ControlOperation>).run === 'function';
}
