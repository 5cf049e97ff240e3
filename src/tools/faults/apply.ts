// The pipeline's hook for fault rules: selects the rule of a request and applies it.

import { ApiError } from '../../core/errors.js';
import { bodyParser, readBody } from '../../http/body.js';
import type { Next } from '../../http/hooks.js';
import { reply, replyError } from '../../http/reply.js';
import { type RequestContext, type Routed, warn } from '../../http/request-context.js';
import { type Answer, isBodiless } from '../../http/response.js';
import { type WholeBody, wholeBody } from '../../http/unread-body.js';
import { emulatorFacts } from '../../world/given.js';
import { changedAnswer } from './change-response.js';
import { breakOff, letArrive, type PauseEnd, pause } from './connection.js';
import { forcedError } from './forced-errors.js';
import type { NetworkFaultKind } from './network/kind.js';
import { kindOf } from './network/kinds.js';
import { changesFields, type FaultEffect, isForced } from './rule.js';
import {
  type FiringFault,
  rememberBreak,
  type SelectedFault,
  selectFaultRule,
  uncountFiring,
  uncountRequest,
} from './select-fault.js';

const usualDripMs = 5_000;
/** Maximum number of warnings about fields that a rule does not find. */
const mostWarned = 5;

/**
 * Selects the fault rule of a request and runs the rest of it under the rule: the fault sends the response itself, or leaves
 * `context.answer` to be sent. The rules that match the request, up to the one that fires, have counted it by then; those of the
 * later phases count successes only, so it is taken back where there is none.
 *
 * @throws ApiError VALIDATION_ERROR for a header that is not a rule
 */
export async function applyFault(context: Routed, next: Next): Promise<void> {
  const selected = await selectFaultRule(context);
  if (selected === undefined) return next();
  const { firing } = selected;
  if (firing === undefined) return void (await runCounted(context, selected, next));
  if (firing.action.phase === 'before') return runBefore(context, selected, firing, next);
  return firing.repeated ? fire(context, firing, undefined) : runAfter(context, selected, firing, next);
}

/** The rule delays the operation, or takes its place. */
async function runBefore(context: Routed, selected: SelectedFault, firing: FiringFault, next: Next): Promise<void> {
  context.fault = firing.id;
  await readAtOnce(context);
  const end = await wait(context, firing);
  const { effect } = firing.action;
  const isRefused = isForced(effect) || effect.network !== undefined;
  if (end !== 'over' || isRefused) uncountRequest(context, selected);
  if (end === 'left') return;
  if (end === 'ended')
    throw new ApiError('SERVICE_UNAVAILABLE', { message: 'The world has ended while this request was held up' });
  context.ownHeaders = effect.headers;
  context.now = context.world.clock.now();
  if (isRefused) return fire(context, firing, undefined);
  await runCounted(context, selected, next);
}

/** The operation takes effect, and the rule changes or loses the response of a success. */
async function runAfter(context: Routed, selected: SelectedFault, firing: FiringFault, next: Next): Promise<void> {
  const headersBefore = { ...context.headers };
  const own = await runCounted(context, selected, next);
  if (own.status >= 400) return;
  const answer = answerUnderFault(context, selected, firing, own);
  if (answer === undefined) return;
  context.answer = undefined;
  context.fault = firing.id;
  // If the world ends during the delay, the response is sent early, because the request has taken effect.
  if ((await wait(context, firing)) === 'left') return abandon(answer);
  context.ownHeaders = firing.action.effect.headers;
  // A forced error replaces the response: headers that later steps have set go with it.
  if (isForced(firing.action.effect)) context.headers = headersBefore;
  await fire(context, firing, answer);
}

// The response with the fields that the fault changes. Undefined: the fault finds none of them and does nothing else, so it has not
// fired.
function answerUnderFault(
  context: RequestContext,
  selected: SelectedFault,
  { id, action: { effect } }: FiringFault,
  own: Answer,
): Answer | undefined {
  const { network } = effect;
  const kind = network === undefined ? undefined : kindOf(network);
  const idle = kind && whyIdle(context, kind, own);
  const isIdle = idle !== undefined;
  const waits = effect.delay !== undefined && kind?.spreadsDelay !== true;
  if (!changesFields(effect) && !isIdle) return own;
  const { answer, isChanged, missed } = changesFields(effect)
    ? changedAnswer(own, effect)
    : { answer: own, isChanged: false, missed: [idle] };
  for (const why of missed.slice(0, mostWarned)) warn(context, `fault ${id} has no effect here: ${why}`);
  if (isChanged || waits || effect.headers !== undefined || (kind !== undefined && !isIdle)) return answer;
  uncountFiring(context, selected);
  return undefined;
}

