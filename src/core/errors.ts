// The one table of error codes, and the error that code throws.

export const errorTable = {
  VALIDATION_ERROR: { status: 400, message: 'Invalid request data' },
  INVALID_JSON: { status: 400, message: 'The body is not valid JSON' },
  CONTENT_POLICY: { status: 400, message: 'Rejected by the content policy' },
  CONTEXT_LENGTH: { status: 400, message: 'Longer than the model’s context window' },
  UNAUTHORIZED: { status: 401, message: 'Invalid or missing authentication' },
  INSUFFICIENT_CREDITS: { status: 402, message: 'Insufficient credits' },
  PAYMENT_REQUIRED: { status: 402, message: 'Payment required' },
  CONTAINER_QUOTA_EXCEEDED: { status: 402, message: 'Container quota exceeded' },
  FORBIDDEN: { status: 403, message: 'Insufficient permissions' },
  QUOTA_EXCEEDED: { status: 403, message: 'Quota exceeded' },
  NOT_FOUND: { status: 404, message: 'Not found' },
  ROUTE_NOT_FOUND: { status: 404, message: 'No such endpoint' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'Method not allowed' },
  REQUEST_TIMEOUT: { status: 408, message: 'Timed out' },
  CONFLICT: { status: 409, message: 'Conflict' },
  GONE: { status: 410, message: 'No longer available' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is too large' },
  RANGE_NOT_SATISFIABLE: { status: 416, message: 'The range lies behind the end' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Unsupported media type' },
  PRICE_NOT_CONFIRMED: { status: 428, message: 'The price must be confirmed' },
  RATE_LIMITED: { status: 429, message: 'Too many requests' },
  AGENT_QUOTA_EXCEEDED: { status: 429, message: 'Too many hosted agents' },
  INTERNAL_ERROR: { status: 500, message: 'Internal error' },
  GENERATION_FAILED: { status: 500, message: 'The model failed to answer' },
  NOT_IMPLEMENTED: { status: 501, message: 'Not implemented' },
  CONTAINER_NOT_STARTED: { status: 502, message: 'The container could not be started' },
  SERVICE_UNAVAILABLE: { status: 503, message: 'Service temporarily unavailable' },
  MODEL_UNAVAILABLE: { status: 503, message: 'The model is unavailable at the moment' },
  // Errors of the image registry, in the words of the OCI distribution specification.
  DIGEST_INVALID: { status: 400, message: 'The digest is not that of what was sent' },
  MANIFEST_INVALID: { status: 400, message: 'The manifest is not valid' },
  NAME_INVALID: { status: 400, message: 'The name of the repository is not valid' },
  SIZE_INVALID: { status: 400, message: 'The length is not that of what was sent' },
  BLOB_UNKNOWN: { status: 404, message: 'The blob is unknown to the repository' },
  BLOB_UPLOAD_UNKNOWN: { status: 404, message: 'The upload is unknown' },
  MANIFEST_BLOB_UNKNOWN: { status: 404, message: 'The manifest names a blob that is not there' },
  MANIFEST_UNKNOWN: { status: 404, message: 'The manifest is unknown to the repository' },
  NAME_UNKNOWN: { status: 404, message: 'The repository is unknown' },
  RANGE_INVALID: { status: 416, message: 'The range cannot be satisfied' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorTable;

/** One field of a validation error. */
export interface FieldProblem {
  /** The place in the input, for example `environment_vars.PORT` or `query.tail`. */
  path: string;
  /** The problem, and what would be right. */
  message: string;
  /** The received value, shortened; never a secret. */
  received?: string | undefined;
  /** The nearest right value or name. */
  suggestion?: string | undefined;
}

export interface ApiErrorOptions {
  /** Default: the message of the code. */
  message?: string | undefined;
  /** A list of fields for a VALIDATION_ERROR; for other codes, the facts that belong to the code. */
  details?: unknown;
  /** Seconds to wait, on a 429 or 503. */
  retryAfter?: number;
  /**
   * The amount that a payment could settle instead, in micro-credits, or in atomic USDC where payment is required; the reply
   * says how.
   */
  payable?: number | undefined;
  /** The text in the flat style, where it differs from the message. */
  flat?: string | undefined;
  /** The code of the flat style where the table of codes has no word for it. */
  flatCode?: string;
  /** Fields beside `error` in the body (`requiredCredits`, `quota`). */
  extra?: Record<string, unknown>;
  /** Headers of the response besides the usual ones. */
  headers?: Record<string, string>;
  /** Writes that are kept although the error rolls back the transaction; they run before any other request. */
  lasting?: () => void;
  /** Another status than the table's: what a fault rule forces, what an app does not answer, and what is not a request. */
  status?: number;
}

/**
 * An error in the platform's own terms: the table gives its status, the reply its envelope.
 *
 * @example throw new ApiError('NOT_FOUND', { message: 'Container not found' })
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly options: ApiErrorOptions;

  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    super(options.message ?? errorTable[code].message);
    this.name = 'ApiError';
    this.code = code;
    this.status = options.status ?? errorTable[code].status;
    this.options = options;
  }
}

/** A validation error of one or more fields. */
export function invalid(...problems: FieldProblem[]): ApiError {
  return invalidFields(problems);
}

/**
 * A validation error of many fields.
 *
 * @param rest what is to be said of those that are not listed
 */
export function invalidFields(problems: readonly FieldProblem[], rest = ''): ApiError {
  const [first] = problems;
  const more = rest === '' ? '' : ` (${rest})`;
  const message = first === undefined ? undefined : `Invalid request data: ${first.path} ${first.message}${more}`;
  return new ApiError('VALIDATION_ERROR', { message, details: problems });
}

/** Whether all that an error refuses are these fields, of the body or the query. */
export function isAbout({ code, options: { details } }: ApiError, ...fields: string[]): boolean {
  if (code !== 'VALIDATION_ERROR' || !Array.isArray(details)) return false;
  return (details as FieldProblem[]).every(({ path }) => fields.includes(path.replace(/^query\./, '')));
}

/** The problem of one field, as a person reads it. */
export function problemLine({ path, message, received, suggestion }: FieldProblem): string {
  const got = received === undefined || message === 'is required' ? '' : `, got ${received}`;
  return `${path} ${message}${got}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`;
}

/**
 * The problems of an error, a line each; undefined where its details are not fields.
 *
 * @param nameOf what the person knows a field as
 */
export function problemLines(
  details: unknown,
  nameOf: (path: string) => string = (path) => path,
): string[] | undefined {
  if (!Array.isArray(details) || details.length === 0) return undefined;
  return (details as Partial<FieldProblem>[]).map(({ path = '', message = '', ...rest }) =>
    problemLine({ path: nameOf(path), message, ...rest }),
  );
}

/** Thrown when a file of data cannot be used, with a sentence for the user. */
export class StoreError extends Error {}

/** What was looked for. @throws ApiError NOT_FOUND where it is not there */
export function found<Thing>(thing: Thing | undefined, message: string, options: ApiErrorOptions = {}): Thing {
  if (thing === undefined) throw new ApiError('NOT_FOUND', { message, ...options });
  return thing;
}
