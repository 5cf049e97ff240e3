// Reading a JSON body, whatever its content type says.

import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { koaBody as KoaBody } from 'koa-body';
import { ApiError, invalid } from '../core/errors.js';
import { clientLimits, readJson } from '../core/json.js';
import { memoizeMany } from '../core/memoize-last.js';
import { maxLookedAt } from '../core/redact.js';
import type { Endpoint } from './endpoint.js';
import { assume, type RequestContext, warn } from './request-context.js';
import { throwAway } from './unread-body.js';
import { readForm } from './upload.js';

/** The journal keeps the beginning of a longer body, and its hash. */
const mostKept = 256 * 1_024;
const utf8 = new TextDecoder('utf-8', { fatal: true });
const mostFormFields = 1_000;
/** The pages of the emulator send names and addresses. */
const mostFormBytes = 64 * 1_024;

/** Loads the parser of bodies with a limit, which the start does without. */
export const bodyParser = memoizeMany(4, loadParser);

/**
 * The body of a request, which is read once, however often it is asked for.
 *
 * @param maxBytes the largest body; a larger one is 413
 */
export function readBody(
  context: RequestContext,
  endpoint: Endpoint,
  maxBytes = context.world.config.server.maxBody,
): Promise<unknown> {
  context.body ??=
    endpoint.upload === undefined ? read(context, endpoint, maxBytes) : readForm(context, endpoint.upload);
  return context.body;
}

/**
 * The whole of a body that an endpoint reads itself.
 *
 * @throws ApiError PAYLOAD_TOO_LARGE beyond so many bytes
 */
export async function readWhole(content: AsyncIterable<Buffer>, most: number, tooLarge: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.length;
    if (bytes > most) throw new ApiError('PAYLOAD_TOO_LARGE', { message: tooLarge });
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function read(context: RequestContext, endpoint: Endpoint, maxBytes: number): Promise<unknown> {
  const { ctx } = context;
  const { headers } = ctx.req;
  const nothing = endpoint.bodyOptional === true ? {} : undefined;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return nothing;
  const isForm = endpoint.form === true && /^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '');
  const bytes = await readBytes(ctx, maxBytes);
  if (isForm && bytes.length > mostFormBytes)
    throw new ApiError('PAYLOAD_TOO_LARGE', { message: `The form is larger than ${mostFormBytes} bytes` });
  const text = textOf(bytes);
  const isLong = bytes.length > mostKept;
  if (isLong) {
    const hash = createHash('sha256').update(bytes).digest('hex');
    context.longBody = { length: text.length, hash, holdsLive: context.world.redactor.findsLive(text) };
  }
  // Bytes of their own: a part of the text would keep all of it in memory.
  context.bodyText = isLong ? Buffer.from(text.slice(0, maxLookedAt)).toString() : text;
  if (text.trim() === '') return nothing;
  if (isForm) return readPairs(text);
  const reading = readJson(text, clientLimits);
  if ('problem' in reading) {
    if (reading.excess === true) throw invalid({ path: 'body', message: reading.problem });
    throw new ApiError('INVALID_JSON', { message: `The body is not valid JSON: ${reading.problem}` });
  }
  const { first, count } = reading.repeated;
  if (count > 0) {
    const more = count > first.length ? ` (${count} repetitions in all)` : '';
    assume(context, 'bodies');
    warn(context, `repeated keys in the body (the last one counts): ${first.join(', ').slice(0, 200)}${more}`);
  }
  return reading.value;
}

// The fields of a form that a page of the emulator sends.
function readPairs(content: string): Record<string, string> {
  const fields = content.split('&', mostFormFields + 1).length;
  if (fields > mostFormFields)
    throw invalid({ path: 'body', message: `must have at most ${mostFormFields} fields`, received: 'more' });
  return Object.fromEntries(new URLSearchParams(content));
}

// Without the mark that some editors and clients put first.
function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ApiError('INVALID_JSON', { message: 'The body is not valid JSON: it is not UTF-8' });
  }
}

async function loadParser(maxBytes: number): Promise<ReturnType<typeof KoaBody>> {
  const { koaBody } = await import('koa-body');
  return koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: ['*/*'],
    // The parser returns bytes; they are decoded here, in one go.
    encoding: '',
    textLimit: maxBytes,
    parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
    patchKoa: true,
    patchNode: false,
  });
}

async function readBytes(ctx: Context, maxBytes: number): Promise<Buffer> {
  const parse = await bodyParser(maxBytes);
  const { headers } = ctx.req;
  // Clients drop or confuse the content type (payment retries do), and the parser reads no body without one.
  headers['content-type'] = 'application/json';
  // The parser compares codings as they are written; for HTTP they have no case, and x-gzip means gzip (RFC 9110, 8.4.1).
  const coding = headers['content-encoding']?.toLowerCase();
  if (coding !== undefined) headers['content-encoding'] = coding === 'x-gzip' ? 'gzip' : coding;
  try {
    await parse(ctx, async () => {});
  } catch (error) {
    // The parser left the rest unread. The connection's next request follows it; and closing it instead would lose the
    // response for a client that still sends (EPIPE in 1 of 3 requests of 17 MB).
    throwAway(ctx.req.unpipe());
    throw bodyProblem(error, maxBytes);
  }
  // Where the parser leaves what it has read.
  const request: { body?: unknown } = ctx.request;
  const { body } = request;
  request.body = undefined;
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function bodyProblem(error: unknown, maxBytes: number): ApiError {
  const { status, type } = error as { status?: number; type?: string };
  if (status === 413)
    return new ApiError('PAYLOAD_TOO_LARGE', { message: `The body is larger than ${maxBytes} bytes` });
  if (status === 415)
    return new ApiError('UNSUPPORTED_MEDIA_TYPE', {
      message: 'The content encoding is unknown: use gzip, deflate, br or none',
    });
  return new ApiError('INVALID_JSON', {
    message: `The body could not be read: ${type ?? 'it ends too early or is damaged'}`,
  });
}
