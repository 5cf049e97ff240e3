// The errors of a request that no emulator answers, or that one refuses.

import { problemLines } from '../core/errors.js';
import { isTree } from '../core/tree.js';
import type { ErrorFacts } from './error-document.js';

interface ErrorBody {
  error?: { code?: string; message?: string; requestId?: string; details?: unknown } | string | null;
  requestId?: string;
  details?: unknown;
}

/** The code, the message and the details of an error, in either style. */
export function refusalIn(answer: unknown): { code?: string; message?: string; requestId?: string; details?: unknown } {
  const { error, ...beside } = (isTree(answer) ? answer : {}) as ErrorBody;
  return isTree(error) ? error : { ...beside, ...(typeof error === 'string' && { message: error }) };
}

/** The lines of an error: the problems of a call that is wrong say all of it; any other error needs its message, too. */
export function linesOf(said: string, status: number, problems: readonly string[] = []): readonly string[] {
  return status === 400 && problems.length > 0 ? problems : [said, ...problems];
}

/** There is no emulator, or it did not answer as one; the message is for the person. */
export class Unreachable extends Error {
  constructor(
    message: string,
    readonly facts: ErrorFacts = { code: 'NOT_RUNNING' },
  ) {
    super(message);
  }
}

/** The emulator answered, but does not let this caller control it. */
export class Refused extends Unreachable {}

/** Thrown when the user's own command cannot even be begun, with a sentence for the person. */
export class NotStarted extends Error {}

/** The emulator understood the call and refuses it: exit code 2 when the call is wrong, 1 when it cannot be done. */
export class Declined extends Error {
  readonly exitCode: 1 | 2;

  constructor(
    /** The message of the answer. */
    readonly said: string,
    readonly status: number,
    /** The problems of a call that was wrong, or what was seen last. */
    readonly details: unknown,
    /** The code of the answer, where it has one. */
    readonly code?: string,
  ) {
    super(linesOf(said, status, problemLines(details)).join('\n'));
    this.exitCode = status === 400 ? 2 : 1;
  }
}
