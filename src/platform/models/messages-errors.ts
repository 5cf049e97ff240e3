// Errors in the form of Anthropic, beside the platform's own.

import * as z from 'zod';
import type { ApiError } from '../../core/errors.js';
import type { BesideError } from '../../http/endpoint.js';
import { isObject } from './messages-blocks.js';

const types: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** The type of an error in the terms of Anthropic: `invalid_request_error`, `overloaded_error` and so on. */
export function anthropicType({ code, status }: Pick<ApiError, 'code' | 'status'>): string {
  if (code === 'MODEL_UNAVAILABLE') return 'overloaded_error';
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

const anthropicError = z
  .lazy(() =>
    z
      .object({
        type: z.literal('error'),
        error: z.object({ type: z.string(), message: z.string() }).loose(),
        request_id: z.string(),
      })
      .loose(),
  )
  .meta({ id: 'AnthropicError' });

/** The body says `type: "error"`; its `error` has a type of Anthropic's, and is an object in the flat style, too. */
export const anthropicErrors: BesideError = {
  schema: anthropicError,
  of(error, body) {
    const own = isObject(body.error) ? body.error : { message: error.message };
    return {
      type: 'error',
      error: { ...own, type: anthropicType(error) },
      request_id: own.requestId ?? body.requestId,
    };
  },
};
