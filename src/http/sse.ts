// Server-sent events on a socket: opening comment, heartbeat, and the end of connections whose client does not read.

import { real } from '../core/real-time.js';
import { closing } from '../world/topics.js';
import { drained } from './file-part.js';
import { streamsOf } from './open-streams.js';
import { type RequestContext, withOwnHeaders } from './request-context.js';
import type { SseEvent, SseSink, StreamAnswer } from './response.js';
import { endAfterBody } from './unread-body.js';

const heartbeatMs = 15_000;
const pieceBytes = 64 * 1_024;
const stallMs = 5_000;

/** Answers with a stream and hands its sink to the handler's `open`. */
export function openSse(context: RequestContext, answer: StreamAnswer, headers: Record<string, string>): void {
  const { ctx, world } = context;
  const { res } = ctx;
  ctx.respond = false;
  Object.assign(headers, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
  res.writeHead(answer.status, withOwnHeaders(context, headers));
  // There is nothing to stream to who asks for the headers only.
  if (ctx.method === 'HEAD') return void endAfterBody(ctx.req, res);
  // A client that has left already does not close again: the stream is opened and closed at once, so that the effects of
  // opening happen.
  if (ctx.req.socket.destroyed) {
    answer.open({ send: async () => {}, end() {}, onClose: (listener) => listener() });
    return;
  }
  if (answer.bare === true) res.flushHeaders();
  else res.write(': connected\n\n');

  const record = context.isInternal ? undefined : streamsOf(world).open(context);
  const listeners: (() => void)[] = [];
  const heartbeat =
    answer.bare === true ? undefined : real.setInterval(() => res.write(': keepalive\n\n'), heartbeatMs);
  heartbeat?.unref();
  const stopHearing = world.bus.on(closing, () => void res.end());
  res.on('close', () => {
    real.clearInterval(heartbeat);
    stopHearing();
    record?.ended(context.outcome === 'lost' ? 'lost' : res.writableEnded ? 'complete' : 'aborted');
    for (const listener of listeners.splice(0)) listener();
  });
  res.on('error', () => res.destroy());

  let isOver = false;
  const sink: SseSink = {
    async send(events) {
      record?.sent(events);
      for (const piece of pieces(events)) {
        if (isOver || res.destroyed || res.writableEnded) return;
        // Those who advance the clock wait for this: a client that stopped reading must not hold them up.
        if (!res.write(piece)) await drained(res, stallMs);
      }
    },
    end() {
      if (isOver) return;
      isOver = true;
      real.clearInterval(heartbeat);
      endAfterBody(ctx.req, res);
    },
    onClose(listener) {
      if (res.destroyed) listener();
      else listeners.push(listener);
    },
  };
  answer.open(sink);
}

function pieces(events: readonly SseEvent[]): string[] {
  const result: string[] = [];
  let piece = '';
  for (const { id, event, data, comment } of events) {
    if (comment !== undefined) piece += `:${comment}\n\n`;
    else
      piece += `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`;
    if (piece.length >= pieceBytes) {
      result.push(piece);
      piece = '';
    }
  }
  if (piece !== '') result.push(piece);
  return result;
}
