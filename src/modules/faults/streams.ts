// Faults on streams of events.

import type { RequestContext } from '../../http/request-context.js';
import type { SseEvent, SseSink, StreamAnswer } from '../../http/response.js';
import { type Break, breakOff, pause } from './effects.js';
import type { NetworkFault } from './rule.js';

/** A stream that a rule damages: the rule acts on its first events. */
export function damagedStream(
  context: RequestContext,
  answer: StreamAnswer,
  network: NetworkFault,
  overMs: number,
): StreamAnswer {
  const open = (sink: SseSink): void => {
    let first = true;
    let over = false;
    const end = async (): Promise<void> => {
      over = true;
      await stop(context, network);
    };
    answer.open({
      ...sink,
      async send(events) {
        if (over) return;
        if (!first) return sink.send(events);
        first = false;
        if (network === 'drip') return dripEvents(context, sink, events, overMs);
        if (network === 'malformed') return sink.send(events.map(cutFirst));
        over = true;
        await sink.send(events.slice(0, Math.ceil(events.length / 2)));
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
    if (!(await pause(context, overMs / events.length))) return;
    await sink.send([event]);
  }
}
