// Types of the platform's requests and answers; the published types list them (src/build/types/build.mjs).

import type { OperationId } from '../config/names.js';
import type { ErrorCode, FieldProblem } from '../core/errors.js';

/** The input and the answer of each operation, by its id. */
export interface Operations {
  [id: string]: { path: unknown; query: unknown; body: unknown; response: unknown };
}

/**
 * The body that an operation takes; undefined where it takes none.
 *
 * @example const body: RequestBody<'containers.create'> = { name: 'Web', project_name: 'web', ecr_image_uri: 'web:v1' };
 */
export type RequestBody<Id extends OperationId> = Operations[Id]['body'];

/**
 * The JSON that an operation answers when all is well; undefined where its answers are no JSON.
 *
 * @example const { data } = await response.json<ResponseBody<'containers.get'>>();
 */
export type ResponseBody<Id extends OperationId> = Operations[Id]['response'];

/** The body of every error; `errors.style` flat has another. */
export interface ErrorBody {
  success: false;
  error: {
    code: ErrorCode;
    message: string;
    /** A list of fields for a VALIDATION_ERROR; for other codes, the facts that belong to the code. */
    details?: FieldProblem[] | Record<string, unknown>;
    requestId: string;
    /** Seconds, on 429 and 503. */
    retryAfter?: number;
  };
}

/** The query parameters that an operation takes; undefined where it takes none. */
export type RequestQuery<Id extends OperationId> = Operations[Id]['query'];

/** The parameters in an operation's path; undefined where there are none. */
export type PathParameters<Id extends OperationId> = Operations[Id]['path'];
