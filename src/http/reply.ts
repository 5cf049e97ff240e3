// The one place where answers and errors become bytes and headers.

import type { Middleware } from 'koa';
import type { Config } from '../config/schema.js';
import { ApiError, type ErrorCode } from '../core/errors.js';
import { memoizeMany } from '../core/memoize-last.js';
import { maxLookedAt } from '../core/redact.js';
import { emulatorFacts } from '../world/given.js';
import type { AssumptionId } from './assumptions.js';
import type { Endpoint } from './endpoint.js';
import { drained, sendPart } from './file-part.js';
import type { AppOptions } from './hooks.js';
import { assume, type RequestContext, withOwnHeaders } from './request-context.js';
import type { Answer, FileAnswer, PiecesAnswer } from './response.js';
import { isBodiless } from './response.js';
import { openSse } from './sse.js';
import { endAfterBody } from './unread-body.js';
import { iso } from './wire.js';

const jsonType = 'application/json; charset=utf-8';

/** Sends what a handler answered; of pieces it waits for the last. */
export function reply(context: RequestContext, answer: Answer): void | Promise<void> {
  if (answer.kind === 'stream') {
    if (!isGone(context) && context.outcome === 'answered' && context.ctx.method !== 'HEAD')
      context.outcome = 'streaming';
    openSse(context, answer, standardHeaders(context, answer.status));
    return;
  }
  if (answer.headers !== undefined) Object.assign(context.headers, answer.headers);
  if (answer.kind === 'pieces') return sendPieces(context, answer);
  if (answer.kind === 'file') return sendFile(context, answer);
  if (answer.kind === 'json') return send(context, answer.status, jsonType, answer.text ?? JSON.stringify(answer.body));
  if (answer.kind === 'bytes') return send(context, answer.status, answer.type, answer.bytes, answer.chunked);
  return send(context, answer.status, answer.type, answer.text);
}

/** Answers requests whose errors are in no world, and sends what a site has put into `ctx.body`. */
export function answerOutside({ config, worlds, onError }: AppOptions): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (!(error instanceof ApiError)) onError(error);
      const known = error instanceof ApiError ? error : new ApiError('INTERNAL_ERROR');
      const world = worlds.get('default');
      ctx.status = known.status;
      ctx.set({ 'X-Emulator': emulatorFacts.of(world).mark, ...known.options.headers });
      ctx.type = 'application/json';
      ctx.body = world.redactor.text(JSON.stringify(errorBody(config, known, 'none')));
    }
    // As Koa does, except that a client that still sends its own body gets the response, too.
    const { body } = ctx;
    if (ctx.respond === false || !ctx.writable || (typeof body !== 'string' && !Buffer.isBuffer(body))) return;
    ctx.respond = false;
    endAfterBody(ctx.req, ctx.res, ctx.method === 'HEAD' ? undefined : body);
  };
}

/** The assumptions that an error of a code rests on, beside those of the envelope. */
const reasonsOf: Partial<Record<ErrorCode, readonly AssumptionId[]>> = {
  INVALID_JSON: ['bodies'],
  PAYLOAD_TOO_LARGE: ['bodies'],
  VALIDATION_ERROR: ['inputs'],
  INSUFFICIENT_CREDITS: ['money'],
};

/** Sends an error in the platform's envelope; whatever is not an ApiError is a 500 without its inner text. */
export async function replyError(context: RequestContext, thrown: unknown): Promise<void> {
  const { world } = context;
  let error =
    thrown instanceof ApiError
      ? thrown
      : new ApiError('INTERNAL_ERROR', { message: 'Internal error: a fault of the emulator, please report it' });
  context.errorCode = error.code;
  assume(context, 'errors.envelope');
  for (const id of reasonsOf[error.code] ?? []) assume(context, id);
  if (error.status === 402) {
    assume(context, 'errors.402');
    error = await context.errors.challenge(context, error);
  }
  Object.assign(context.headers, error.options.headers);
  // Errors repeat what came, and a client may have put a secret there.
  const clean = (text: string): string => world.redactor.text(text);
  const page = context.errors.errorPage(context, error);
  if (page !== undefined) {
    Object.assign(context.headers, page.headers);
    return send(context, error.status, page.type, clean(page.text));
  }
  const body = errorBody(world.config, error, context.requestId, context.endpoint);
  Object.assign(body, context.endpoint?.besideError?.of(error, body));
  return send(context, error.status, jsonType, clean(JSON.stringify(body)));
}

