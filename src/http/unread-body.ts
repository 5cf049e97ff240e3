// Bodies that nobody has read, as the request was answered before: read for the journal, and for whoever has to know
// whether two requests are the same.

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { maxLookedAt } from '../store/redact.js';
import { type FormParts, hashParts } from './form-parts.js';

/** A body that was read to its end. */
export interface WholeBody {
  /** Of one that is short, and text. */
  text: string | undefined;
  /** Of its bytes; of a form, of its parts. */
  hash: string;
  length: number;
  form: FormParts | undefined;
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

/** Reads a body that nobody else will read; undefined when the client leaves before its end. */
export async function readUnread(req: IncomingMessage): Promise<WholeBody | undefined> {
  keepUnread(req);
  const isForm = /^multipart\/form-data/i.test(req.headers['content-type'] ?? '');
  const form = isForm ? await formReader(req) : undefined;
  const hash = createHash('sha256');
  const beginning: Buffer[] = [];
  let length = 0;
  const isWhole = await new Promise<boolean>((resolve) => {
    const over = (reached: boolean) => (): void => {
      req.off('data', take).off('end', whole).off('close', gone).off('error', gone);
      resolve(reached);
    };
    const whole = over(true);
    const gone = over(false);
    const take = (piece: Buffer): void => {
      if (length < maxLookedAt) beginning.push(piece);
      length += piece.length;
      hash.update(piece);
      form?.write(piece);
    };
    req.on('data', take).once('end', whole).once('close', gone).once('error', gone).resume();
  });
  const parts = await form?.end();
  if (!isWhole) return undefined;
  const bytes = length <= maxLookedAt && parts === undefined ? Buffer.concat(beginning) : undefined;
  return {
    text: bytes !== undefined && isUtf8(bytes) ? bytes.toString() : undefined,
    hash: parts?.hash ?? hash.digest('hex'),
    length,
    form: parts,
  };
}

interface FormReader {
  write(piece: Buffer): void;
  /** The parts, or undefined when it was no form. */
  end(): Promise<FormParts | undefined>;
}

async function formReader(req: IncomingMessage): Promise<FormReader | undefined> {
  const { default: createParser } = await import('busboy');
  try {
    const parser = createParser({ headers: req.headers, limits: { parts: 1_000 }, defParamCharset: 'utf8' });
    const parts = hashParts(parser);
    parser.on('file', (_, content) => content.resume().on('error', () => {}));
    const closed = new Promise<FormParts | undefined>((resolve) => {
      parser
        .once('close', () => resolve(parser.errored === null ? parts() : undefined))
        .on('error', () => resolve(undefined));
    });
    return {
      write: (piece) => void parser.write(piece),
      end() {
        parser.end();
        return closed;
      },
    };
  } catch {
    return undefined;
  }
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
