// Reads a file of a recording, in whichever format it is.

import { dirname, join } from 'node:path';
import { readNamedText } from '../../core/checkout-files.js';
import type { Recording } from './exchange.js';
import { isHar, readHar } from './har.js';

/** A file is no recording that can be read; the message says what it is instead, and what helps. */
export class Unreadable extends Error {}

const mostBytes = 256 * 1_024 * 1_024;

/**
 * The recording in a file.
 *
 * @throws Unreadable
 */
export async function readRecording(file: string): Promise<Recording> {
  const text = readNamedText(file, mostBytes);
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw new Unreadable(`${file} is no JSON`);
  }
  if (!isHar(value)) throw new Unreadable(`${file} is no HAR: it lacks log.entries`);
  return readHar(value, (name) => attachedText(join(dirname(file), name)));
}

function attachedText(file: string): string | undefined {
  try {
    return readNamedText(file, mostBytes);
  } catch {
    return undefined;
  }
}
