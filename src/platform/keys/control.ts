// Control operations of test keys, whose values the emulator can show: list, create and revoke them.

import * as z from 'zod';
import { listed, operation } from '../../control/operation.js';
import { noSuch } from '../../control/options.js';
import { parseDuration } from '../../core/duration.js';
import { anyDuration } from '../../core/duration-schemas.js';
import { invalid } from '../../core/errors.js';
import { lastInstant } from '../../core/instant.js';
import { describe } from '../../core/problems.js';
import { isoOrNull } from '../../http/wire.js';
import { seededIdentity, seededKeyName } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { findOrganization, findOwner, findUser, type User } from '../accounts/store.js';
import { mintKey, tellValue } from './mint.js';
import { shownPermissions } from './permissions.js';
import * as schema from './schema.js';
import { type ApiKey, findKeyByValue, findKeysNamed, isUsable, listTellableKeys, updateKey } from './store.js';

export const testKey = z.lazy(() =>
  z.object({
    id: z.string(),
    name: z.string(),
    apiKey: z.string(),
    organizationId: z.string(),
    userId: z.string(),
    usable: z.boolean().describe('Whether requests with it are let in now'),
    permissions: z.array(z.string()).describe('What it may do; empty: everything'),
    expiresAt: z.string().nullable().describe('When it ends, in virtual time; null: never'),
  }),
);

export type TestKey = z.output<typeof testKey>;

export const keyRequest = z.lazy(() =>
  z.object({
    organizationId: z.string().optional().describe('Organization id; by default the seeded organization'),
    userId: z.string().optional().describe('User id; by default the owner of the organization'),
    name: schema.name.optional().describe('Name'),
    permissions: schema.permissions.optional().describe('Permissions; by default all'),
    rateLimit: schema.rateLimit.optional().describe('Requests a minute'),
    expiresIn: anyDuration().optional().describe('Lifetime in virtual time: "10m" or milliseconds'),
  }),
);

/** The key to create; each part may be left out. `expiresIn` is a duration of virtual time. */
export type KeyRequest = z.input<typeof keyRequest>;

export const keyOperations = {
  /** Lists the keys whose values the emulator knows: the seeded key first, even if it was revoked, then keys created here. */
  list: operation({
    id: 'control.keys',
    route: 'GET /keys',
    summary: 'List the test keys with their values',
    output: listed('keys', testKey),
    command: {
      line: 'key list',
      columns: 'id name usable permissions? expiresAt? apiKey? organizationId?',
      examples: [['key list --json', 'includes the values of test keys']],
    },
    run: ({ world }): TestKey[] => {
      const { apiKey, organizationId, userId } = seededIdentity(world);
      const seeded = findKeyByValue(world.db, apiKey);
      const now = world.clock.now();
      return [
        {
          id: world.random.uuid('key', 'seeded'),
          name: seeded?.name ?? seededKeyName,
          apiKey,
          organizationId,
          userId,
          usable: seeded !== undefined && isUsable(seeded, now),
          permissions: shownPermissions(seeded?.permissions ?? null),
          expiresAt: isoOrNull(seeded?.expires_at ?? null),
        },
        ...listTellableKeys(world.db).map((key) => view(key, tellValue(world.random, key.recipe ?? ''), now)),
      ];
    },
  }),
  /**
   * Creates a key of an organization (by default the seeded one), owned by its owner or by the user who is named.
   *
   * @example controls.keys.create({ permissions: ['chat:read'], expiresIn: '10m' })
   * @throws ApiError NOT_FOUND or VALIDATION_ERROR
   */
  create: operation({
    id: 'control.keys.create',
    route: 'POST /keys',
    summary: 'Create a key, optionally with restricted permissions or an expiry',
    body: keyRequest,
    bodyOptional: true,
    errors: ['NOT_FOUND'],
    output: testKey,
    command: {
      line: 'key create',
      examples: [
        ['key create --permissions chat:read --expires-in 10m', 'a key with one permission that expires soon'],
      ],
    },
    run: ({ world }, request: KeyRequest = {}): TestKey => {
      const { expiresIn, name = 'Test key', ...wanted } = request;
      const at = world.clock.now();
      const expiresAt = expiresIn === undefined ? null : Math.min(at + lifetimeOf(expiresIn), lastInstant);
      return world.db.transaction(() => {
        const user = userOfKey(world, wanted);
        const minted = mintKey(world, {
          ...wanted,
          organizationId: user.organization_id,
          userId: user.id,
          name,
          expiresAt,
          tellable: true,
          at,
        });
        return view(minted.key, minted.value, at);
      });
    },
  }),
  /**
   * Revokes a key, also one that a client has created: requests with it are refused from now on.
   *
   * @param id its id, or its first characters as lists show them
   * @example controls.keys.revoke(key.id)
   * @throws ApiError NOT_FOUND
   */
  revoke: operation({
    id: 'control.keys.revoke',
    route: 'DELETE /keys/{id}',
    summary: 'Revoke a key',
    params: z.lazy(() =>
      z.object({ id: z.string().max(100).describe('Id of the key, or its first characters as lists show them') }),
    ),
    errors: ['NOT_FOUND'],
    output: z.lazy(() => testKey.unwrap().omit({ apiKey: true })),
    command: {
      line: 'key revoke <id>',
      examples: [['key revoke 74bc8da8-3372-4336-…', 'requests with it are refused from now on']],
    },
    run: ({ world }, id: string): Omit<TestKey, 'apiKey'> =>
      world.db.transaction(() => {
        const [key] = findKeysNamed(world.db, id);
        if (key === undefined) throw noSuch('key', id);
        const at = world.clock.now();
        const revoked = { ...key, is_active: 0, updated_at: at };
        updateKey(world.db, revoked);
        const { apiKey: _, ...shown } = view(revoked, '', at);
        return shown;
      }),
  }),
};

function userOfKey(
  world: World,
  { organizationId, userId }: { organizationId?: string | undefined; userId?: string | undefined },
): User {
  const { db } = world;
  const named = userId === undefined ? undefined : findUser(db, userId);
  if (userId !== undefined && named === undefined) throw noSuch('user', userId);
  if (named !== undefined && organizationId !== undefined && named.organization_id !== organizationId)
    throw invalid({ path: 'userId', message: 'is of another organization', received: describe(userId) });
  const id = named?.organization_id ?? organizationId ?? seededIdentity(world).organizationId;
  const user = named ?? (findOrganization(db, id) && findOwner(db, id));
  if (user === undefined) throw noSuch('organization', id);
  return user;
}

function view(key: ApiKey, apiKey: string, now: number): TestKey {
  const { id, name, organization_id: organizationId, user_id: userId } = key;
  return {
    id,
    name,
    apiKey,
    organizationId,
    userId,
    usable: isUsable(key, now),
    permissions: shownPermissions(key.permissions),
    expiresAt: isoOrNull(key.expires_at),
  };
}

const longest = 100 * 365 * 86_400_000;

/**
 * The milliseconds of virtual time that something made for a test lasts.
 *
 * @throws ApiError VALIDATION_ERROR naming `expiresIn`
 */
export function lifetimeOf(expiresIn: string | number): number {
  const ms = parseDuration(expiresIn);
  if (ms !== undefined && ms > 0 && ms <= longest) return ms;
  throw invalid({
    path: 'expiresIn',
    message: 'must be a duration above 0, of at most a century: "90s", "10m" or milliseconds',
    received: describe(expiresIn),
  });
}
