// Long JSON bodies: decoded, hashed, searched and parsed in slices, so that others have their turn between.

import { createHash } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { oneATurn } from '../core/clock.js';
import { clientLimits, type JsonReading } from '../core/json.js';
import { readJsonInSlices } from '../core/json-long.js';
import { maxLookedAt, type Redactor } from '../core/redact.js';
import type { Sliced } from '../core/slices.js';

/** A longer body takes more than 5 ms from its bytes to its values. */
export const mostAtOnce = 256 * 1_024;

// The decoder of Node 20 takes 2 ms for it where it is not English.
const bytesPerSlice = 256 * 1_024;
/** A key that begins at the end of one piece ends within so many characters of the next one, however it is encoded. */
const longestKey = 1_024;

/**
 * Does in a turn of its own what a long body makes long and cannot be sliced, such as checking it: requests that were read
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

/** Reads a body; its reading is undefined where it holds nothing but space. */
export function* readLong(
  bytes: Buffer,
  { findsLive }: Pick<Redactor, 'findsLive'>,
): Sliced<{ body: LongBody; reading: JsonReading | undefined }> {
  const hash = createHash('sha256');
  const decoder = new StringDecoder('utf8');
  const pieces: string[] = [];
  let last = '';
  let holdsLive = false;
  for (let from = 0; from < bytes.length; from += bytesPerSlice) {
    const part = bytes.subarray(from, from + bytesPerSlice);
    hash.update(part);
    const piece = decoder.write(part);
    holdsLive ||= findsLive(last.slice(-longestKey) + piece);
    pieces.push(piece);
    last = piece;
    yield;
  }
  const text = pieces.join('');
  const beginning = Buffer.from(text.slice(0, maxLookedAt)).toString();
  const body: LongBody = { beginning, length: text.length, hash: hash.digest('hex'), holdsLive };
  yield;
  return { body, reading: text.trim() === '' ? undefined : yield* readJsonInSlices(text, clientLimits) };
}
