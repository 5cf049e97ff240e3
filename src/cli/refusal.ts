// What an emulator says of a request that it refuses.

import { isTree } from '../core/tree.js';

interface ErrorBody {
  error?: { message?: string; requestId?: string; details?: unknown } | string;
  requestId?: string;
  details?: unknown;
}

/** What an error says, in either style. */
export function refusalIn(answer: unknown): { message?: string; requestId?: string; details?: unknown } {
  const { error, ...beside } = (isTree(answer) ? answer : {}) as ErrorBody;
  return typeof error === 'object' ? error : { ...beside, ...(error !== undefined && { message: error }) };
}
