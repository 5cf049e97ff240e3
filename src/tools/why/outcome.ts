// How a request ended, and whether that it would have ended otherwise shows what decided it.

import { type JournalEntry, messageOf } from '../journal/journal-entry.js';

/** How a request ended. */
export interface Outcome {
  /** 0: without a response. */
  status: number;
  code: string | null;
  fault: string | null;
  /** What the error says, without ids, numbers and the world's name in it. */
  message: string;
  /** It was answered, and what it shows has failed. */
  showsFailure: boolean;
}

const ownNames = /[0-9a-f]{8}-[0-9a-f-]{27}|[\d.]+/g;
const prefixOfWorld = /\/w\/[\w-]+(?=\/)/g;

/** How a request of a journal ended. */
export function outcomeOf(request: JournalEntry): Outcome {
  const { status, errorCode: code, fault, responseBody } = request;
  // Other words of a refusal of the caller or the request show nothing: keys are also told by the worlds that have them.
  const said = stepOf({ status, code }) === step.state ? (messageOf(request) ?? '') : '';
  const message = said.replace(prefixOfWorld, '').replace(ownNames, '#');
  return { status, code, fault, message, showsFailure: showsFailure(responseBody ?? '') };
}

/** The outcome of a request that was let through. */
export const letThrough = (status: number, fails: boolean): Outcome => ({
  ...{ status, code: null, fault: null, message: '' },
  showsFailure: fails,
});

/** Whether a body shows something that has failed. */
export const showsFailure = (body: string): boolean => /"status":"(failed|error)"/.test(body);

/** Whether two requests ended in the same way. */
export function isSame(one: Outcome, other: Outcome): boolean {
  return (
    one.status === other.status &&
    one.code === other.code &&
    one.fault === other.fault &&
    one.message === other.message &&
    (one.status >= 400 || one.showsFailure === other.showsFailure)
  );
}

/** An outcome in a few words. */
export function wordsOf({ status, code }: Outcome): string {
  if (status === 0) return 'no answer';
  return code === null ? String(status) : `${status} ${code}`;
}

/** What a point has made, of what a request is about. */
export interface Made {
  /** The key that it was sent with, or the organization of that key. */
  caller: boolean;
  /** The thing that it names. */
  subject: boolean;
}

/**
 * Whether a point has decided how a request ended, given how it ends without that point.
 *
 * That a request is refused earlier without it shows nothing: a key that is made later lets nobody find what is not there.
 * But what a thing is since it was made, its making has decided.
 */
export function isDecided(own: Outcome, without: Outcome, made: Made): boolean {
  if (isSame(own, without)) return false;
  if (own.fault !== null) return without.fault !== own.fault;
  if (without.fault !== null || without.status === 0) return false;
  if (stepOf(without) > stepOf(own)) return true;
  // Of two refusals of one kind the text says which it is.
  if (stepOf(own) === step.state && without.code === own.code) return without.message !== own.message;
  if (without.status === 401) return made.caller && (own.status === 402 || own.status === 403);
  const isAboutThing = stepOf(own) === step.state && own.status !== 402;
  return without.status === 404 && made.subject && isAboutThing;
}

/** The steps in which a request is refused, in their order. */
const step = { caller: 0, limit: 1, permission: 2, request: 3, state: 4, none: 5 } as const;

function stepOf({ status, code }: Pick<Outcome, 'status' | 'code'>): number {
  if (status < 400) return step.none;
  if (status === 401) return step.caller;
  if (code === 'RATE_LIMITED') return step.limit;
  if (code === 'FORBIDDEN') return step.permission;
  // A 404 may come before or after the check of the body.
  return [402, 403, 409, 410, 429].includes(status) || status >= 500 ? step.state : step.request;
}
