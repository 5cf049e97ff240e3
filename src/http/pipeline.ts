// The steps of a request in its world, in the order in which they run (`app.ts`).

import { ApiError } from '../core/errors.js';
import { requireSpace, smallBytes, usedBytes } from '../db/room.js';
import { isGuess } from './assumptions.js';
import { readBody } from './body.js';
import { guardPage } from './control-guard.js';
import type { Endpoint, HandlerContext } from './endpoint.js';
import { goneOf } from './file-part.js';
import type { AppOptions, Next } from './hooks.js';
import { nameProfileOfBody, nameProfileOfPath } from './other-profiles.js';
import { readCall } from './read-request.js';
import { reply, replyError } from './reply.js';
import { assume, callerOf, note, type RequestContext, type Routed, type Upload } from './request-context.js';
import { type Answer, type KeptError, keeping, type LaterAnswer } from './response.js';
import { routesOf } from './route.js';

/** Sends the answer or the error of a request, and records it. */
export async function record(
  context: RequestContext,
  next: Next,
  { hooks, worlds, surfaceOf, onError }: AppOptions,
): Promise<void> {
  const { world } = context;
  try {
    try {
      await next();
      if (context.answer !== undefined) await reply(context, context.answer);
    } finally {
      const forgotten = context.upload === undefined ? undefined : forgetUpload(context.upload);
      // The journal records the response when it was sent, so the deletion of its files is not awaited.
      if (!context.ctx.res.headersSent) await forgotten;
    }
  } catch (error) {
    if (!(error instanceof ApiError) && !world.isClosed) onError(error);
    await hooks.letArrive(context, error instanceof ApiError ? error.status : 500);
    // A closed world keeps nothing that the request does and cannot record it.
    if (world.isClosed) throw worlds.unknown(world.id);
    await replyError(
      context,
      nameProfileOfPath(error, context, (other) => routesOf(surfaceOf(other))),
    );
  }
  if (!context.isUnrecorded && !context.isInternal && !world.isClosed) hooks.record(context);
}

// Runs for every request, however early it ended. It does not wait for a client that is still sending.
async function forgetUpload(upload: Upload): Promise<void> {
  const gone = upload.discard();
  if (upload.isWhole) await gone;
}

/** Finds the caller, and changes nothing. */
export async function identify(context: RequestContext, next: Next, { hooks }: AppOptions): Promise<void> {
  const identity = await hooks.identify(context);
  context.identity = identity;
  context.caller = identity.caller;
  context.otherConnections = context.connections?.use(callerOf(context), context.ctx.req.socket) ?? 0;
  if (identity.finding !== undefined) note(context, identity.finding);
  return next();
}

/**
 * Counts the request, or refuses it. A request ends here that needs no operation (a preflight, a document), or finds none: no
 * window counts it, because a 429 would have the client wait and send the same again, and hide that its path is wrong.
 */
export function limitOrEnd(context: Routed, next: Next, { hooks }: AppOptions): Promise<void> | undefined {
  const { endpoint, routeError, answer, isInternal } = context;
  const isCounted = routeError === undefined && answer === undefined && !isInternal && endpoint.isUnlimited !== true;
  if (isCounted) hooks.limit(context);
  else hooks.showLimits(context);
  if (routeError !== undefined) throw routeError;
  return answer === undefined ? next() : undefined;
}

/** Runs the following steps under the fault rule that fires on the request. */
export function applyFault(context: Routed, next: Next, { hooks }: AppOptions): Promise<void> {
  return context.isInternal ? next() : hooks.applyFault(context, next);
}

/**
 * Begins the operation, which a fault may have delayed: refuses it where the world was reset meanwhile. Applies the claim of a wallet's request even if a later step
 * refuses it: the first signed request creates the account, and each uses its signature up. A 402 leaves both as they are,
 * because the client pays and sends the same again.
 */
export async function beginOperation(context: Routed, next: Next): Promise<void> {
  const { world, endpoint, identity } = context;
  try {
    if (context.epoch !== world.epoch) throw overtaken();
    context.now = world.clock.now();
    if (endpoint.page === true || endpoint.sameOrigin === true) guardPage(context, endpoint);
    await next();
  } catch (error) {
    const claim = endpoint.auth === 'caller' && identity.caller?.kind === 'wallet' ? identity.caller.claim : undefined;
    const isRefused = error instanceof ApiError && error.status !== 402 && error.status < 500;
    if (claim === undefined || context.isClaimed || !isRefused) throw error;
    await world.settleInParts(world.clock.now());
    if (context.epoch !== world.epoch || world.isClosed) throw error;
    world.settle(world.clock.now());
    await world.remembered.as(context.label, () => world.db.group(claim));
    throw error;
  }
}