// Straight to the socket: Koa's own way of answering would look at body and type once more.
function send(
  context: RequestContext,
  status: number,
  type: string,
  body: string | Buffer,
  chunked = false,
): void | Promise<void> {
  const { ctx } = context;
  ctx.respond = false;
  // Something failed after the answer had begun: an ended answer would look whole.
  if (ctx.res.headersSent) return void ctx.res.destroy();
  const headers = standardHeaders(context, status);
  if (!isBodiless(status)) {
    headers['Content-Type'] = type;
    // Node sends in chunks what has no length.
    if (!chunked) headers['Content-Length'] = String(Buffer.byteLength(body));
  }
  withOwnHeaders(context, headers);
  context.responseText = typeof body === 'string' ? body : undefined;
  if (isGone(context)) return;
  if (context.transmit !== undefined) return context.transmit(status, headers, ctx.method === 'HEAD' ? '' : body);
  ctx.res.writeHead(status, headers);
  endAfterBody(ctx.req, ctx.res, ctx.method === 'HEAD' ? undefined : body);
}

// The journal keeps the beginning of a text and its length.
async function sendPieces(context: RequestContext, { status, pieces, type = jsonType }: PiecesAnswer): Promise<void> {
  const { ctx } = context;
  const { res } = ctx;
  const begun: Buffer[] = [];
  let length = 0;
  // A fault may change the whole.
  const isWhole = context.transmit !== undefined;
  const isText = /^text\/|json/.test(type);
  try {
    for await (const piece of pieces) {
      if (isWhole || (isText && length < maxLookedAt)) begun.push(Buffer.from(piece));
      length += piece.length;
      if (isWhole) continue;
      if (isGone(context)) return;
      beginPieces(context, status, type);
      if (ctx.method === 'HEAD') break;
      if (!res.write(piece)) await drained(res);
    }
  } catch (error) {
    if (!res.headersSent) throw error;
    // An ended answer would look whole.
    return void res.destroy();
  }
  const sent = isText ? Buffer.concat(begun).toString() : Buffer.concat(begun);
  if (isWhole) return send(context, status, type, sent);
  if (isGone(context)) return;
  beginPieces(context, status, type);
  if (typeof sent === 'string') context.responseText = sent;
  context.responseLength = length;
  endAfterBody(ctx.req, res);
}

function beginPieces(context: RequestContext, status: number, type: string): void {
  const { ctx } = context;
  if (ctx.res.headersSent) return;
  ctx.respond = false;
  const headers = Object.assign(standardHeaders(context, status), isBodiless(status) ? {} : { 'Content-Type': type });
  ctx.res.writeHead(status, withOwnHeaders(context, headers));
}

// A file goes out as it is read, whatever its size.
function sendFile(context: RequestContext, { status, type, file, first, last }: FileAnswer): void | Promise<void> {
  const { ctx } = context;
  ctx.respond = false;
  if (ctx.res.headersSent) return void ctx.res.destroy();
  const headers = standardHeaders(context, status);
  const length = last - first + 1;
  headers['Content-Type'] = type;
  headers['Content-Length'] = String(length);
  withOwnHeaders(context, headers);
  if (isGone(context)) return;
  const part = { path: file.path, at: first, length: ctx.method === 'HEAD' ? 0 : length };
  if (context.transmit !== undefined) return context.transmit(status, headers, part);
  sendPart(ctx.res.writeHead(status, headers), part);
}

