// What a request brings, checked against its endpoint's declaration, as handlers see it.

import { ApiError, invalidFields } from '../core/errors.js';
import { mostTold } from '../core/problems.js';
import type { World } from '../world/world.js';
import { contentOf } from './content.js';
import type { Call, Caller, Endpoint } from './endpoint.js';
import { cameByOwnPort } from './own-port.js';
import { readParameters } from './parameters.js';
import { assume, type Exchange, note, warn } from './request-context.js';
import { checkInput, type InputOptions, notListed, readQuery } from './validate.js';

/** Checks everything that a request brings; its body has been read. */
export function readCall(
  exchange: Exchange,
  endpoint: Endpoint,
  content: unknown,
  { strict = exchange.world.config.strict.inputs, alsoWrong }: Partial<Pick<InputOptions, 'strict' | 'alsoWrong'>> = {},
): Call {
  const { ctx, world } = exchange;
  const tell = (text: string): void => warn(exchange, text);
  const tellUnknown = (text: string): void => {
    warn(exchange, text);
    assume(exchange, 'inputs');
    note(exchange, 'unknown-field');
  };
  const { secrets } = endpoint;
  const synonyms = endpoint.synonyms && {
    names: endpoint.synonyms.names,
    accepted: endpoint.synonyms.accepted(world.config),
  };
  const body =
    endpoint.body === undefined
      ? undefined
      : checkInput(endpoint.body, content, { strict, alsoWrong, warn: tellUnknown, secrets, synonyms });
  const query =
    endpoint.query === undefined
      ? undefined
      : checkInput(endpoint.query, readQuery(endpoint.query, readParameters(ctx.querystring)), {
          strict,
          warn: tellUnknown,
          place: 'query',
        });
  if (endpoint.query === undefined) tellUnusedQuery(exchange, strict);
  const params =
    endpoint.params === undefined
      ? undefined
      : checkInput(endpoint.params, exchange.params, { strict, warn: tell, place: 'path' });
  return new RequestCall(exchange, endpoint.id, { params, query, body, warn: tell });
}

// A class, because a getter written in an object literal would cost a hidden class at each request.
class RequestCall implements Call {
  readonly world: World;
  readonly now: number;
  readonly requestId: string;
  readonly operation: string;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly files: Call['files'];
  readonly baseUrl: string;
  readonly header: Call['header'];
  readonly warn: Call['warn'];
  prepared: unknown = undefined;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange, operation: string, input: Pick<Call, 'params' | 'query' | 'body' | 'warn'>) {
    this.world = exchange.world;
    this.now = exchange.now;
    this.requestId = exchange.requestId;
    this.operation = operation;
    this.params = input.params;
    this.query = input.query;
    this.body = input.body;
    this.files = exchange.upload?.files ?? [];
    this.baseUrl = exchange.baseUrl;
    this.header = (name) => exchange.ctx.get(name) || undefined;
    this.warn = input.warn;
    this.#exchange = exchange;
  }

  get caller(): Caller {
    const { caller, refusal } = this.#exchange;
    if (caller === undefined) throw refusal ?? new ApiError('UNAUTHORIZED');
    return caller;
  }

  get content(): Call['content'] {
    return contentOf(this.#exchange.ctx.req);
  }

  get cookiePath(): string {
    return cameByOwnPort(this.#exchange.ctx.req) ? '/' : new URL(this.baseUrl).pathname;
  }

  get identified(): Caller | undefined {
    return this.#exchange.caller;
  }
}

function tellUnusedQuery(exchange: Exchange, strict: boolean): void {
  if (exchange.ctx.querystring === '') return;
  const names = Object.keys(readParameters(exchange.ctx.querystring));
  const first = names.slice(0, mostTold).map((name) => `query.${name.slice(0, 100)}`);
  const more = names.length - first.length;
  if (strict) {
    const message = 'is unknown: this operation has no query parameters';
    throw invalidFields(
      first.map((path) => ({ path, message })),
      notListed(more),
    );
  }
  for (const path of first) warn(exchange, `unknown query parameter ${path}`);
  if (more > 0) warn(exchange, `and ${more} more unknown query parameters`);
  assume(exchange, 'inputs');
  note(exchange, 'unknown-field');
}