/** Reads the payment that the request brings, and checks that the caller may do it. */
export function authorize(context: Routed, next: Next, { hooks }: AppOptions): Promise<void> {
  const { world, endpoint, identity } = context;
  context.offer = hooks.pay(context);
  if (endpoint.auth !== 'public' && context.offer?.authenticates !== true) {
    if (identity.caller === undefined) throw identity.refusal ?? new ApiError('UNAUTHORIZED');
    hooks.authorize(context, identity.caller);
    if (identity.caller.keyId !== null) world.usage.keyUsed(identity.caller.keyId, context.now);
  }
  if (world.config.strict.guesses && isGuess(endpoint.assumptions)) {
    assume(context, 'guesses');
    const guesses = endpoint.assumptions?.join(', ');
    const message = `${endpoint.id} rests on a guess (${guesses}), which strict.guesses refuses`;
    throw new ApiError('NOT_IMPLEMENTED', { message });
  }
  return next();
}

/** Reads the body, and checks what came against the declaration. A body in the names of another profile is refused with its name. */
export async function readInput(context: Routed, next: Next, { surfaceOf }: AppOptions): Promise<void> {
  const { world, endpoint, path } = context;
  const body = endpoint.body === undefined ? undefined : await readBody(context, endpoint);
  // A slow body may have delayed the request: from here on `now` is fixed, so that effects are in order.
  context.now = world.clock.now();
  try {
    context.call = readCall(context, endpoint, body);
  } catch (error) {
    const { config } = world;
    const under = (other: typeof config) => routesOf(surfaceOf(other));
    throw nameProfileOfBody(error, { config, routesOf: under, path, endpoint, body });
  }
  return next();
}

/**
 * Does all that must be awaited before the handler: verifies the payment, runs the endpoint's `prepare`, applies overdue effects.
 * Then runs the handler in one transaction, which also creates accounts and uses up signatures and payments.
 */
export async function handle(context: Routed): Promise<void> {
  const { world, endpoint } = context;
  const call = context.call as HandlerContext;
  const payment = await context.offer?.verify(call);
  call.prepared = await endpoint.prepare?.(call);
  if (context.upload !== undefined) await forgetUpload(context.upload);
  // A long time may have passed, or a jump be under way: this world's requests wait, those of others do not.
  await world.settleInParts(call.now);
  const claim = endpoint.auth !== 'public' ? context.caller?.claim : undefined;
  // A GET that pays or claims an account writes, too.
  const isRead = endpoint.method === 'GET' && claim === undefined && payment === undefined;
  if (context.epoch !== world.epoch) throw overtaken();
  world.settle(call.now);
  const run = (): Answer | LaterAnswer | KeptError => {
    const unsettled = payment?.settle();
    if (unsettled !== undefined) return keeping(unsettled);
    claim?.();
    if (endpoint.fee === undefined) payment?.cover(call.caller);
    const before = isLarge(context) ? usedBytes(world.db) : undefined;
    const result = checkAnswer(context, endpoint, endpoint.handle(call));
    if (before !== undefined) requireSpace(world.db, before);
    return result;
  };
  const result = isRead ? run() : await world.remembered.as(context.label, () => world.db.group(run));
  context.isClaimed = true;
  if (result.kind === 'error') throw result.error;
  context.happened = result.kind === 'later' || result.status < 400;
  const answer = result.kind === 'later' ? await result.ready(goneOf(context.ctx.res)) : result;
  if (answer instanceof ApiError) throw answer;
  if (result.kind === 'later') checkAnswer(context, endpoint, answer);
  if (payment !== undefined) Object.assign(context.headers, payment.headers());
  context.answer = answer;
}

function isLarge({ endpoint, ctx }: Routed): boolean {
  return endpoint.body !== undefined && !(Number(ctx.req.headers['content-length']) <= smallBytes);
}

// In tests and strict mode: an answer that is not as declared is an error of the emulator.
function checkAnswer<Checked extends Answer | LaterAnswer | KeptError>(
  { world }: RequestContext,
  endpoint: Endpoint,
  answer: Checked,
): Checked {
  if (!world.config.strict.responses || answer.kind !== 'json' || answer.isForwarded === true) return answer;
  const result = endpoint.responses[answer.status]?.schema?.safeParse(answer.body);
  if (result?.success === true) return answer;
  const issue = result?.error.issues[0];
  const problem =
    issue === undefined ? `status ${answer.status} is not declared` : `${issue.path.join('.')} ${issue.message}`;
  throw new ApiError('INTERNAL_ERROR', {
    message: `The emulator's answer to ${endpoint.id} breaks its declaration: ${problem}`,
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
