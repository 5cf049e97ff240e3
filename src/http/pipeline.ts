// The way of a request through an endpoint: the gates close over the declaration, in this order.

import type { Answer, LaterAnswer } from '../api/answer.js';
import type { Call, Caller, Endpoint } from '../api/endpoint.js';
import { checkInput, notListed, readQuery } from '../api/validate.js';
import { ApiError, invalidFields } from '../kernel/errors.js';
import { mostTold } from '../kernel/problems.js';
import type { World } from '../worlds/world.js';
import { authorize } from './authorize.js';
import type { BodyReader } from './body.js';
import { type Exchange, note, type Upload, warn } from './exchange.js';
import { chooseFault } from './fault-choice.js';
import { runFaulted } from './faults.js';
import { type Identity, identify } from './identify.js';
import { cameByOwnPort } from './own-port.js';
import { guardPage } from './page-guard.js';
import { readParameters } from './parameters.js';
import { mayPay, offerOf, verifyOffer } from './payment.js';
import { limit } from './ratelimit.js';
import { isGuess, reply } from './reply.js';

/** Runs a request of a platform endpoint to its reply. */
export async function runEndpoint(exchange: Exchange, endpoint: Endpoint, readBody: BodyReader): Promise<void> {
  exchange.endpoint = endpoint;

  const found = identify(exchange);
  const identity = found instanceof Promise ? await found : found;
  remember(exchange, identity);
  if (endpoint.isUnlimited !== true) limit(exchange, endpoint, identity);
  const choosing = chooseFault(exchange, endpoint);
  const fault = choosing instanceof Promise ? await choosing : choosing;
  try {
    if (fault === undefined) return reply(exchange, await answerOf(exchange, endpoint, identity, readBody));
    await runFaulted(exchange, endpoint, fault, readBody, (read) => answerOf(exchange, endpoint, identity, read));
  } finally {
    if (exchange.upload !== undefined) await forgetUpload(exchange.upload);
  }
}

// Whatever came of the request, and however early. A client that is still sending holds up nobody.
async function forgetUpload(upload: Upload): Promise<void> {
  const gone = upload.discard();
  if (upload.isWhole) await gone;
}

// All that lies between the two places where fault rules act: before it nothing has happened, after it the effect stands.
async function answerOf(
  exchange: Exchange,
  endpoint: Endpoint,
  identity: Identity,
  readBody: BodyReader,
): Promise<Answer> {
  const { world, now } = exchange;
  if (endpoint.page === true || endpoint.sameOrigin === true) guardPage(exchange, endpoint);
  const offer = offerOf(exchange, endpoint);
  const isPayer = identity.anonymous === true && mayPay(world, endpoint, offer);
  if (endpoint.auth !== 'public' && !isPayer) {
    if (identity.caller === undefined) throw identity.refusal ?? new ApiError('UNAUTHORIZED');
    authorize(exchange, endpoint, identity.caller);
    if (identity.caller.keyId !== null) world.usage.keyUsed(identity.caller.keyId, now);
  }
  if (world.config.strict.guesses && isGuess(endpoint.assumptions)) throw notKnown(endpoint);

  const body = endpoint.body === undefined ? undefined : await readBody(exchange, endpoint);
  const call = readCall(exchange, endpoint, body);
  const payment = offer === undefined && !isPayer ? undefined : await verifyOffer(exchange, endpoint, call, offer);
  const preparing = endpoint.prepare?.(call);
  if (preparing !== undefined) call.prepared = await preparing;
  if (exchange.upload !== undefined) await forgetUpload(exchange.upload);
  world.settle(now);
  const claim = endpoint.auth !== 'public' ? exchange.caller?.claim : undefined;
  const act = (): Answer | LaterAnswer | ApiError => {
    if (exchange.epoch !== world.epoch) throw overtaken();
    const unsettled = payment?.settle();
    if (unsettled !== undefined) return unsettled;
    claim?.();
    if (endpoint.fee === undefined) payment?.cover(call.caller);
    return checked(exchange, endpoint, endpoint.handle(call));
  };
  const isRead = endpoint.method === 'GET' && claim === undefined && payment === undefined;
  // The request's id goes into what it writes.
  if (!isRead) world.usage.persist();
  const first = isRead ? act() : await world.db.group(act);
  const answer = isLater(first) ? checked(exchange, endpoint, await first.ready(goneOf(exchange))) : first;
  if (answer instanceof ApiError) throw answer;
  if (payment !== undefined) Object.assign(exchange.headers, payment.headers());
  return answer;
}

/** Counts a request that no endpoint answers, in bucket `other`, and lets the caller be known to the journal. */
export async function passUnmatched(exchange: Exchange): Promise<void> {
  const identity = await identify(exchange);
  remember(exchange, identity);
  limit(exchange, undefined, identity);
}

function remember(exchange: Exchange, { caller, refusal, bucketOwner, finding }: Identity): void {
  exchange.caller = caller;
  exchange.bucketOwner = bucketOwner;
  exchange.otherConnections = exchange.world.connections.use(bucketOwner, exchange.ctx.req.socket);
  if (finding !== undefined) note(exchange, finding);
  exchange.refusal = refusal;
}

/** Checks everything that a request brings; its body has been read. */
export function readCall(exchange: Exchange, endpoint: Endpoint, content: unknown): Call {
  const { ctx, world } = exchange;
  const strict = world.config.strict.inputs;
  const tell = (text: string): void => warn(exchange, text);
  const tellUnknown = (text: string): void => {
    warn(exchange, text);
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
      : checkInput(endpoint.body, content, { strict, warn: tellUnknown, secrets, synonyms });
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
  readonly content: Call['content'];
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
    this.content = exchange.ctx.req;
    this.warn = input.warn;
    this.#exchange = exchange;
  }

  get caller(): Caller {
    const { caller, refusal } = this.#exchange;
    if (caller === undefined) throw refusal ?? new ApiError('UNAUTHORIZED');
    return caller;
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
  note(exchange, 'unknown-field');
}

function isLater(answer: Answer | LaterAnswer | ApiError): answer is LaterAnswer {
  return !(answer instanceof ApiError) && answer.kind === 'later';
}

function goneOf({ ctx: { res } }: Exchange): AbortSignal {
  const controller = new AbortController();
  if (res.closed) controller.abort();
  else res.once('close', () => controller.abort());
  return controller.signal;
}

function checked<Checked extends Answer | LaterAnswer | ApiError>(
  exchange: Exchange,
  endpoint: Endpoint,
  answer: Checked,
): Checked {
  if (answer instanceof ApiError || answer.kind === 'later') return answer;
  if (!exchange.world.config.strict.responses || answer.kind !== 'json') return answer;
  const declared = endpoint.responses[answer.status]?.schema;
  const result = declared?.safeParse(answer.body);
  if (result?.success === true) return answer;
  const issue = result?.error?.issues[0];
  throw new ApiError('INTERNAL_ERROR', {
    message: `The emulator's answer to ${endpoint.id} breaks its declaration: ${issue === undefined ? `status ${answer.status} is not declared` : `${issue.path.join('.')} ${issue.message}`}`,
  });
}

function overtaken(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', {
    message: 'The world was reset or restored while this request was under way: send it again',
    retryAfter: 0,
    headers: { 'Retry-After': '0' },
  });
}

function notKnown(endpoint: Endpoint): ApiError {
  return new ApiError('NOT_IMPLEMENTED', {
    message: `${endpoint.id} rests on a guess (${endpoint.assumptions?.join(', ')}), which strict.guesses refuses`,
  });
}
