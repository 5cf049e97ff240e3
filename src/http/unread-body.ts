// Bodies as bytes: read piece by piece for operations that take any size, read for the journal where the operation did
// not, and discarded where the connection is used again.

import { isUtf8 } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { afterWall, nextTurn } from '../core/clock.js';
import { ApiError } from '../core/errors.js';
import { maxLookedAt } from '../core/redact.js';
import { formNameIn, hashForm } from './form-parts.js';

/** A body that was read to its end. */
export interface WholeBody {
  /** The text of a short body; undefined for a longer one, and for a body that is no text. */
  text: string | undefined;
  /** The hash of the bytes; for a form, that of its parts. */
  hash: string;
  /** The name that a form gives to the thing that it asks for. */
  formName: string | undefined;
}

/** A JSON body that was read as text. */
export function wholeBody(text: string): WholeBody {
  const hash = createHash('sha256').update(text).digest('hex');
  return { text: text.length > maxLookedAt ? undefined : text, hash, formName: undefined };
}

/** Whether a request has a body of which nothing has been read. */
export function isUnread({ headers, readableDidRead, destroyed, complete, readableLength }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': chunked } = headers;
  if (readableDidRead || (destroyed && readableLength === 0 && !complete)) return false;
  return chunked !== undefined || (length !== undefined && length !== '0');
}

/** Reads a body that is otherwise left unread; undefined when the client disconnects before its end, or it is too long. */
export function readUnread(req: IncomingMessage): Promise<WholeBody | undefined> {
  const form = hashForm(req.headers['content-type'] ?? '');
  const hash = form ?? createHash('sha256');
  const beginning: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    const over = (body: () => WholeBody | undefined) => (): void => {
      req.off('data', take).off('end', whole).off('close', gone).off('error', gone).off('pause', gone);
      resolve(body());
    };
    const whole = over(() => {
      const bytes = Buffer.concat(beginning).subarray(0, maxLookedAt);
      const isText = form === undefined && length <= maxLookedAt && isUtf8(bytes);
      return {
        text: isText ? bytes.toString() : undefined,
        hash: form?.digest() ?? (hash as Hash).digest('hex'),
        formName: form === undefined ? undefined : formNameIn(bytes.toString()),
      };
    });
    const gone = over(() => undefined);
    const take = (piece: Buffer): void => {
      if (length < maxLookedAt) beginning.push(piece);
      length += piece.length;
      hash.update(piece);
    };
    req.on('data', take).once('end', whole).once('close', gone).once('error', gone);
    if (req.closed) return gone();
    throwAway(req);
    req.once('pause', gone);
  });
}

/** The number of bytes that fit into a request's buffer on every version of Node. */
const mostPeeked = 8 * 1_024;

/** Whether a body is short enough to be looked at before it is read. */
export function isShort({ headers }: IncomingMessage): boolean {
  const length = Number(headers['content-length'] ?? Number.NaN);
  return length > 0 && length <= mostPeeked;
}

/** The bytes of a short body that still has to be read; undefined when it is not short, or its client leaves. */
export async function peekBody(req: IncomingMessage): Promise<Buffer | undefined> {
  if (!isShort(req)) return undefined;
  const length = Number(req.headers['content-length']);
  const hasAll = (): boolean => req.readableLength >= length;
  if (!hasAll())
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!hasAll() && !req.destroyed) return;
        req.off('readable', look).off('close', look);
        resolve();
      };
      req.on('readable', look).on('close', look);
      // The client may have left before anything listened.
      look();
    });
  const bytes: unknown = hasAll() ? req.read() : undefined;
  if (!Buffer.isBuffer(bytes)) return undefined;
  req.unshift(bytes);
  return bytes;
}

/**
 * The pieces of a body. Whoever stops reading leaves the connection whole, so that the answer arrives.
 *
 * @throws ApiError SIZE_INVALID when the client leaves before the end
 */
export async function* contentOf(req: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* req.iterator({ destroyOnReturn: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    throw new ApiError('SIZE_INVALID', { message: 'The body ended before all of it had come' });
  } finally {
    throwAway(req);
  }
}

/** Calls `tell` as soon as more bytes of a body have come than so many. */
export function countBytes(req: IncomingMessage, most: number, tell: () => void): void {
  let bytes = 0;
  req.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > most) tell();
  });
}

/** How much of a body that nobody needs is read, so that the client can receive the response. */
const longestLeftover = 64 * 1_024 * 1_024;
/** How long a client that sends more has to notice its response. */
const noticingMs = 1_000;

const leftovers = new WeakSet<IncomingMessage>();

/**
 * Reads the rest of a body, because the connection's next request follows it. Of a long one it reads no more at some
 * point: the client, which has its response since the beginning, is disconnected.
 */
export function throwAway(req: IncomingMessage): void {
  if (req.readableEnded || req.destroyed) return;
  if (!leftovers.has(req)) {
    leftovers.add(req);
    countBytes(req, longestLeftover, () => {
      if (req.isPaused()) return;
      req.pause();
      const cancel = afterWall(noticingMs, () => req.socket.destroy());
      req.socket.once('close', cancel);
    });
  }
  req.resume();
}

const longestRestMs = 10_000;

/**
 * Sends the body of a response at once, and ends the response when the body of its request has been read, too: after the end
 * Node closes a connection that is not kept, and a client that still sends would meet EPIPE instead of the response. It ends
 * as well when the client has left, or sends no end of its body.
 */
export function endAfterBody(req: IncomingMessage, res: ServerResponse, body?: string | Buffer): void {
  if (req.complete && !isUnread(req)) return void res.end(body);
  // A write without bytes sends no headers where the status has no body.
  if (body === undefined || body.length === 0) res.flushHeaders();
  else res.write(body);
  const end = (): void => {
    cancel();
    req.socket.off('end', end);
    res.end();
  };
  const cancel = afterWall(longestRestMs, end);
  finished(req, end);
  req.socket.once('end', end);
  // The journal may read the body, too, and begins to in this turn.
  void nextTurn().then(() => throwAway(req));
}
