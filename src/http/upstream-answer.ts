// The answer of a process of the user's own to a request whose body has been read: JSON whole, server-sent events one by
// one, everything else as it comes.

import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { afterWall } from '../core/clock.js';
import { ApiError } from '../core/errors.js';
import { begin, confine, endToEnd, failure, givingUp, onFailure, type UpstreamTarget } from './forward.js';
import type { Answer, JsonAnswer, SseEvent, SseSink } from './response.js';

/** A request to such a process. */
export interface UpstreamRequest extends UpstreamTarget {
  method: string;
  /** What follows the URL of the process: a path with its query. */
  path: string;
  headers: OutgoingHttpHeaders;
  body: Buffer | undefined;
  /** Aborts when nobody waits for the answer any more. */
  gone: AbortSignal;
}

/** Follows an answer, to charge for it. */
export interface UpstreamListener {
  json?(answer: JsonAnswer): void;
  event?(event: SseEvent): void;
  /** Called once, however it ends; first come `json` or the events. */
  ended?(): void;
}

/** The most bytes of an answer. A process that sends more is cut off. */
export const mostAnswered = 16 * 1_024 * 1_024;

/**
 * Asks an upstream, and answers as it does.
 *
 * @returns its response; a 502 or 504 where it gives none, one that is too long, or JSON that is none
 */
export async function askUpstream(
  request: UpstreamRequest,
  listener: UpstreamListener = {},
): Promise<Answer | ApiError> {
  const { ended = () => {} } = listener;
  const called = call(request);
  let heard: IncomingMessage;
  try {
    heard = await called.answer;
  } catch (error) {
    ended();
    return failure({ ...request, url: placeOf(request) }, error as NodeJS.ErrnoException);
  }
  const type = heard.headers['content-type'] ?? 'application/octet-stream';
  const status = heard.statusCode ?? 502;
  const pieces = piecesOf(heard, request);
  if (status < 300 && /^text\/event-stream\b/i.test(type)) {
    return {
      kind: 'stream',
      status,
      bare: true,
      open: (sink) => void passEvents(pieces, sink, { listener, ended, sent: called.sent }),
    };
  }
  const headers = ownHeaders(heard);
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type) || request.method === 'HEAD')
    return { kind: 'pieces', status, type, headers, pieces: endingWith(pieces, ended) };
  try {
    const all: Buffer[] = [];
    for await (const piece of pieces) all.push(piece);
    const text = Buffer.concat(all).toString();
    const body = JSON.parse(text) as JsonAnswer['body'];
    const answer: JsonAnswer = { kind: 'json', status, body, text, headers, isForwarded: true };
    listener.json?.(answer);
    return answer;
  } catch (error) {
    if (error instanceof ApiError) return error;
    return badAnswer(request, `sent JSON that is none (${(error as Error).message})`);
  } finally {
    ended();
  }
}

function call({ url, method, path, headers, body, patience, gone }: UpstreamRequest): {
  sent: ClientRequest;
  answer: Promise<IncomingMessage>;
} {
  const length = body === undefined ? {} : { 'content-length': body.length };
  const sent = begin(url, { method, path, headers: { ...headers, ...length } });
  const leave = (): void => void sent.destroy();
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    const waiting = givingUp(sent, { patience });
    sent.once('response', (heard) => {
      waiting.end();
      resolve(heard);
    });
    onFailure(sent, (error) => {
      waiting.end();
      reject(error);
    });
  });
  if (gone.aborted) leave();
  else gone.addEventListener('abort', leave, { once: true });
  sent.once('close', () => gone.removeEventListener('abort', leave));
  sent.end(body);
  return { sent, answer };
}

