// The one place where answers and errors become bytes and headers.

import type { Answer } from '../api/answer.js';
import { type AssumptionId, assumptions } from '../api/assumptions.js';
import type { Config } from '../config/schema.js';
import { ApiError } from '../kernel/errors.js';
import type { Exchange } from './exchange.js';
import { openSse } from './sse.js';

/** Sends what a handler answered. */
export function reply(exchange: Exchange, answer: Answer): void {
  const { ctx } = exchange;
  if (answer.kind === 'stream') {
    writeHeaders(exchange);
    openSse(exchange, answer);
    return;
  }
  ctx.status = answer.status;
  if (answer.headers !== undefined) ctx.set(answer.headers);
  writeHeaders(exchange);
  if (answer.kind === 'json') sendJson(exchange, answer.body);
  else {
    ctx.type = answer.type;
    ctx.body = answer.text;
  }
}

/** Sends an error in the platform's envelope; whatever is no ApiError is a 500 without its inner text. */
export function replyError(exchange: Exchange, thrown: unknown): void {
  const { ctx, world } = exchange;
  const error = thrown instanceof ApiError ? thrown : new ApiError('INTERNAL_ERROR', { message: 'Internal error: a fault of the emulator, please report it' });
  exchange.errorCode = error.code;
  exchange.assumptions.add('errors.envelope');
  if (error.status === 402) exchange.assumptions.add('errors.402');
  ctx.status = error.status;
  if (error.options.headers !== undefined) ctx.set(error.options.headers);
  writeHeaders(exchange);
  sendJson(exchange, errorBody(world.config, error, exchange.requestId));
}

/** An error's body in the configured style. */
export function errorBody(config: Config, error: ApiError, requestId: string): Record<string, unknown> {
  const { details, retryAfter, extra } = error.options;
  const optional = { ...(details !== undefined && { details }), ...(retryAfter !== undefined && { retryAfter }) };
  if (config.errors.style === 'flat') {
    const code = flatCodes[error.code] ?? error.code.toLowerCase();
    return { success: false, error: error.message, code, message: error.message, ...optional, requestId, ...extra };
  }
  return { success: false, error: { code: error.code, message: error.message, ...optional, requestId }, ...extra };
}

const flatCodes: Record<string, string> = {
  UNAUTHORIZED: 'authentication_required',
  FORBIDDEN: 'access_denied',
  NOT_FOUND: 'resource_not_found',
  RATE_LIMITED: 'rate_limit_exceeded',
};

const maxWarningBytes = 1_024;

function writeHeaders(exchange: Exchange): void {
  const { ctx, world, endpoint } = exchange;
  ctx.set('X-Request-Id', exchange.requestId);
  ctx.set('X-Emulator-Now', new Date(exchange.now).toISOString());
  const ids: AssumptionId[] = [...(endpoint?.assumptions ?? []), ...exchange.assumptions];
  if (ids.length > 0) ctx.set('X-Emulator-Assumption', [...new Set(ids)].join(', '));
  if (exchange.warnings.length > 0) ctx.set('X-Emulator-Warning', warningHeader(exchange.warnings));
  if (exchange.fault !== null) ctx.set('X-Emulator-Fault', exchange.fault);
  if (world.id !== 'default') ctx.set('X-Emulator-World', world.id);
}

// Header values never hold raw user input: percent-encoded, readable ASCII kept, at most 1 KB.
function warningHeader(warnings: readonly string[]): string {
  const encoded = warnings.map((text) => encodeURIComponent(text).replace(/%(20|2C|3A|2F|3F|3D|40|3B|22|60)/gi, decodeURIComponent));
  let header = '';
  for (const [index, text] of encoded.entries()) {
    const next = index === 0 ? text : `${header}; ${text}`;
    if (next.length > maxWarningBytes) return header === '' ? text.slice(0, maxWarningBytes).replace(/%[0-9A-F]?$/i, '') : header;
    header = next;
  }
  return header;
}

function sendJson({ ctx }: Exchange, body: Record<string, unknown>): void {
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  ctx.body = JSON.stringify(body);
}

/** Whether an operation rests wholly on a guess. */
export function isGuess(ids: readonly AssumptionId[] | undefined): boolean {
  return ids?.some((id) => assumptions[id].level === 'operation') === true;
}
