// The network fault that cuts JSON in half, as if that were the whole response.

import type { SseEvent } from '../../../http/response.js';
import { endAfterBody } from '../../../http/unread-body.js';
import { begin, firstHalf, type NetworkFaultKind, withFirstEvents } from './kind.js';

export const malformed: NetworkFaultKind = {
  async onBody(context, { status, headers, body }) {
    const { method, req } = context.ctx;
    const half = firstHalf(context, body);
    const length = method === 'HEAD' ? {} : { 'Content-Length': half.length };
    await endAfterBody(req, begin(context, { status, headers: { ...headers, ...length }, body }), half);
  },
  onStream(context, answer) {
    context.outcome = 'lost';
    return withFirstEvents(answer, (events, sink) => sink.send(events.map(cutFirst)));
  },
};

function cutFirst(event: SseEvent, index: number): SseEvent {
  return index === 0 ? { ...event, data: event.data.slice(0, Math.floor(event.data.length / 2)) } : event;
}
