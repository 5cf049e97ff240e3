// Faults on the socket and on streams: waiting, breaking off, truncating, dripping.

import type { OutgoingHttpHeaders } from 'node:http';
import { afterWall, nextTurn } from '../../core/clock.js';
import { elapsed } from '../../core/real-time.js';
import { type Body, readBody, writeBody } from '../../http/file-part.js';
import { callerOf, type RequestContext, readRest } from '../../http/request-context.js';
import type { SseEvent, SseSink, StreamAnswer } from '../../http/response.js';
import { endAfterBody, type WholeBody } from '../../http/unread-body.js';
import { closing } from '../../world/world.js';
import type { NetworkFault } from './rule.js';

/** How a connection ends without (the rest of) a response. */
export type Break = Extract<NetworkFault, 'reset' | 'close' | 'hang'>;

/** A response that is ready to be sent. */
export interface ReadyResponse {
  status: number;
  headers: OutgoingHttpHeaders;
  body: Body;
}

/** How long sent bytes have to be read, before a reset makes the client's system drop them. */
const readingMs = 50;
const dripMs = 50;
/** How much of a body is damaged: the rest of a large file is not read for it. */
const damagedBytes = 16 * 1_024 * 1_024;
/**
 * How long a failure is held back: requests that the client sent at the same time arrive meanwhile, so that every later
 * request is a reaction to it. Verdicts rely on it.
 */
const arrivingMs = 30;
const arrivingTurns = 5;

/** Delays the first failure of an operation in a second, and so the first refusal of an expired credential. */
export async function letArrive(context: RequestContext, status: number): Promise<void> {
  if (status !== 429 && status < 500 && context.findings?.includes('expired-credential') !== true) return;
  const kind = context.endpoint?.id ?? '';
  if (context.connections?.isFirstRefusal(callerOf(context), kind, elapsed()) !== true) return;
  await pause(context, arrivingMs);
  // A process that stood still runs its timers first: what has arrived meanwhile is accepted and read in these turns.
  for (let turn = 0; turn < arrivingTurns; turn++) await nextTurn();
}

/** How a pause has ended: its time is over, the client has left, or the world ends. */
export type PauseEnd = 'over' | 'left' | 'ended';

/** Waits on the wall clock; not longer than the client stays and the world is there. */
export function pause({ ctx, world }: RequestContext, ms: number): Promise<PauseEnd> {
  const { socket } = ctx.req;
  if (socket.destroyed) return Promise.resolve('left');
  return new Promise((resolve) => {
    const end = (how: PauseEnd): void => {
      cancelTimer?.();
      stopHearing();
      socket.off('close', left);
      resolve(how);
    };
    const left = (): void => end('left');
    const cancelTimer = ms === Infinity ? undefined : afterWall(ms, () => end('over'));
    const stopHearing = world.bus.on(closing, () => end('ended'));
    // Several requests may follow each other on one connection.
    socket.setMaxListeners(0).on('close', left);
  });
}

/**
 * Sends nothing (more), ever, or ends the connection; resolves when that is done. `beforehand` receives the body, where
 * it had not been read.
 */
export async function breakOff(
  context: RequestContext,
  how: Break,
  beforehand?: (body: WholeBody | undefined) => void,
): Promise<void> {
  const { ctx } = context;
  ctx.respond = false;
  context.outcome = 'lost';
  const body = await readRest(context);
  if (body === undefined) await requestRead(context);
  beforehand?.(body);
  if (how === 'hang') {
    await pause(context, Infinity);
    return void ctx.req.socket.destroy();
  }
  await pause(context, arrivingMs);
  if (how === 'reset') ctx.req.socket.resetAndDestroy();
  else ctx.req.socket.destroySoon();
}

// Closing a socket with unread bytes makes the system send a reset, whatever was intended.
function requestRead({ ctx }: RequestContext): Promise<void> {
  const { req } = ctx;
  if (req.readableEnded || req.destroyed || req.socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    req
      .once('end', resolve)
      .once('close', resolve)
      .once('error', () => resolve());
    req.resume();
  });
}

