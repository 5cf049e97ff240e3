// The JSON files that people edit: settings, scenarios, replies, models. They are read with the place of a mistake, and
// written whole or not at all.

import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { TextFileSync } from 'lowdb/node';
import { demandWritable, readFoundText } from '../core/checkout-files.js';
import { isInside, readText, whyUnread } from '../core/files.js';
import { type Json, jsonFault, parsedJson, readJson } from '../core/json.js';

import { makeDirectory } from '../core/private-files.js';

/** The value in a file, or what is wrong with it, in words that begin after the file's name. */
export function readJsonFile(file: string): { value: Json } | { problem: string } {
  let text: string;
  try {
    text = isInside(file) ? readText(file) : readFoundText(file);
  } catch (error) {
    return { problem: whyUnread(error) };
  }
  const reading = readJson(text);
  if ('problem' in reading) return { problem: parsedJson(text) === undefined ? jsonFault(text) : reading.problem };
  const [repeated] = reading.repeated.first;
  return repeated === undefined ? reading : { problem: `the key "${repeated}" appears twice` };
}

/**
 * Writes a file in the place of the one that is there, and makes its directory. Where that fails, the former one stays whole.
 *
 * @throws UnsafePath; the error of the file system
 */
export function writeJsonFile(file: string, value: object): void {
  demandWritable(file);
  makeDirectory(dirname(file), 0o777);
  // lowdb writes to this name first: a link of this name would lead the text to another file.
  const unfinished = join(dirname(file), `.${basename(file)}.tmp`);
  rmSync(unfinished, { force: true });
  try {
    new TextFileSync(file).write(`${JSON.stringify(value, null, 2)}\n`);
  } catch (error) {
    removeQuietly(unfinished);
    throw error;
  }
}

// If nothing can be written, nothing was begun.
function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {}
}
