// Errors in the form of the registry protocol.

import * as z from 'zod';
import type { ApiError, ErrorCode } from '../../core/errors.js';

/** The bodies of the registry's errors. */
export const registryErrors = z
  .lazy(() =>
    z.looseObject({ errors: z.array(z.object({ code: z.string(), message: z.string(), detail: z.unknown() })) }),
  )
  .meta({ id: 'RegistryErrors' });

const codes: Partial<Record<ErrorCode, string>> = {
  FORBIDDEN: 'DENIED',
  RATE_LIMITED: 'TOOMANYREQUESTS',
  NOT_FOUND: 'NAME_UNKNOWN',
  ROUTE_NOT_FOUND: 'UNSUPPORTED',
  METHOD_NOT_ALLOWED: 'UNSUPPORTED',
  PAYLOAD_TOO_LARGE: 'MANIFEST_INVALID',
  SERVICE_UNAVAILABLE: 'UNAVAILABLE',
  INTERNAL_ERROR: 'UNKNOWN',
};

// The problems of a query.
const parameterCodes: Record<string, string> = {
  'query.digest': 'DIGEST_INVALID',
  'query.mount': 'DIGEST_INVALID',
  'query.from': 'NAME_INVALID',
  'query.n': 'PAGINATION_NUMBER_INVALID',
  'query.last': 'PAGINATION_NUMBER_INVALID',
};

/** An error in the form of the registry protocol. */
export function registryError({ code, message, options }: ApiError): Record<string, unknown> {
  const [first] = Array.isArray(options.details) ? (options.details as { path?: string }[]) : [];
  const known = code === 'VALIDATION_ERROR' ? parameterCodes[first?.path ?? ''] : codes[code];
  return { code: known ?? code, message, detail: options.details ?? null };
}