// The client left before it was answered.
function isGone(context: RequestContext): boolean {
  const gone = context.ctx.req.socket.destroyed;
  if (gone && context.outcome === 'answered') context.outcome = 'aborted';
  return gone;
}

/** An error's body in the configured style. */
export function errorBody(
  config: Config,
  error: ApiError,
  requestId: string,
  endpoint?: Pick<Endpoint, 'flatAs'>,
): Record<string, unknown> {
  const { details, retryAfter, extra } = error.options;
  const optional = { ...(details !== undefined && { details }), ...(retryAfter !== undefined && { retryAfter }) };
  if (config.errors.style === 'flat') {
    const own = endpoint?.flatAs?.(error);
    return {
      success: false,
      error: own?.error ?? error.options.flat ?? error.message,
      code: own?.code ?? error.options.flatCode ?? flatCodes[error.code] ?? error.code.toLowerCase(),
      message: error.message,
      ...optional,
      requestId,
      ...extra,
    };
  }
  return { success: false, error: { code: error.code, message: error.message, ...optional, requestId }, ...extra };
}

const flatCodes: Record<string, string> = {
  INVALID_JSON: 'validation_error',
  UNAUTHORIZED: 'authentication_required',
  FORBIDDEN: 'access_denied',
  NOT_FOUND: 'resource_not_found',
  RATE_LIMITED: 'rate_limit_exceeded',
  CONTAINER_QUOTA_EXCEEDED: 'insufficient_credits',
  CONTAINER_NOT_STARTED: 'container_create_failed',
};

const maxWarningBytes = 1_024;

// One text for all answers of an endpoint, as the journal keeps it with each.
const listed = memoizeMany(1_000, (declared: readonly AssumptionId[]) => declared.join(', '));

// The headers that every answer of a world has, with those that the gates have set.
function standardHeaders(context: RequestContext, status: number): Record<string, string> {
  const { world, endpoint, headers, warnings, assumptions: extra } = context;
  headers['X-Request-Id'] = context.requestId;
  headers['X-Emulator'] = emulatorFacts.of(world).mark;
  headers['X-Emulator-Now'] = iso(context.now);
  const declared = endpoint?.assumptions;
  if (extra !== undefined) headers['X-Emulator-Assumption'] = [...new Set([...(declared ?? []), ...extra])].join(', ');
  else if (declared !== undefined) headers['X-Emulator-Assumption'] = listed(declared);
  if (warnings.length > 0) headers['X-Emulator-Warning'] = warningHeader(warnings);
  if (context.fault !== null) headers['X-Emulator-Fault'] = context.fault;
  if (world.id !== 'default') headers['X-Emulator-World'] = world.id;
  if (endpoint?.answerHeaders !== undefined) Object.assign(headers, endpoint.answerHeaders(status, context));
  return headers;
}

// Header values never hold raw user input: percent-encoded, readable ASCII kept, at most 1 KB.
function warningHeader(warnings: readonly string[]): string {
  const encoded = warnings.map((text) => {
    // Encoding would leave such a text as it is.
    if (/^[\w .!~*'(),:/?=@;"`-]*$/.test(text)) return text;
    // Half a character, which JSON may name and cutting may leave, has no encoding.
    const wellFormed = Buffer.from(text).toString();
    return encodeURIComponent(wellFormed).replace(/%(20|2C|3A|2F|3F|3D|40|3B|22|60)/gi, decodeURIComponent);
  });
  let header = '';
  for (const [index, text] of encoded.entries()) {
    const next = index === 0 ? text : `${header}; ${text}`;
    if (next.length > maxWarningBytes)
      return header === '' ? text.slice(0, maxWarningBytes).replace(/%[0-9A-F]?$/i, '') : header;
    header = next;
  }
  return header;
}
