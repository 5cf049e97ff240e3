// Runs a request of an endpoint, step by step, as the endpoint's declaration says.

import { ApiError } from '../core/errors.js';
import { isGuess } from './assumptions.js';
import type { BodyReader } from './body.js';
import { guardPage } from './control-guard.js';
import type { Endpoint, HandlerContext } from './endpoint.js';
import { goneOf } from './file-part.js';
import type { Hooks, Identity } from './hooks.js';
import { nameProfileOfBody, type RoutesOf } from './other-profiles.js';
import { readCall } from './read-request.js';
import { reply } from './reply.js';
import { assume, callerOf, note, type RequestContext, type Upload } from './request-context.js';
import type { Answer, LaterAnswer } from './response.js';

interface Gates {
  hooks: Hooks;
  readBody: BodyReader;
  routesOf: RoutesOf;
}

/** Runs a request of a platform endpoint to its reply. */
export async function runEndpoint(
  context: RequestContext,
  endpoint: Endpoint,
  { hooks, readBody, routesOf }: Gates,
): Promise<void> {
  context.endpoint = endpoint;

  const found = hooks.authenticate(context);
  const identity = found instanceof Promise ? await found : found;
  remember(context, identity);
  if (context.aside || endpoint.isUnlimited === true) hooks.showLimits(context, identity);
  else hooks.limit(context, endpoint, identity);
  const selecting = context.aside ? undefined : hooks.selectFault(context, endpoint);
  const runFaulted = selecting instanceof Promise ? await selecting : selecting;
  try {
    if (runFaulted === undefined) {
      return reply(context, await answerOf(context, endpoint, identity, { hooks, readBody, routesOf }));
    }
    await runFaulted(readBody, (read) => answerOf(context, endpoint, identity, { hooks, readBody: read, routesOf }));
  } finally {
    const forgotten = context.upload === undefined ? undefined : forgetUpload(context.upload);
    // The journal records the response when it was sent, so the deletion of its files is not awaited.
    if (!context.ctx.res.headersSent) await forgotten;
  }
}

// Runs for every request, however early it ended. It does not wait for a client that is still sending.
async function forgetUpload(upload: Upload): Promise<void> {
  const gone = upload.discard();
  if (upload.isWhole) await gone;
}

// The steps between the phases `before` and `after` of faults: at their end everything is committed.
async function answerOf(
  context: RequestContext,
  endpoint: Endpoint,
  identity: Identity,
  gates: Gates,
): Promise<Answer> {
  try {
    return await act(context, endpoint, identity, gates);
  } catch (error) {
    await claimRefused(context, endpoint, identity, error);
    throw error;
  }
}

// The first request that a wallet has signed creates its account, and each uses its signature up, whether it succeeds or
// not. Only what asks for payment leaves both as they are.
async function claimRefused(
  context: RequestContext,
  { auth }: Endpoint,
  { caller }: Identity,
  error: unknown,
): Promise<void> {
  const { world } = context;
  const { kind, claim } = caller ?? {};
  if (auth === 'public' || auth === 'session' || kind !== 'wallet' || claim === undefined || context.isClaimed === true)
    return;
  if (!(error instanceof ApiError) || error.status === 402 || error.status >= 500) return;
  const settling = world.settleInParts(world.clock.now());
  if (settling !== undefined) await settling;
  if (context.epoch !== world.epoch || world.isClosed) return;
  world.settle(world.clock.now());
  await world.remembered.as(context.label, () => world.db.group(claim));
}

