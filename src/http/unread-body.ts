// Bodies that nobody has read, as the request was answered before: read for the journal, and for whoever has to know
// whether two requests are the same.

import { isUtf8 } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { maxLookedAt } from '../core/redact.js';
import { formNameIn, hashForm } from './form-parts.js';

/** A body that was read to its end. */
export interface WholeBody {
  /** Of one that is short, and text. */
  text: string | undefined;
  /** Of its bytes; of a form, of its parts. */
  hash: string;
  /** What a form calls the thing that it asks for. */
  formName: string | undefined;
}

/** Whether a request has a body of which nothing has been read. */
export function isUnread({ headers, readableDidRead, destroyed, complete, readableLength }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': chunked } = headers;
  if (readableDidRead || (destroyed && readableLength === 0 && !complete)) return false;
  return chunked !== undefined || (length !== undefined && length !== '0');
}

/** Keeps the server from throwing an unread body away once the answer is sent. */
export function keepUnread(req: IncomingMessage): void {
  if (isUnread(req)) req.read(0);
}

/** Reads a body that is otherwise left unread; undefined when the client disconnects before its end. */
export function readUnread(req: IncomingMessage): Promise<WholeBody | undefined> {
  keepUnread(req);
  const form = hashForm(req.headers['content-type'] ?? '');
  const hash = form ?? createHash('sha256');
  const beginning: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    const over = (body: () => WholeBody | undefined) => (): void => {
      req.off('data', take).off('end', whole).off('close', gone).off('error', gone);
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
    req.on('data', take).once('end', whole).once('close', gone).once('error', gone).resume();
  });
}

/** What fits into a request's buffer on every version of Node. */
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
    });
  const bytes: unknown = hasAll() ? req.read() : undefined;
  if (!Buffer.isBuffer(bytes)) return undefined;
  req.unshift(bytes);
  return bytes;
}
