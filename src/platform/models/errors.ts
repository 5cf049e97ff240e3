// Errors of models: the fields that SDKs read beside the platform's own code and message, and errors that replies order.

import * as z from 'zod';
import type { Reply } from '../../config/replies.js';
import { ApiError, type ErrorCode, errorTable, type FieldProblem } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import type { BesideError, HandlerContext } from '../../http/endpoint.js';
import type { Asked } from './conversation.js';
import type { Model } from './models.js';
import { chosenReply } from './replies.js';

/** The errors that can occur while a model answers a conversation. */
export const conversationErrors: ErrorCode[] = [
  'INSUFFICIENT_CREDITS',
  'NOT_FOUND',
  'CONTEXT_LENGTH',
  'CONTENT_POLICY',
  'MODEL_UNAVAILABLE',
  'GENERATION_FAILED',
];

const types: Partial<Record<ErrorCode, string>> = {
  UNAUTHORIZED: 'authentication_error',
  INSUFFICIENT_CREDITS: 'insufficient_quota',
  PAYMENT_REQUIRED: 'insufficient_quota',
  FORBIDDEN: 'permission_error',
  RATE_LIMITED: 'rate_limit_error',
};

/** The codes of the flat style. */
const flatCodes: Partial<Record<ErrorCode, string>> = {
  VALIDATION_ERROR: 'invalid_value',
  INSUFFICIENT_CREDITS: 'insufficient_credits',
  CONTEXT_LENGTH: 'context_length_exceeded',
  CONTENT_POLICY: 'content_policy_violation',
  NOT_FOUND: 'model_not_found',
};

/** The default messages of a model's own errors. */
const words: Partial<Record<ErrorCode, string>> = {
  CONTENT_POLICY: 'The request was rejected by the content policy',
  CONTEXT_LENGTH: 'The conversation is longer than the context window of the model',
  MODEL_UNAVAILABLE: 'The model is unavailable at the moment',
  GENERATION_FAILED: 'The model failed to answer',
};

/** The type of an error in the terms of SDKs: `invalid_request_error`, `rate_limit_error` and so on. */
function errorType({ code, status }: Pick<ApiError, 'code' | 'status'>): string {
  return types[code] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
}

const modelError = z
  .lazy(() =>
    z
      .object({ error: z.object({ message: z.string(), type: z.string(), param: z.string().nullable() }).loose() })
      .loose(),
  )
  .meta({ id: 'ModelError' });

/** The `error` object has a `type` and a `param`; it is an object in the flat style, too. */
export const modelErrors: BesideError = besideModelErrors();

/** The errors of embeddings, which have another code for insufficient credits. */
export const embeddingErrors: BesideError = besideModelErrors({ INSUFFICIENT_CREDITS: 'insufficient_balance' });

function besideModelErrors(own: Partial<Record<ErrorCode, string>> = {}): BesideError {
  return {
    schema: modelError,
    of(error, body) {
      const type = errorType(error);
      const { details } = error.options;
      const problem = Array.isArray(details) ? (details as FieldProblem[])[0] : undefined;
      const param = problem?.path ?? null;
      if (typeof body.error === 'object') return { error: { ...body.error, type, param } };
      const isMissing = problem?.received === describe(undefined);
      const code = isMissing ? 'missing_required_parameter' : (own[error.code] ?? flatCodes[error.code] ?? body.code);
      return { error: { message: error.message, type, param, code } };
    },
  };
}

/** An error in the middle of a stream, when the status has been sent. */
export function errorEvent({ code, message, status }: ApiError): Record<string, unknown> {
  return { message, type: errorType({ code, status }), param: null, code };
}

/** The error that a reply orders, and after how many chunks of a stream it comes. */
export function orderedError({ error }: Reply): { error: ApiError; after: number | undefined } | undefined {
  if (error === undefined) return undefined;
  const { code, message, retryAfter, after } = typeof error === 'string' ? { code: error } : error;
  const seconds = retryAfter ?? (code === 'RATE_LIMITED' || code === 'MODEL_UNAVAILABLE' ? 1 : undefined);
  const options = {
    message: message ?? words[code] ?? errorTable[code].message,
    ...(seconds !== undefined && { retryAfter: seconds, headers: { 'Retry-After': String(seconds) } }),
  };
  return { error: new ApiError(code, options), after };
}

/** The errors of a model’s own that replies may order. */
export const refusals = ['CONTENT_POLICY', 'MODEL_UNAVAILABLE', 'GENERATION_FAILED'] as const satisfies ErrorCode[];

/**
 * Refuses a prompt if a queued reply or a fixture has an error; replies with content are left for conversations.
 *
 * @throws ApiError what the reply orders, CONTENT_POLICY for example
 */
export function refuseIfOrdered(
  { world, warn }: Pick<HandlerContext, 'world' | 'warn'>,
  model: Model,
  prompt: string,
): void {
  const asked: Asked = { model: model.id, messages: [{ role: 'user', text: prompt }] };
  const chosen = chosenReply(world, asked, warn);
  const ordered = chosen === undefined ? undefined : orderedError(chosen.reply);
  if (chosen === undefined || ordered === undefined) return;
  const { code, options } = ordered.error;
  throw new ApiError(code, { ...options, lasting: chosen.take });
}