async function act(
  context: RequestContext,
  endpoint: Endpoint,
  identity: Identity,
  { hooks, readBody, routesOf }: Gates,
): Promise<Answer> {
  const { world } = context;
  // A fault may have delayed the request: it takes effect now, and not in a world that was reset in the meantime.
  if (context.epoch !== world.epoch) throw overtaken();
  context.now = world.clock.now();
  if (endpoint.page === true || endpoint.sameOrigin === true) guardPage(context, endpoint);
  const offer = hooks.pay(context, endpoint, identity.anonymous === true);
  if (endpoint.auth !== 'public' && offer?.authenticates !== true) {
    if (identity.caller === undefined) throw identity.refusal ?? new ApiError('UNAUTHORIZED');
    hooks.authorize(context, endpoint, identity.caller);
    if (identity.caller.keyId !== null) world.usage.keyUsed(identity.caller.keyId, context.now);
  }
  if (world.config.strict.guesses && isGuess(endpoint.assumptions)) throw notKnown(context, endpoint);

  const body = endpoint.body === undefined ? undefined : await readBody(context, endpoint);
  // A slow body may have delayed it, too. From here on `now` is fixed, so that effects are applied in the order of time.
  context.now = world.clock.now();
  const call = readNamed(context, endpoint, body, routesOf);
  const payment = await offer?.verify(call);
  const preparing = endpoint.prepare?.(call);
  if (preparing !== undefined) call.prepared = await preparing;
  if (context.upload !== undefined) await forgetUpload(context.upload);
  const claim = endpoint.auth !== 'public' ? context.caller?.claim : undefined;
  const isRead = endpoint.method === 'GET' && claim === undefined && payment === undefined;
  // A long time may have passed, or a jump be under way: this world's requests wait, those of others do not.
  const catchingUp = world.settleInParts(call.now);
  if (catchingUp !== undefined) await catchingUp;
  if (context.epoch !== world.epoch) throw overtaken();
  world.settle(call.now);
  const run = (): Answer | LaterAnswer | ApiError => {
    const unsettled = payment?.settle();
    if (unsettled !== undefined) return unsettled;
    claim?.();
    if (endpoint.fee === undefined) payment?.cover(call.caller);
    return checked(context, endpoint, endpoint.handle(call));
  };
  const first = isRead ? run() : await world.remembered.as(context.label, () => world.db.group(run));
  context.isClaimed = true;
  context.happened = !(first instanceof ApiError) && (isLater(first) || first.status < 400);
  const answer = isLater(first) ? checked(context, endpoint, await first.ready(goneOf(context.ctx.res))) : first;
  if (answer instanceof ApiError) throw answer;
  if (payment !== undefined) Object.assign(context.headers, payment.headers());
  return answer;
}

// A body in the names of another profile is refused with the name of that profile.
function readNamed(context: RequestContext, endpoint: Endpoint, body: unknown, routesOf: RoutesOf): HandlerContext {
  try {
    return readCall(context, endpoint, body);
  } catch (error) {
    const { config } = context.world;
    throw nameProfileOfBody(error, { config, routesOf, path: context.path, endpoint, body });
  }
}

/**
 * Finds the caller of a request that matches no endpoint, for the journal. No window counts it: after a 429 a client waits
 * and sends the same again, and nobody learns that the path is wrong.
 */
export async function passUnmatched(context: RequestContext, hooks: Hooks): Promise<void> {
  const identity = await hooks.authenticate(context);
  remember(context, identity);
  hooks.showLimits(context, identity);
}

function remember(context: RequestContext, { caller, refusal, bucketOwner, finding }: Identity): void {
  context.caller = caller;
  context.bucketOwner = bucketOwner;
  context.otherConnections = context.connections?.use(callerOf(context), context.ctx.req.socket) ?? 0;
  if (finding !== undefined) note(context, finding);
  context.refusal = refusal;
}

function isLater(answer: Answer | LaterAnswer | ApiError): answer is LaterAnswer {
  return !(answer instanceof ApiError) && answer.kind === 'later';
}

function checked<Checked extends Answer | LaterAnswer | ApiError>(
  context: RequestContext,
  endpoint: Endpoint,
  answer: Checked,
): Checked {
  if (answer instanceof ApiError || answer.kind === 'later') return answer;
  if (!context.world.config.strict.responses || answer.kind !== 'json' || answer.isForwarded === true) return answer;
  const declared = endpoint.responses[answer.status]?.schema;
  const result = declared?.safeParse(answer.body);
  if (result?.success === true) return answer;
  const issue = result?.error?.issues[0];
  throw new ApiError('INTERNAL_ERROR', {
    message: `The emulator's answer to ${endpoint.id} breaks its declaration: ${issue === undefined ? `status ${answer.status} is not declared` : `${issue.path.join('.')} ${issue.message}`}`,
  });
}

/** The error for a request whose world was reset or restored since it began. */
export function overtaken(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', {
    message: 'The world was reset or restored while this request was under way: send it again',
    retryAfter: 0,
    headers: { 'Retry-After': '0' },
  });
}

function notKnown(context: RequestContext, endpoint: Endpoint): ApiError {
  assume(context, 'guesses');
  return new ApiError('NOT_IMPLEMENTED', {
    message: `${endpoint.id} rests on a guess (${endpoint.assumptions?.join(', ')}), which strict.guesses refuses`,
  });
}
