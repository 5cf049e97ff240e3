// What the response to a read shows, as far as an unusual or an earlier one may show something else.

import { parsedJson } from '../../core/json.js';

/** JSON Pointers of fields in the response to a read. */
export interface Shown {
  /** The first status that it says of a thing. */
  status?: string;
  /** The first URL of a thing. */
  url?: string;
  /** A list that has one thing only, which the client itself has made before: an earlier response lacks it. */
  ownList?: string;
}

const deepest = 4;
const urlName = /^(?:url|.*_url|.*Url)$/;

/**
 * What a response shows; undefined: nothing of the kind, or it is no JSON.
 *
 * @param made ids of the things that the client has made before
 * @example shownIn('{"data": [{"id": "c1", "status": "running"}]}', new Set()) // { status: '/data/0/status' }
 */
export function shownIn(body: string | null, made: ReadonlySet<string>): Shown | undefined {
  const value = body === null ? undefined : parsedJson(body);
  if (value === undefined) return undefined;
  const shown: Shown = {};
  look(value, '', shown, made);
  return Object.keys(shown).length === 0 ? undefined : shown;
}

// The first entry of a list stands for all.
function look(value: unknown, pointer: string, shown: Shown, made: ReadonlySet<string>): void {
  if (typeof value !== 'object' || value === null || pointer.split('/').length > deepest) return;
  if (Array.isArray(value)) {
    const [first] = value as unknown[];
    if (value.length === 1 && isMade(first, made)) shown.ownList ??= pointer;
    look(first, `${pointer}/0`, shown, made);
    return;
  }
  for (const [name, inside] of Object.entries(value)) {
    const own = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (name === 'status' && typeof inside === 'string') shown.status ??= own;
    else if (urlName.test(name) && typeof inside === 'string') shown.url ??= own;
    else look(inside, own, shown, made);
  }
}

function isMade(thing: unknown, made: ReadonlySet<string>): boolean {
  return typeof thing === 'object' && thing !== null && 'id' in thing && made.has(String(thing.id));
}
