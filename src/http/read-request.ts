// Reads a request and checks it against its endpoint's declaration, as handlers see it.

import { ApiError, invalidFields } from '../core/errors.js';
import { mostTold } from '../core/problems.js';
import type { World } from '../world/world.js';
import type { Caller, Endpoint, HandlerContext, ReceivedRequest } from './endpoint.js';
import { assume, note, type RequestContext, warn } from './request-context.js';
import { cameByOwnPort } from './request-world.js';
import { contentOf } from './unread-body.js';
import { checkInput, type InputOptions, notListed, readQuery } from './validate.js';

/** Checks everything that a request brings; its body has been read. */
export function readCall(
  context: RequestContext,
  endpoint: Endpoint,
  json: unknown,
  { strict = context.world.config.strict.inputs, alsoWrong }: Partial<Pick<InputOptions, 'strict' | 'alsoWrong'>> = {},
): HandlerContext {
  const { ctx, world } = context;
  const warnOf = (text: string): void => warn(context, text);
  const warnOfUnknown = (text: string): void => {
    warn(context, text);
    assume(context, 'inputs');
    note(context, 'unknown-field');
  };
  const { secrets } = endpoint;
  const synonyms = endpoint.synonyms && {
    names: endpoint.synonyms.names,
    accepted: endpoint.synonyms.accepted(world.config),
  };
  const body =
    endpoint.body === undefined
      ? undefined
      : checkInput(endpoint.body, json, { strict, alsoWrong, warn: warnOfUnknown, secrets, synonyms });
  const query =
    endpoint.query === undefined
      ? undefined
      : checkInput(endpoint.query, readQuery(endpoint.query, readParameters(ctx.querystring)), {
          strict,
          warn: warnOfUnknown,
          place: 'query',
        });
  if (endpoint.query === undefined && ctx.querystring !== '') warnOfUnusedQuery(context, strict);
  const params =
    endpoint.params === undefined
      ? undefined
      : checkInput(endpoint.params, context.params, { strict, warn: warnOf, place: 'path' });
  return new RequestCall(context, endpoint.id, { params, query, body, warn: warnOf }, json);
}

// A class, because a getter written in an object literal would cost a hidden class at each request.
class RequestCall implements HandlerContext {
  readonly world: World;
  readonly now: number;
  readonly requestId: string;
  readonly operation: string;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly files: HandlerContext['files'];
  readonly baseUrl: string;
  readonly isHead: boolean;
  readonly warn: HandlerContext['warn'];
  prepared: unknown = undefined;
  readonly #context: RequestContext;
  readonly #json: unknown;

  constructor(
    context: RequestContext,
    operation: string,
    input: Pick<HandlerContext, 'params' | 'query' | 'body' | 'warn'>,
    json: unknown,
  ) {
    this.world = context.world;
    this.now = context.now;
    this.requestId = context.requestId;
    this.operation = operation;
    this.params = input.params;
    this.query = input.query;
    this.body = input.body;
    this.files = context.upload?.files ?? [];
    this.baseUrl = context.baseUrl;
    this.isHead = context.ctx.method === 'HEAD';
    this.warn = input.warn;
    this.#context = context;
    this.#json = json;
  }

  // A method: closures that are made for each request, of what its class has as a field, keep whole requests alive until
  // the next full collection (a GET left 6 KB more to copy, and pauses of 20 to 40 ms).
  header(name: string): string | undefined {
    return this.#context.ctx.get(name) || undefined;
  }

  get received(): ReceivedRequest {
    const { ctx, path } = this.#context;
    const { headers, socket } = ctx.req;
    return { method: ctx.method, headers, socket, path, search: ctx.search, json: this.#json };
  }

  get caller(): Caller {
    const { caller, identity } = this.#context;
    if (caller === undefined) throw identity?.refusal ?? new ApiError('UNAUTHORIZED');
    return caller;
  }

  get content(): HandlerContext['content'] {
    return contentOf(this.#context.ctx.req);
  }

  get cookiePath(): string {
    return cameByOwnPort(this.#context.ctx.req) ? '/' : new URL(this.baseUrl).pathname;
  }

  get identified(): Caller | undefined {
    return this.#context.caller;
  }
}

function warnOfUnusedQuery(context: RequestContext, strict: boolean): void {
  const names = Object.keys(readParameters(context.ctx.querystring));
  const first = names.slice(0, mostTold).map((name) => `query.${name.slice(0, 100)}`);
  const more = names.length - first.length;
  if (strict) {
    const message = 'is unknown: this operation has no query parameters';
    throw invalidFields(
      first.map((path) => ({ path, message })),
      notListed(more),
    );
  }
  for (const path of first) warn(context, `unknown query parameter ${path}`);
  if (more > 0) warn(context, `and ${more} more unknown query parameters`);
  assume(context, 'inputs');
  note(context, 'unknown-field');
}

/** Each parameter's value, or values where it came more than once. */
function readParameters(query: string): Record<string, string | string[]> {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    const before = values.get(name);
    if (before === undefined) values.set(name, value);
    else if (typeof before === 'string') values.set(name, [before, value]);
    else before.push(value);
  }
  return Object.fromEntries(values);
}
