// What a request was sent with and the journal does not hold, as far as it follows from the world: its key or session, and
// the token of a pairing.

import { parsedJson } from '../../core/json.js';
import { mask } from '../../core/secrets.js';
import { isTree } from '../../core/tree.js';
import { changesIn } from '../../db/history-changes.js';
import type { Entry } from '../../db/history-entry.js';
import { findUser } from '../../platform/accounts/store.js';
import { mintedValue } from '../../platform/keys/mint.js';
import { type ApiKey, findKeysNamed } from '../../platform/keys/store.js';
import { pairingTokens } from '../../platform/pairing/tokens.js';
import { issueCredentials } from '../../platform/registry/credentials.js';
import { tokenOf } from '../../platform/sessions/sessions.js';
import { findSession, listSessions, type Session } from '../../platform/sessions/store.js';
import type { World } from '../../world/world.js';
import { historyOf } from '../history/places.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { bodyHashing, bodyHashOf } from '../journal/pending-entry.js';
import { type Changes, insideWorld, replayed } from '../worlds/replayed-request.js';

/** What a request is sent again with, in a world that begins as this one was. */
export type Resend = (fork: World) => Changes;

/** The credentials that a world has ever had, as far as its history goes back. */
export interface Ever {
  keys: ApiKey[];
  sessions: Session[];
}

/**
 * Finds how to send a request again.
 *
 * @param before the world as it was before the request
 */
export function resendOf(before: World, request: JournalEntry, { keys, sessions }: Ever): Resend {
  const changes: Changes = { asKept: true, body: bodyOf(before, request) };
  const pull = registryOf(request);
  if (pull !== undefined)
    return (fork) => {
      const { username, password } = issueCredentials(fork, pull, fork.clock.now());
      const pair = Buffer.from(`${username}:${password}`).toString('base64');
      return { ...changes, headers: { authorization: `Basic ${pair}` } };
    };
  const session = sessionOf(before, request, sessions);
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

/** The part of a request that the journal does not hold, and that does not follow from the world; undefined: all is there. */
export function notKept(before: World, request: JournalEntry, resend: Resend): string | undefined {
  const { headers, body, path } = replayed(before, request, resend(before));
  if (body?.includes(mask) === true) return 'a part of its body is a secret';
  if (path.includes(mask)) return 'a part of its URL is a secret';
  const header = Object.keys(headers).find((name) => headers[name]?.includes(mask));
  return header && `its header ${header} is a secret`;
}

/** The keys and sessions that a world has ever had. */
export function credentialsEver(world: World): Ever {
  const names = ['api_keys', 'sessions'];
  const isMeant = ({ rows = [], seq }: Entry): number | undefined =>
    rows.some(({ table }) => names.includes(table)) ? seq : undefined;
  const changes = [...changesIn(world.db, historyOf(world).entries(), isMeant).values()].flat();
  const rowsOf = (name: string): unknown[] =>
    changes.flatMap(({ table, rows }) =>
      table === name ? rows.flatMap(({ before, after }) => [after ?? [], before ?? []].flat()) : [],
    );
  return { keys: rowsOf('api_keys') as ApiKey[], sessions: rowsOf('sessions') as Session[] };
}

// A request that was let into a repository is sent again with fresh credentials; what a refused one carried is not known.
function registryOf({ path, status, requestHeaders }: JournalEntry) {
  const repository = /^\/v2\/(.+?)\/(?:manifests|blobs|tags|referrers)\//.exec(insideWorld(path))?.[1];
  if (repository === undefined || status === 401 || requestHeaders.authorization === undefined) return undefined;
  return { organizationId: repository.split('/')[0] ?? '', repository };
}

// Of a value that no key has, the journal knows the beginning of its hash.
function keyOf({ db }: World, { caller, keyId }: JournalEntry, keys: readonly ApiKey[]): ApiKey | undefined {
  const [, owner, name = ''] = /^(secret|key):([0-9a-f-]+)$/.exec(caller) ?? [];
  if (owner === 'secret') return keys.find(({ hash }) => hash.startsWith(name));
  const id = keyId ?? name;
  return id === '' ? undefined : findKeysNamed(db, id)[0];
}

function sessionOf({ db, clock }: World, { caller }: JournalEntry, sessions: readonly Session[]) {
  const [, owner, id = ''] = /^(user|session):([0-9a-f-]+)$/.exec(caller) ?? [];
  const now = clock.now();
  const isOpen = ({ revoked_at, expires_at }: { revoked_at: number | null; expires_at: number }): boolean =>
    revoked_at === null && expires_at > now;
  const session =
    owner === 'session'
      ? (findSession(db, id) ?? sessions.find((one) => one.id === id))
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
