// Long JSON bodies: the journal keeps their beginning and their hash.

import { createHash } from 'node:crypto';
import { oneATurn } from '../core/clock.js';
import { maxLookedAt, type Redactor } from '../core/redact.js';

/** A longer one is kept in part. */
export const mostWhole = 256 * 1_024;

/**
 * Does in a turn of its own what a long body makes long, such as checking it: requests that were read
 * one after the other wait for one commit, and would go on together.
 */
export const inLongTurn = oneATurn();

/** The part of a body that the journal keeps, if the body is too long for it. */
export interface LongBody {
  beginning: string;
  /** In characters. */
  length: number;
  /** The hash of the bytes. */
  hash: string;
  holdsLive: boolean;
}

/** What the journal keeps of a long body, and its text. */
export function longBodyOf(text: string, bytes: Buffer, { findsLive }: Pick<Redactor, 'findsLive'>): LongBody {
  return {
    // A copy: a part of the text would keep all of it in memory.
    beginning: Buffer.from(text.slice(0, maxLookedAt)).toString(),
    length: text.length,
    hash: createHash('sha256').update(bytes).digest('hex'),
    holdsLive: findsLive(text),
  };
}
