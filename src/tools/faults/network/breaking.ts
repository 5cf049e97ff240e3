// Network faults that end the connection: at once, or after the first half of a response, or after some events.

import { afterWall } from '../../../core/clock.js';
import type { RequestContext } from '../../../http/request-context.js';
import type { SseSink, StreamAnswer } from '../../../http/response.js';
import { type Break, breakOff, pause, readingMs } from '../connection.js';
import { begin, firstHalf, type NetworkFaultKind, type ReadyResponse, type StreamTiming } from './kind.js';

export const reset: NetworkFaultKind = { loses: 'reset', ...breaking('reset') };
export const close: NetworkFaultKind = { loses: 'close', ...breaking('close') };
export const hang: NetworkFaultKind = { loses: 'hang', ...breaking('hang') };
export const truncate: NetworkFaultKind = breaking('close');

function breaking(how: Break): NetworkFaultKind {
  return {
    breaksStreams: true,
    async onBody(context, response) {
      await sendPart(context, response, firstHalf(context, response.body));
      if (how === 'reset') await pause(context, readingMs);
      await breakOff(context, how);
    },
    onStream(context, answer, { afterEvents }) {
      context.outcome = 'lost';
      return { ...answer, open: (sink) => openUntil(context, answer, how, afterEvents, sink) };
    },
  };
}

function sendPart(context: RequestContext, response: ReadyResponse, part: Buffer): Promise<void> {
  const res = begin(context, response);
  return new Promise((resolve) => {
    res.on('close', resolve);
    if (part.length === 0) afterWall(0, resolve);
    else res.write(part, () => resolve());
  });
}

// Sends so many events, and breaks off.
function openUntil(
  context: RequestContext,
  answer: StreamAnswer,
  how: Break,
  afterEvents: StreamTiming['afterEvents'],
  sink: SseSink,
): void {
  let over = false;
  let left = afterEvents;
  async function end(): Promise<void> {
    over = true;
    // Heartbeats would show the client that the stream is alive.
    if (how === 'hang') context.ctx.res.cork();
    await breakOff(context, how);
  }
  answer.open({
    ...sink,
    async send(events) {
      if (over) return;
      left ??= Math.ceil(events.length / 2);
      const sent = events.slice(0, left);
      left -= sent.length;
      over = left === 0;
      await sink.send(sent);
      if (!over) return;
      // The bytes are still being sent; an immediate reset would overtake them.
      void pause(context, how === 'reset' ? readingMs : 0).then(end);
    },
    end() {
      if (!over) void end();
    },
  });
}