// The bytes of an answer, each piece within the patience for the first one.
async function* piecesOf(heard: IncomingMessage, request: UpstreamRequest): AsyncGenerator<Buffer> {
  const iterator = heard[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let bytes = 0;
  let isSlow = false;
  try {
    for (;;) {
      const cancel = afterWall(request.patience, () => {
        isSlow = true;
        heard.destroy();
      });
      const { value, done } = await iterator.next().finally(cancel);
      if (done === true) break;
      bytes += value.length;
      if (bytes > mostAnswered) throw badAnswer(request, `sent more than ${mostAnswered} bytes`);
      yield value;
    }
    if (!heard.complete) throw new Error('closed');
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw badAnswer(
      request,
      isSlow
        ? `sent nothing more for ${request.patience / 1_000} s (${request.setting} says how long it may take)`
        : `broke off its answer (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`,
    );
  } finally {
    heard.destroy();
  }
}

async function* endingWith(pieces: AsyncIterable<Buffer>, ended: () => void): AsyncGenerator<Buffer> {
  try {
    yield* pieces;
  } finally {
    ended();
  }
}

interface Passing {
  listener: UpstreamListener;
  ended: () => void;
  sent: ClientRequest;
}

// An ended stream would look whole: one that breaks off ends with an event that says so.
async function passEvents(
  pieces: AsyncIterable<Buffer>,
  sink: SseSink,
  { listener, ended, sent }: Passing,
): Promise<void> {
  let isOver = false;
  sink.onClose(() => {
    isOver = true;
    sent.destroy();
  });
  const reader = createEventReader();
  try {
    for await (const piece of pieces) {
      const events = reader.read(piece);
      for (const event of events) if (event.comment === undefined) listener.event?.(event);
      if (events.length > 0) await sink.send(events);
    }
  } catch (error) {
    const { message } = error as Error;
    if (!isOver) await sink.send([{ event: 'error', data: JSON.stringify({ message }) }]);
  } finally {
    ended();
    sink.end();
  }
}

// Without the query, which may hold secrets.
function placeOf({ url, path }: UpstreamRequest): string {
  return url.replace(/\/+$/, '') + path.replace(/\?.*/s, '');
}

function badAnswer(request: UpstreamRequest, what: string): ApiError {
  const message = `the upstream ${placeOf(request)} ${what}`;
  return new ApiError('SERVICE_UNAVAILABLE', { status: 502, message });
}

// What this server says itself, or what belongs to the form of the body.
const notPassed = /^(?:access-control-.*|content-(?:length|type)|date|vary|x-emulator.*|x-ratelimit-.*|x-request-id)$/;

function ownHeaders({ headers }: IncomingMessage): Record<string, string> {
  const all = endToEnd(headers);
  confine(all);
  const passed = Object.entries(all).filter(([name, value]) => value !== undefined && !notPassed.test(name));
  return Object.fromEntries(passed.map(([name, value]) => [name, String(value)]));
}

interface EventReader {
  /** The events and comments that end in a piece, or before it. */
  read(piece: Buffer): SseEvent[];
}

/**
 * Begins to read a stream.
 *
 * @example createEventReader().read(Buffer.from('event: chunk\ndata: {}\n\n')) // [{ event: 'chunk', data: '{}' }]
 */
function createEventReader(): EventReader {
  const decoder = new StringDecoder('utf8');
  let line: string[] = [];
  let wasReturn = false;
  let fields: { id?: string; event?: string; data: string[] } = { data: [] };

  function endLine(events: SseEvent[]): void {
    const text = line.join('');
    line = [];
    if (text === '') {
      const { data, ...rest } = fields;
      if (data.length > 0) events.push({ ...rest, data: data.join('\ndata: ') });
      fields = { data: [] };
      return;
    }
    const colon = text.indexOf(':');
    if (colon === 0) return void events.push({ data: '', comment: text.slice(1) });
    const name = colon === -1 ? text : text.slice(0, colon);
    const value = colon === -1 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') fields.data.push(value);
    else if (name === 'event' || name === 'id') fields[name] = value;
  }

  return {
    read(piece) {
      const events: SseEvent[] = [];
      for (const part of decoder.write(piece).split(/(\r\n|\n|\r)/)) {
        if (part === '') continue;
        // The two characters of one end of a line may come apart.
        const isRest = wasReturn && part === '\n';
        wasReturn = part === '\r';
        if (isRest) continue;
        if (part === '\n' || part === '\r' || part === '\r\n') endLine(events);
        else line.push(part);
      }
      return events;
    },
  };
}
