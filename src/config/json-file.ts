// Reading JSON that people edit, with the place of what is wrong in it.

import { readText } from '../core/files.js';
import { type Json, readJson } from '../core/json.js';
import { jsonFault } from '../core/json-fault.js';

/** The value in a file, or what is wrong with it, in words that begin after the file's name. */
export function readJsonFile(file: string): { value: Json } | { problem: string } {
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    return { problem: code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})` };
  }
  const plain = text.replace(/^\uFEFF/, '');
  const reading = readJson(plain);
  if ('problem' in reading) return { problem: isJson(plain) ? reading.problem : jsonFault(plain) };
  const [repeated] = reading.repeated.first;
  return repeated === undefined ? reading : { problem: `the key "${repeated}" stands there twice` };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