// Why a network fault does nothing to a response.
function whyIdle({ world }: RequestContext, kind: NetworkFaultKind, own: Answer): string | undefined {
  if (kind.onlyStreams === true && own.kind !== 'stream') return 'the response is no stream';
  if (kind.concernsAll !== true) return undefined;
  if (own.kind === 'stream') return 'the response is a stream';
  return emulatorFacts.of(world).refuse === undefined
    ? 'others may use this emulator: `cloudemu run` and `cloudemu explore` start one for the command alone'
    : undefined;
}

// Runs the rest of the request. If it fails without the fault, it keeps its own error, and rules of the later phases do not count it.
async function runCounted(context: RequestContext, selected: SelectedFault, next: Next): Promise<Answer> {
  try {
    await next();
  } catch (error) {
    uncountRequest(context, selected);
    throw error;
  }
  const answer = context.answer as Answer;
  if (answer.status >= 400) uncountRequest(context, selected);
  return answer;
}

// While bytes are unread, a client's leaving goes unnoticed. The fault may answer before all of the body has come: the
// journal then waits for the rest, as it must know which requests are equal.
async function readAtOnce(context: Routed): Promise<void> {
  const { endpoint } = context;
  if (endpoint.body === undefined) return;
  // The parser must be loaded first: bytes that nothing reads are thrown away once the response is sent.
  await bodyParser(context.world.config.server.maxBody);
  const whole = (): WholeBody | undefined => {
    if (context.longBody !== undefined) return { text: undefined, hash: context.longBody.hash, formName: undefined };
    return context.bodyText === undefined ? undefined : wholeBody(context.bodyText);
  };
  const arriving = readBody(context, endpoint).then(whole, whole);
  if (endpoint.upload === undefined) context.unread = arriving;
}

async function wait(context: RequestContext, { action, delayMs }: FiringFault): Promise<PauseEnd> {
  const { network } = action.effect;
  const isSpread = network !== undefined && kindOf(network).spreadsDelay === true;
  if (delayMs === undefined || delayMs === 0 || isSpread) return 'over';
  const end = await pause(context, delayMs);
  if (end === 'left') {
    context.ctx.respond = false;
    context.outcome = 'aborted';
  }
  return end;
}

// The side effects of opening a stream stay, even if no client receives it; it ends as if its client had left.
function abandon(answer: Answer | undefined): void {
  if (answer?.kind !== 'stream') return;
  answer.open({
    send: () => Promise.resolve(),
    end() {},
    onClose: (listener) => listener(),
  });
}

async function fire(context: Routed, firing: FiringFault, answer: Answer | undefined): Promise<void> {
  const { effect, phase } = firing.action;
  const { network, afterEvents } = effect;
  const kind = network === undefined ? undefined : kindOf(network);
  if (kind?.loses !== undefined && phase !== 'partial') {
    abandon(answer);
    return breakOff(context, kind.loses, (body) => rememberBreak(context, firing, body));
  }
  const overMs = firing.delayMs ?? usualDripMs;
  if (answer?.kind === 'stream' && !isForced(effect))
    return reply(context, kind?.onStream(context, answer, { overMs, afterEvents }) ?? answer);
  if (kind !== undefined)
    context.transmit = (status, headers, body) => {
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      return kind.onBody(context, { status, headers, body: bytes }, { overMs });
    };
  if (isForced(effect)) {
    abandon(answer);
    if (answer !== undefined) context.outcome = 'lost';
    await replyForced(context, effect);
  } else if (answer !== undefined) await reply(context, answer);
}

async function replyForced(context: Routed, effect: FaultEffect): Promise<void> {
  const { body } = effect;
  const error = await forcedError(context, effect);
  const status = error?.status ?? effect.status ?? 200;
  await letArrive(context, status);
  if (error !== undefined && body === undefined) return replyError(context, error);
  context.errorCode = error?.code ?? null;
  if (isBodiless(status)) {
    context.transmit = undefined;
    return reply(context, { kind: 'text', status, text: '', type: '' });
  }
  Object.assign(context.headers, error?.options.headers);
  if (typeof body === 'string')
    return reply(context, { kind: 'text', status, text: body, type: 'text/plain; charset=utf-8' });
  return reply(context, { kind: 'json', status, body: {}, text: JSON.stringify(body) });
}
