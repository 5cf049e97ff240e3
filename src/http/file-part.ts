// Parts of files as bodies of responses: the range that a request asks for, read as it is sent, whatever its size.

import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { afterWall } from '../core/clock.js';
import type { HandlerContext } from './endpoint.js';
import { endAfterBody } from './unread-body.js';

interface FilePart {
  path: string;
  /** The position of its first byte in the file. */
  at: number;
  length: number;
}

/** The source of a body: bytes, or a file that is read while it is sent. */
export type Body = Buffer | FilePart;

const pieceBytes = 256 * 1_024;

/** Sends a part of a file as the rest of a response. */
export function sendPart(res: ServerResponse, { path, at, length }: FilePart): void {
  if (length === 0) return void endAfterBody(res.req, res);
  const content = createReadStream(path, { start: at, end: at + length - 1, highWaterMark: pieceBytes });
  // A client that disconnects in the middle causes no error; one of the file leaves the answer short.
  pipeline(content, res, { end: false }).then(
    () => endAfterBody(res.req, res),
    () => res.destroy(),
  );
}

/** The bytes of a body from one place to before another. */
export function readBody(body: Body, from: number, to: number): Buffer {
  if (Buffer.isBuffer(body)) return body.subarray(from, to);
  const file = openSync(body.path, 'r');
  try {
    const part = Buffer.alloc(to - from);
    return part.subarray(0, readSync(file, part, 0, part.length, body.at + from));
  } finally {
    closeSync(file);
  }
}

/** Writes a part of a body, no faster than it is taken. */
export async function writeBody(res: ServerResponse, body: Body, from: number, to: number): Promise<void> {
  for (let at = from; at < to && !res.destroyed; at += pieceBytes)
    if (!res.write(readBody(body, at, Math.min(to, at + pieceBytes)))) await drained(res);
}

/**
 * Waits until the client has taken what was written, or is gone.
 *
 * @param stallMs after so many wall milliseconds a client that stopped reading is sent away
 */
export function drained(res: ServerResponse, stallMs?: number): Promise<void> {
  return new Promise((resolve) => {
    if (res.destroyed) return resolve();
    const cancel = stallMs === undefined ? undefined : afterWall(stallMs, () => res.destroy());
    const over = (): void => {
      cancel?.();
      res.off('drain', over).off('close', over);
      resolve();
    };
    res.on('drain', over).on('close', over);
  });
}

/** Aborts when the client leaves before its response has been sent, or has left already. */
export function goneOf(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const closed = (): void => {
    if (!res.writableFinished) controller.abort();
  };
  if (res.closed || res.req.socket.destroyed) closed();
  else res.once('close', closed);
  return controller.signal;
}

/** The first and the last byte. */
interface ByteRange {
  first: number;
  last: number;
}

/**
 * The Range header of a request. Where If-Range names another content than the ETag does, and with HEAD, for which it is
 * not defined (RFC 9110, 14.2), it counts as not sent.
 *
 * @param etag that of the content; undefined where its answers have none
 */
export function rangeHeader(call: Pick<HandlerContext, 'header' | 'isHead'>, etag?: string): string | undefined {
  if (call.isHead) return undefined;
  const condition = call.header('if-range');
  return condition === undefined || condition === etag ? call.header('range') : undefined;
}

/** Whether If-None-Match names the content that the client would get: it has it already. */
export function hasCurrent(call: Pick<HandlerContext, 'header'>, etag: string): boolean {
  const known = call.header('if-none-match')?.split(',') ?? [];
  return known.some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
}

/**
 * The one range of so many bytes that a Range header asks for. Undefined stands for the whole: several ranges, other
 * units and nonsense ask for it too.
 *
 * @example byteRange('bytes=-2', 10) // { first: 8, last: 9 }
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes\s*=\s*(\d{0,30})-(\d{0,30})$/i.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return first >= size ? 'unsatisfiable' : { first, last };
}
