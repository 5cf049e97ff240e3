// Fault rules at a request: what the chosen one makes of the rest of it.

import type { BodyReader } from '../../http/body.js';
import type { Endpoint } from '../../http/endpoint.js';
import { reply, replyBodiless, replyError } from '../../http/reply.js';
import type { RequestContext } from '../../http/request-context.js';
import type { Answer } from '../../http/response.js';
import { isBodiless } from '../../http/response.js';
import { breakOff, letArrive, pause, sendDamaged } from './effects.js';
import { forcedError } from './forced-errors.js';
import { damages, type FaultEffect, isForced } from './rule.js';
import { type ActingFault, type ChosenFault, rememberBreak, takeBack } from './select-fault.js';
import { damagedStream, runUnheard } from './streams.js';

const usualDripMs = 5_000;

/** Runs the rest of a request as its fault wants it, to the end of its answer. */
export async function runFaulted(
  context: RequestContext,
  endpoint: Endpoint,
  chosen: ChosenFault,
  readBody: BodyReader,
  run: (readBody: BodyReader) => Promise<Answer>,
): Promise<void> {
  const { acting } = chosen;
  const readOnce = onceOnly(readBody);
  if (acting?.act.phase === 'before') {
    context.fault = acting.id;
    const read = readAtOnce(context, endpoint, readOnce);
    if (!(await wait(context, acting))) return;
    const { effect } = acting.act;
    if (isForced(effect) || effect.network !== undefined) return act(context, endpoint, acting, readOnce, undefined);
    return reply(context, await run(read));
  }
  const gates = { ...context.headers };
  let answer: Answer;
  try {
    answer = await run(readOnce);
  } catch (error) {
    takeBack(context, chosen);
    throw error;
  }
  // What fails by itself tells the truth: the rule waits for a success.
  if (answer.status >= 400) takeBack(context, chosen);
  if (acting === undefined || answer.status >= 400) return reply(context, answer);
  context.fault = acting.id;
  context.happened = true;
  if (!(await wait(context, acting))) return abandon(answer);
  // What the handler has put there belongs to the answer that is lost.
  if (isForced(acting.act.effect)) context.headers = gates;
  await act(context, endpoint, acting, readOnce, answer);
}

// A body is there once, and what it asks for may be wanted again to tell its price.
function onceOnly(readBody: BodyReader): BodyReader {
  let body: Promise<unknown> | undefined;
  return (context, endpoint) => {
    body ??= readBody(context, endpoint);
    return body;
  };
}

// While bytes wait to be read, nobody would notice that the client has left.
function readAtOnce(context: RequestContext, endpoint: Endpoint, readBody: BodyReader): BodyReader {
  if (endpoint.body === undefined) return readBody;
  const body = readBody(context, endpoint);
  body.catch(() => {});
  return () => body;
}

// The delay of a drip is the time that its bytes take.
async function wait(context: RequestContext, { act, delayMs }: ActingFault): Promise<boolean> {
  if (delayMs === undefined || delayMs === 0 || act.effect.network === 'drip') return true;
  if (await pause(context, delayMs)) return true;
  context.ctx.respond = false;
  context.outcome = 'aborted';
  return false;
}

// What opening a stream brings about belongs to what has happened, whoever hears of it.
function abandon(answer: Answer | undefined): void {
  if (answer?.kind === 'stream') runUnheard(answer);
}

async function act(
  context: RequestContext,
  endpoint: Endpoint,
  acting: ActingFault,
  readBody: BodyReader,
  answer: Answer | undefined,
): Promise<void> {
  const { effect, phase } = acting.act;
  const { network } = effect;
  if (network !== undefined && !damages(network) && phase !== 'partial') {
    abandon(answer);
    return breakOff(context, network, (body) => rememberBreak(context, acting, body));
  }
  const overMs = acting.delayMs ?? usualDripMs;
  if (answer?.kind === 'stream' && !isForced(effect))
    return reply(context, network === undefined ? answer : damagedStream(context, answer, network, overMs));
  let sending: Promise<void> | undefined;
  if (network !== undefined)
    context.transmit = (status, headers, body) => {
      sending = sendDamaged(
        context,
        network,
        { status, headers, body: typeof body === 'string' ? Buffer.from(body) : body },
        overMs,
      );
    };
  if (isForced(effect)) {
    abandon(answer);
    if (answer !== undefined) context.outcome = 'lost';
    await replyForced(context, endpoint, effect, readBody);
  } else if (answer !== undefined) reply(context, answer);
  await sending;
}

async function replyForced(
  context: RequestContext,
  endpoint: Endpoint,
  effect: FaultEffect,
  readBody: BodyReader,
): Promise<void> {
  const { body } = effect;
  const error = await forcedError(context, endpoint, effect, readBody);
  const status = error?.status ?? effect.status ?? 200;
  await letArrive(context, status);
  if (error !== undefined && body === undefined) return void replyError(context, error);
  if (isBodiless(status)) return void replyBodiless(context, status);
  context.errorCode = error?.code ?? null;
  Object.assign(context.headers, error?.options.headers);
  if (typeof body === 'string') reply(context, { kind: 'text', status, text: body, type: 'text/plain; charset=utf-8' });
  else reply(context, { kind: 'json', status, body: {}, text: JSON.stringify(body) });
}
