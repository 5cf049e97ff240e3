// Fault rules at a request: what the chosen one makes of the rest of it.

import type { BodyReader } from '../../http/body.js';
import type { Endpoint } from '../../http/endpoint.js';
import { reply, replyBodiless, replyError } from '../../http/reply.js';
import type { Exchange } from '../../http/request-context.js';
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
  exchange: Exchange,
  endpoint: Endpoint,
  chosen: ChosenFault,
  readBody: BodyReader,
  run: (readBody: BodyReader) => Promise<Answer>,
): Promise<void> {
  const { acting } = chosen;
  const readOnce = onceOnly(readBody);
  if (acting?.act.phase === 'before') {
    exchange.fault = acting.id;
    const read = readAtOnce(exchange, endpoint, readOnce);
    if (!(await wait(exchange, acting))) return;
    const { effect } = acting.act;
    if (isForced(effect) || effect.network !== undefined) return act(exchange, endpoint, acting, readOnce, undefined);
    return reply(exchange, await run(read));
  }
  const gates = { ...exchange.headers };
  let answer: Answer;
  try {
    answer = await run(readOnce);
  } catch (error) {
    takeBack(exchange, chosen);
    throw error;
  }
  // What fails by itself tells the truth: the rule waits for a success.
  if (answer.status >= 400) takeBack(exchange, chosen);
  if (acting === undefined || answer.status >= 400) return reply(exchange, answer);
  exchange.fault = acting.id;
  exchange.happened = true;
  if (!(await wait(exchange, acting))) return abandon(answer);
  // What the handler has put there belongs to the answer that is lost.
  if (isForced(acting.act.effect)) exchange.headers = gates;
  await act(exchange, endpoint, acting, readOnce, answer);
}

// A body is there once, and what it asks for may be wanted again to tell its price.
function onceOnly(readBody: BodyReader): BodyReader {
  let body: Promise<unknown> | undefined;
  return (exchange, endpoint) => {
    body ??= readBody(exchange, endpoint);
    return body;
  };
}

// While bytes wait to be read, nobody would notice that the client has left.
function readAtOnce(exchange: Exchange, endpoint: Endpoint, readBody: BodyReader): BodyReader {
  if (endpoint.body === undefined) return readBody;
  const body = readBody(exchange, endpoint);
  body.catch(() => {});
  return () => body;
}

// The delay of a drip is the time that its bytes take.
async function wait(exchange: Exchange, { act, delayMs }: ActingFault): Promise<boolean> {
  if (delayMs === undefined || delayMs === 0 || act.effect.network === 'drip') return true;
  if (await pause(exchange, delayMs)) return true;
  exchange.ctx.respond = false;
  exchange.outcome = 'aborted';
  return false;
}

// What opening a stream brings about belongs to what has happened, whoever hears of it.
function abandon(answer: Answer | undefined): void {
  if (answer?.kind === 'stream') runUnheard(answer);
}

async function act(
  exchange: Exchange,
  endpoint: Endpoint,
  acting: ActingFault,
  readBody: BodyReader,
  answer: Answer | undefined,
): Promise<void> {
  const { effect, phase } = acting.act;
  const { network } = effect;
  if (network !== undefined && !damages(network) && phase !== 'partial') {
    abandon(answer);
    return breakOff(exchange, network, (body) => rememberBreak(exchange, acting, body));
  }
  const overMs = acting.delayMs ?? usualDripMs;
  if (answer?.kind === 'stream' && !isForced(effect))
    return reply(exchange, network === undefined ? answer : damagedStream(exchange, answer, network, overMs));
  let sending: Promise<void> | undefined;
  if (network !== undefined)
    exchange.transmit = (status, headers, body) => {
      sending = sendDamaged(
        exchange,
        network,
        { status, headers, body: typeof body === 'string' ? Buffer.from(body) : body },
        overMs,
      );
    };
  if (isForced(effect)) {
    abandon(answer);
    if (answer !== undefined) exchange.outcome = 'lost';
    await replyForced(exchange, endpoint, effect, readBody);
  } else if (answer !== undefined) reply(exchange, answer);
  await sending;
}

async function replyForced(
  exchange: Exchange,
  endpoint: Endpoint,
  effect: FaultEffect,
  readBody: BodyReader,
): Promise<void> {
  const { body } = effect;
  const error = await forcedError(exchange, endpoint, effect, readBody);
  const status = error?.status ?? effect.status ?? 200;
  await letArrive(exchange, status);
  if (error !== undefined && body === undefined) return void replyError(exchange, error);
  if (isBodiless(status)) return void replyBodiless(exchange, status);
  exchange.errorCode = error?.code ?? null;
  Object.assign(exchange.headers, error?.options.headers);
  if (typeof body === 'string')
    reply(exchange, { kind: 'text', status, text: body, type: 'text/plain; charset=utf-8' });
  else reply(exchange, { kind: 'json', status, body: {}, text: JSON.stringify(body) });
}
