// What a request was sent with and the journal does not hold, as far as it follows from the world: its key or session, and
// the token of a pairing.

import { parsedJson } from '../../core/json.js';
import { mask } from '../../core/secrets.js';
import type { Sliced } from '../../core/slices.js';
import { isTree } from '../../core/tree.js';
import { changesIn } from '../../db/history-changes.js';
import type { Entry } from '../../db/history-entry.js';
import type { StoredRow } from '../../db/row-difference.js';
import type { World } from '../../world/world.js';
import { findUser } from '../accounts/store.js';
import { historyOf } from '../history/places.js';
import { bodyHashing, bodyHashOf } from '../journal/body-hash.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { mintedValue } from '../keys/mint.js';
import { type ApiKey, findKeysNamed } from '../keys/store.js';
import { pairingTokens } from '../pairing/tokens.js';
import { tokenOf } from '../sessions/sessions.js';
import { findSession, listSessions } from '../sessions/store.js';
import type { Changes } from '../worlds/replayed-request.js';

/** What a request is sent again with, in a world that begins as this one was. */
export type Resend = (fork: World) => Changes;

/**
 * Finds how to send a request again.
 *
 * @param before the world as it was before the request
 * @param keys the keys that this world has ever had
 */
export function resendOf(before: World, request: JournalEntry, keys: readonly ApiKey[]): Resend {
  const changes: Changes = { asKept: true, body: bodyOf(before, request) };
  const session = sessionOf(before, request);
  if (session !== undefined) {
    const { cookieName } = before.config.auth;
    const isCookie = request.requestHeaders.authorization === undefined;
    // A token names its world.
    return (fork) => {
      const token = tokenOf(fork, session.session, session.user);
      return {
        ...changes,
        headers: isCookie ? { cookie: `${cookieName}=${token}` } : { authorization: `Bearer ${token}` },
      };
    };
  }
  const key = keyOf(before, request, keys);
  const as = key && mintedValue(before, key);
  return () => ({ ...changes, as });
}

/** The keys that a world has ever had, as far as its history goes back. */
export function* keysEver(world: World): Sliced<ApiKey[]> {
  const isOfKeys = ({ rows = [], seq }: Entry): number | undefined =>
    rows.some(({ table }) => table === 'api_keys') ? seq : undefined;
  const changes = yield* changesIn(world.db, historyOf(world).entries(), isOfKeys);
  const rows = [...changes.values()].flat().flatMap((one) => (one.table === 'api_keys' ? one.rows : []));
  const isThere = (row: StoredRow | undefined): row is StoredRow => row !== undefined;
  return rows.flatMap(({ before, after }) => [after, before].filter(isThere)) as unknown as ApiKey[];
}

// Of a value that no key has, the journal knows the beginning of its hash.
function keyOf({ db }: World, { caller, keyId }: JournalEntry, keys: readonly ApiKey[]): ApiKey | undefined {
  const [, owner, name = ''] = /^(secret|key):([0-9a-f-]+)$/.exec(caller) ?? [];
  if (owner === 'secret') return keys.find(({ hash }) => hash.startsWith(name));
  const id = keyId ?? name;
  return id === '' ? undefined : findKeysNamed(db, id)[0];
}

function sessionOf({ db, clock }: World, { caller }: JournalEntry) {
  const [, owner, id = ''] = /^(user|session):([0-9a-f-]+)$/.exec(caller) ?? [];
  const now = clock.now();
  const isOpen = ({ revoked_at, expires_at }: { revoked_at: number | null; expires_at: number }): boolean =>
    revoked_at === null && expires_at > now;
  const session =
    owner === 'session'
      ? findSession(db, id)
      : owner === 'user'
        ? listSessions(db).findLast((one) => one.user_id === id && isOpen(one))
        : undefined;
  const user = session && findUser(db, session.user_id);
  return session && user && { session, user };
}

// The journal keeps a hash of the whole body: the right token is the one with which it is that body.
function bodyOf(before: World, { requestBody, requestBodyHash }: JournalEntry): string | undefined {
  const body = parsedJson(requestBody ?? '');
  if (!isTree(body) || body.token !== mask) return undefined;
  for (const token of pairingTokens(before)) {
    const text = JSON.stringify({ ...body, token });
    if (bodyHashOf(text, bodyHashing(before)) === requestBodyHash) return text;
  }
  return undefined;
}
