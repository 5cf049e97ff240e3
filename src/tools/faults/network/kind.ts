// The interface of a network fault: its effect on a body and on a stream, and whether it leaves a response at all.

import type { OutgoingHttpHeaders } from 'node:http';
import { type Body, readBody } from '../../../http/file-part.js';
import type { RequestContext } from '../../../http/request-context.js';
import type { SseEvent, SseSink, StreamAnswer } from '../../../http/response.js';
import { noteRequest } from '../../journal/hooks.js';
import type { Break } from '../connection.js';

/** A kind of network fault. To add one, write such a record in a file of its own, and name it in `kinds.ts`. */
export interface NetworkFaultKind {
  /** How it ends the connection before any response; missing where it damages a response. */
  loses?: Break;
  /** The fault breaks a stream after some of its events, whose number a rule may give (`afterEvents`). */
  breaksStreams?: true;
  /** It does nothing to responses that are no streams. */
  onlyStreams?: true;
  /** It acts on all clients: it does nothing where others may use the emulator. */
  concernsAll?: true;
  /** The delay of its rule is the time that it takes, not a wait before it. */
  spreadsDelay?: true;
  /** Sends a damaged response; resolves when everything is sent. */
  onBody(context: RequestContext, response: ReadyResponse, timing: Timing): Promise<void>;
  /** A stream that is damaged. */
  onStream(context: RequestContext, answer: StreamAnswer, timing: StreamTiming): StreamAnswer;
}

/** A response that is ready to be sent. */
export interface ReadyResponse {
  status: number;
  headers: OutgoingHttpHeaders;
  body: Body;
}

export interface Timing {
  /** How long a response takes that is spread over time. */
  overMs: number;
}

export interface StreamTiming extends Timing {
  /** How many events come before the stream breaks; undefined: half of those that come first. */
  afterEvents: number | undefined;
}

/** How much of a body is damaged: the rest of a large file is not read for it. */
const damagedBytes = 16 * 1_024 * 1_024;

/** The first half of a body, which is all that its client gets: the journal holds no more. */
export function firstHalf(context: RequestContext, body: Body): Buffer {
  const half = readBody(body, 0, Math.floor(Math.min(body.length, damagedBytes) / 2));
  context.outcome = 'lost';
  if (context.responseText !== undefined) context.responseText = half.toString();
  return half;
}

/** Sends the status and the headers of a response at once; the journal has the request from then on. */
export function begin(context: RequestContext, { status, headers }: ReadyResponse): RequestContext['ctx']['res'] {
  const { res } = context.ctx;
  // A client that leaves midway is expected under many rules.
  res.on('error', () => res.destroy());
  res.writeHead(status, headers).flushHeaders();
  noteRequest(context);
  return res;
}

/** A stream whose first events are sent in another way; the rest comes as it is. */
export function withFirstEvents(
  answer: StreamAnswer,
  sendFirst: (events: SseEvent[], sink: SseSink) => Promise<void>,
): StreamAnswer {
  let isFirst = true;
  return {
    ...answer,
    open: (sink) =>
      answer.open({
        ...sink,
        send(events) {
          if (!isFirst) return sink.send(events);
          isFirst = false;
          return sendFirst(events, sink);
        },
      }),
  };
}