/** Sends a damaged response; resolves when everything is sent. */
export async function sendDamaged(
  context: RequestContext,
  network: NetworkFault,
  answer: ReadyResponse,
  overMs: number,
): Promise<void> {
  if (network === 'drip') return drip(context, answer, overMs);
  const half = readBody(answer.body, 0, Math.floor(Math.min(answer.body.length, damagedBytes) / 2));
  context.outcome = 'lost';
  if (context.responseText !== undefined) context.responseText = half.toString();
  if (network === 'malformed') {
    const headers = { ...answer.headers, ...(context.ctx.method !== 'HEAD' && { 'Content-Length': half.length }) };
    return endAfterBody(context.ctx.req, context.ctx.res.writeHead(answer.status, headers), half);
  }
  await sendPart(context, answer, half);
  if (network === 'reset') await pause(context, readingMs);
  await breakOff(context, endOf(network));
}

function endOf(network: NetworkFault): Break {
  return network === 'reset' || network === 'hang' ? network : 'close';
}

function sendPart(context: RequestContext, { status, headers }: ReadyResponse, part: Buffer): Promise<void> {
  const { res } = begin(context, status, headers);
  return new Promise((resolve) => {
    res.on('close', resolve);
    if (part.length === 0) afterWall(0, resolve);
    else res.write(part, () => resolve());
  });
}

async function drip(context: RequestContext, { status, headers, body }: ReadyResponse, overMs: number): Promise<void> {
  const { res } = begin(context, status, headers);
  const pieces = Math.max(1, Math.min(body.length, Math.ceil(overMs / dripMs)));
  for (let i = 0; i < pieces; i++) {
    const from = Math.floor((body.length * i) / pieces);
    if ((await pause(context, overMs / pieces)) !== 'over') {
      context.outcome = 'aborted';
      return void res.destroy();
    }
    await writeBody(res, body, from, Math.floor((body.length * (i + 1)) / pieces));
  }
  res.end();
}

function begin(
  { ctx }: RequestContext,
  status: number,
  headers: OutgoingHttpHeaders,
): { res: RequestContext['ctx']['res'] } {
  const { res } = ctx;
  // A client that leaves midway is expected under many rules.
  res.on('error', () => res.destroy());
  res.writeHead(status, headers).flushHeaders();
  return { res };
}

/** What a rule does to a stream. */
export interface StreamDamage {
  network: NetworkFault;
  overMs: number;
  /** How many events come before it breaks; undefined: half of those that come first. */
  afterEvents: number | undefined;
}

/** A stream that a rule damages. */
export function damagedStream(
  context: RequestContext,
  answer: StreamAnswer,
  { network, overMs, afterEvents }: StreamDamage,
): StreamAnswer {
  const open = (sink: SseSink): void => {
    let first = true;
    let over = false;
    let left = afterEvents;
    const end = async (): Promise<void> => {
      over = true;
      await stop(context, network);
    };
    answer.open({
      ...sink,
      async send(events) {
        if (over) return;
        const isOnFirst = network === 'drip' || network === 'malformed';
        if (!first && isOnFirst) return sink.send(events);
        first = false;
        if (network === 'drip') return dripEvents(context, sink, events, overMs);
        if (network === 'malformed') return sink.send(events.map(cutFirst));
        left ??= Math.ceil(events.length / 2);
        const sent = events.slice(0, left);
        left -= sent.length;
        over = left === 0;
        await sink.send(sent);
        if (!over) return;
        // The bytes are still being sent; an immediate reset would overtake them.
        void pause(context, network === 'reset' ? 50 : 0).then(end);
      },
      end() {
        if (network === 'drip' || network === 'malformed') sink.end();
        else if (!over) void end();
      },
    });
  };
  if (network !== 'drip') context.outcome = 'lost';
  return { ...answer, open };
}

/** Runs a stream without a client: the side effects of opening it stay, and it ends as if the client had left. */
export function runUnheard(answer: StreamAnswer): void {
  answer.open({
    send: () => Promise.resolve(),
    end() {},
    onClose: (listener) => listener(),
  });
}

async function stop(context: RequestContext, network: NetworkFault): Promise<void> {
  const how: Break = network === 'reset' || network === 'hang' ? network : 'close';
  // Heartbeats would show the client that the stream is alive.
  if (how === 'hang') context.ctx.res.cork();
  await breakOff(context, how);
}

function cutFirst(event: SseEvent, index: number): SseEvent {
  return index === 0 ? { ...event, data: event.data.slice(0, Math.floor(event.data.length / 2)) } : event;
}

async function dripEvents(context: RequestContext, sink: SseSink, events: SseEvent[], overMs: number): Promise<void> {
  for (const event of events) {
    if ((await pause(context, overMs / events.length)) !== 'over') return;
    await sink.send([event]);
  }
}
