// A request of the journal as it can be sent again: with its key, its body, and what is to be otherwise.

import { validateHeaderName, validateHeaderValue } from 'node:http';
import { ApiError, invalid } from '../../core/errors.js';
import { parsedJson } from '../../core/json.js';
import { describe } from '../../core/problems.js';
import { mask } from '../../core/secrets.js';
import { isTree, type Tree } from '../../core/tree.js';
import { mintedValue } from '../../platform/keys/mint.js';
import { findKeysNamed } from '../../platform/keys/store.js';
import type { World } from '../../world/world.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { keptOf } from '../journal/pending-entry.js';

/** What is to be otherwise. */
export interface Changes {
  body?: unknown;
  headers?: Record<string, string> | undefined;
  /** Fields of the body, by their names with dots between. */
  set?: Record<string, unknown> | undefined;
  /** A key: its value, its id, or the beginning of its value. */
  as?: string | undefined;
  /** Send what was not kept whole as it was kept, instead of refusing it. */
  asKept?: true;
}

/** A request as it is sent. */
export interface ReplayedRequest {
  method: string;
  /** The path inside the world, with its query. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

// They belong to the connection, or follow from the body.
const ofConnection = /^(host|connection|content-length|transfer-encoding|expect|keep-alive|upgrade|te|trailer)$/;
const ofKeys = ['authorization', 'x-api-key'];

/**
 * A request as it was sent, with changes.
 *
 * @param world the world as it was before the request, where its key is looked up
 * @throws ApiError CONFLICT where a part of it was not kept, naming what has to be given; VALIDATION_ERROR
 */
export function replayed(world: World, entry: JournalEntry, changes: Changes): ReplayedRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(entry.requestHeaders))
    if (!ofConnection.test(name) && !ofKeys.includes(name)) headers[name] = value;
  const named: Record<string, string> = {};
  for (const [name, value] of Object.entries(changes.headers ?? {})) {
    requireHeader(`headers.${name}`, name, value);
    named[name.toLowerCase()] = value;
  }
  const key =
    named.authorization === undefined && named['x-api-key'] === undefined ? keyFor(world, entry, changes) : {};
  const body = bodyOf(entry, changes);
  const path = insideWorld(entry.path) + entry.query;
  const all = { ...headers, ...key, ...named };
  if (body !== undefined) all['content-length'] = String(Buffer.byteLength(body));
  if (changes.asKept === true) return { method: entry.method, path, headers: all, body };
  const hidden = Object.keys(all).find((name) => all[name]?.includes(mask));
  if (hidden !== undefined)
    throw missing(entry, `its header ${hidden} holds a secret: give it with --header ${hidden}=…`);
  const cut = Object.keys(headers).find(
    (name) => named[name] === undefined && (headers[name] ?? '').length >= keptOf.header,
  );
  if (cut !== undefined) throw missing(entry, `its header ${cut} was not kept whole: give it with --header ${cut}=…`);
  if (entry.path.length >= keptOf.path || entry.query.length >= keptOf.query)
    throw missing(entry, 'its URL was not kept whole');
  if (path.includes(mask)) throw missing(entry, 'its URL holds a secret');
  return { method: entry.method, path, headers: all, body };
}

/** @throws ApiError VALIDATION_ERROR where no request could be sent with it */
function requireHeader(path: string, name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw invalid({ path, message: 'is no header that can be sent', received: describe(value) });
  }
}

/** A path inside whichever world: the name of a repository in it names its own. */
export function insideWorld(path: string): string {
  return path.replace(/^\/v2\/w\/[^/]+\//, '/v2/');
}

function keyFor(world: World, entry: JournalEntry, { as, asKept }: Changes): Record<string, string> {
  const name = ofKeys.find((one) => entry.requestHeaders[one] !== undefined) ?? 'authorization';
  const header = (value: string): Record<string, string> => ({
    [name]: name === 'authorization' ? `Bearer ${value}` : value,
  });
  const wanted = as ?? entry.keyId;
  if (wanted === null) {
    const sent = entry.requestHeaders[name];
    if (sent === undefined) return {};
    if (asKept === true) return { [name]: sent };
    throw missing(
      entry,
      `nobody has its ${name}, as it was sent without a key of this world: give one with --as, or --header`,
    );
  }
  const [key] = findKeysNamed(world.db, wanted);
  // A key of another world may be meant, to see how it is refused.
  if (key === undefined && as !== undefined) {
    requireHeader('as', name, as);
    return header(as);
  }
  const value = key === undefined ? undefined : mintedValue(world, key);
  if (value !== undefined) return header(value);
  throw missing(entry, `its key ${key?.name ?? wanted} cannot be made again: give one with --as`);
}

function bodyOf(entry: JournalEntry, { body, set, asKept }: Changes): string | undefined {
  if (body !== undefined) return typeof body === 'string' ? body : JSON.stringify(body);
  const { requestBody } = entry;
  // A note in angle brackets stands for what was no text.
  if (asKept === true) return requestBody === null || requestBody.startsWith('<') ? undefined : requestBody;
  if (requestBody === null) {
    if (set !== undefined)
      throw invalid({ path: 'set', message: 'sets fields of a body, and the request had none: give --body' });
    return undefined;
  }
  const kept = parsedJson(requestBody);
  if (!isTree(kept)) {
    if (set !== undefined)
      throw invalid({ path: 'set', message: 'sets fields of a JSON object, and the body is none: give --body' });
    const isWhole = kept !== undefined && !requestBody.includes(mask);
    if (isWhole) return requestBody;
    throw missing(entry, 'its body was not kept whole: give it with --body');
  }
  for (const [name, value] of Object.entries(set ?? {})) put(kept, name, value);
  const hidden = maskedIn(kept, []);
  if (hidden !== undefined) throw missing(entry, `its field ${hidden} holds a secret: give it with --set ${hidden}=…`);
  return set === undefined ? requestBody : JSON.stringify(kept);
}

function put(tree: Tree, name: string, value: unknown): void {
  const parts = name.split('.');
  const last = parts.pop() ?? '';
  let inside: unknown = tree;
  for (const part of parts) {
    if (!(isTree(inside) || Array.isArray(inside)) || !Object.hasOwn(inside, part))
      throw invalid({
        path: `set.${name}`,
        message: `names a field that the body does not have: there is no ${part}`,
        received: describe(name),
      });
    inside = (inside as Tree)[part];
  }
  if ((!isTree(inside) && !Array.isArray(inside)) || last === '__proto__')
    throw invalid({
      path: `set.${name}`,
      message: 'names a field of something that has none',
      received: describe(name),
    });
  (inside as Tree)[last] = value;
}

function maskedIn(value: unknown, path: readonly string[]): string | undefined {
  if (typeof value === 'string') return value.includes(mask) ? path.join('.') : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const found = maskedIn(inner, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function missing({ requestId }: JournalEntry, why: string): ApiError {
  return new ApiError('CONFLICT', { message: `The request ${requestId} cannot be sent again as it was: ${why}` });
}
