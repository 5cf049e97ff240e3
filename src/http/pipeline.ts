// The way of a request through an endpoint: the gates close over the declaration, in this order.

import type { Answer } from '../api/answer.js';
import type { Call, Endpoint } from '../api/endpoint.js';
import { checkInput, readQuery } from '../api/validate.js';
import { ApiError } from '../kernel/errors.js';
import { authorize } from './authorize.js';
import type { BodyReader } from './body.js';
import { type Exchange, warn } from './exchange.js';
import { identify } from './identify.js';
import { limit } from './ratelimit.js';
import { isGuess, reply } from './reply.js';

/** Runs a request of a platform endpoint to its reply. */
export async function runEndpoint(exchange: Exchange, endpoint: Endpoint, readBody: BodyReader): Promise<void> {
  exchange.endpoint = endpoint;
  const { world, now } = exchange;

  const identity = identify(exchange);
  exchange.caller = identity.caller;
  limit(exchange, endpoint, identity);
  // Fault rules are chosen here, once; effects of phase "before" act here: nothing has happened yet.
  if (endpoint.auth === 'caller') {
    if (identity.caller === undefined) throw identity.refusal ?? new ApiError('UNAUTHORIZED');
    authorize(world.config, endpoint, identity.caller);
    world.usage.keyUsed(identity.caller.keyId, now);
  }
  if (world.config.strict.guesses && isGuess(endpoint.assumptions)) throw notKnown(endpoint);

  const body = endpoint.body === undefined ? undefined : await readBody(exchange, endpoint);
  const call = readCall(exchange, endpoint, body);
  const preparing = endpoint.prepare?.(call);
  if (preparing !== undefined) await preparing;
  world.settle(now);
  const act = (): Answer => checked(exchange, endpoint, endpoint.handle(call));
  const answer = endpoint.method === 'GET' ? act() : await world.db.group(act);
  // The effect stands from here on; faults of phase "after" and "partial" act here.
  reply(exchange, answer);
}

/** Counts a request that no endpoint answers, in bucket `other`, and lets the caller be known to the journal. */
export function passUnmatched(exchange: Exchange): void {
  const identity = identify(exchange);
  exchange.caller = identity.caller;
  limit(exchange, undefined, identity);
}

/** Checks everything that a request brings; its body has been read. */
export function readCall(exchange: Exchange, endpoint: Endpoint, content: unknown): Call {
  const { ctx, world } = exchange;
  const strict = world.config.strict.inputs;
  const tell = (text: string): void => warn(exchange, text);
  const { secrets } = endpoint;
  const synonyms = endpoint.synonyms && {
    names: endpoint.synonyms.names,
    accepted: endpoint.synonyms.accepted(world.config),
  };
  const body =
    endpoint.body === undefined
      ? undefined
      : checkInput(endpoint.body, content, { strict, warn: tell, secrets, synonyms });
  const query =
    endpoint.query === undefined
      ? undefined
      : checkInput(endpoint.query, readQuery(endpoint.query, ctx.query), { strict, warn: tell, place: 'query' });
  if (endpoint.query === undefined) tellUnusedQuery(exchange, strict);
  const params =
    endpoint.params === undefined
      ? undefined
      : checkInput(endpoint.params, exchange.params, { strict, warn: tell, place: 'path' });
  return {
    world,
    now: exchange.now,
    requestId: exchange.requestId,
    operation: endpoint.id,
    params,
    query,
    body,
    get caller() {
      if (exchange.caller === undefined) throw new ApiError('UNAUTHORIZED');
      return exchange.caller;
    },
    baseUrl: exchange.baseUrl,
    header: (name) => ctx.get(name) || undefined,
    warn: tell,
  };
}

function tellUnusedQuery(exchange: Exchange, strict: boolean): void {
  const names = Object.keys(exchange.ctx.query);
  if (names.length === 0) return;
  if (strict) {
    const problems = names.map((name) => ({
      path: `query.${name.slice(0, 100)}`,
      message: 'is unknown: this operation has no query parameters',
    }));
    throw new ApiError('VALIDATION_ERROR', { details: problems });
  }
  for (const name of names) warn(exchange, `unknown query parameter query.${name.slice(0, 100)}`);
}

function checked(exchange: Exchange, endpoint: Endpoint, answer: Answer): Answer {
  if (!exchange.world.config.strict.responses || answer.kind !== 'json') return answer;
  const declared = endpoint.responses[answer.status]?.schema;
  const result = declared?.safeParse(answer.body);
  if (result?.success === true) return answer;
  const issue = result?.error?.issues[0];
  throw new ApiError('INTERNAL_ERROR', {
    message: `The emulator's answer to ${endpoint.id} breaks its declaration: ${issue === undefined ? `status ${answer.status} is not declared` : `${issue.path.join('.')} ${issue.message}`}`,
  });
}

function notKnown(endpoint: Endpoint): ApiError {
  return new ApiError('NOT_IMPLEMENTED', {
    message: `${endpoint.id} rests on a guess (${endpoint.assumptions?.join(', ')}), which strict.guesses refuses`,
  });
}
