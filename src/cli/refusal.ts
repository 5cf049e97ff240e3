// What an emulator says of a request that it refuses.

import { isTree } from '../core/tree.js';

interface ErrorBody {
  error?: { message?: string; requestId?: string; details?: unknown } | string | null;
  requestId?: string;
  details?: unknown;
}

/** What an error says, in either style. */
export function refusalIn(answer: unknown): { message?: string; requestId?: string; details?: unknown } {
  const { error, ...beside } = (isTree(answer) ? answer : {}) as ErrorBody;
  return isTree(error) ? error : { ...beside, ...(typeof error === 'string' && { message: error }) };
}

/** What an answer says, a line each: what is wrong with a call says it all, what else stands in the way needs its message. */
export function linesOf(said: string, status: number, problems: readonly string[] = []): readonly string[] {
  return status === 400 && problems.length > 0 ? problems : [said, ...problems];
}
