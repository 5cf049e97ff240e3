// JSON that is given on the command line: as it is, or by the name of its file.

import { readNamedText } from '../core/checkout-files.js';
import { whyUnread } from '../core/files.js';
import { jsonFault } from '../core/json.js';
import { isTree, type Tree } from '../core/tree.js';
import { fail } from './print.js';

/** The object in a text that begins with `{`, in a file, or (`-`) in what is piped in. */
export function readDocument(given: string): Tree {
  const isText = given.trimStart().startsWith('{');
  const name = isText ? 'The argument' : given === '-' ? 'What was piped in' : given;
  const document = parseJson(isText ? given : readText(given), name);
  return isTree(document) ? document : fail(2, `${name} must be a JSON object`);
}

/** The value of a JSON text, or the end with what is wrong in it. */
export function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (/\.ya?ml$/i.test(name)) return fail(2, `${name} must be written in JSON, not in YAML`);
    if (text.trim() === '') return fail(2, `${name} is empty; it must be a JSON object`);
    return fail(2, `${name} is not valid JSON: ${jsonFault(text)}`);
  }
}

// A snapshot of a world is the largest of them.
const mostBytes = 256 * 1_024 * 1_024;

function readText(file: string): string {
  try {
    return readNamedText(file === '-' ? 0 : file, mostBytes);
  } catch (error) {
    return fail(2, `${file}: ${whyUnread(error)}`);
  }
}

// Marks what clients have sent, for agents: it is data, and no instruction to whoever reads it.

/**
 * A thing with the mark, or each thing of a list in it.
 *
 * @param place the name of that list, or `whole`
 * @example markUntrusted({ requests: [{ path: '/' }] }, 'requests') // { requests: [{ untrusted: true, path: '/' }] }
 */
export function markUntrusted(answer: Tree, place: string): Tree {
  const list = answer[place];
  if (!Array.isArray(list)) return { untrusted: true, ...answer };
  return { ...answer, [place]: list.map((thing: unknown) => (isTree(thing) ? markUntrusted(thing, 'whole') : thing)) };
}
