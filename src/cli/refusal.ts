// Reads the error of a request that an emulator refuses.

import { isTree } from '../core/tree.js';

interface ErrorBody {
  error?: { message?: string; requestId?: string; details?: unknown } | string | null;
  requestId?: string;
  details?: unknown;
}

/** The message and the details of an error, in either style. */
export function refusalIn(answer: unknown): { message?: string; requestId?: string; details?: unknown } {
  const { error, ...beside } = (isTree(answer) ? answer : {}) as ErrorBody;
  return isTree(error) ? error : { ...beside, ...(typeof error === 'string' && { message: error }) };
}

/** The lines of an error: the problems of a call that is wrong say all of it; any other error needs its message, too. */
export function linesOf(said: string, status: number, problems: readonly string[] = []): readonly string[] {
  return status === 400 && problems.length > 0 ? problems : [said, ...problems];
}
