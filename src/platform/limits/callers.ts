// Finds the caller whose windows are meant: keys by id, value or prefix, other callers by their names in the list.

import { ApiError, invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { seededIdentity } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { type ApiKey, findKeysNamed } from '../keys/store.js';

interface Named {
  key: string | undefined;
  caller: string | undefined;
}

/**
 * The caller of a request by its key (the seeded one when none is named) or by its name.
 *
 * @throws ApiError NOT_FOUND, or VALIDATION_ERROR for an ambiguous or impossible name
 */
export function callerNamed(world: World, { key, caller }: Named): { caller: string; rateLimit: number | undefined } {
  if (caller === undefined || caller.startsWith('key:')) {
    const found = keyNamed(world, caller?.slice('key:'.length) ?? key ?? seededIdentity(world).apiKey);
    return { caller: `key:${found.id}`, rateLimit: found.rate_limit };
  }
  if (/^[a-z]+:\S{1,100}$/.test(caller)) return { caller, rateLimit: undefined };
  const message = 'must be as the list of limits has it: key:<id>, address:<ip>';
  throw invalid({ path: 'caller', message, received: describe(caller) });
}

/** The key of a caller, if it is a key that still exists. */
export function keyOfCaller(world: World, caller: string): ApiKey | undefined {
  if (!caller.startsWith('key:')) return undefined;
  return findKeysNamed(world.db, caller.slice('key:'.length))[0];
}

/** A caller as people call it: a key by its name, others by what they are. */
export function callerTitle(world: World, caller: string): string {
  const [kind = '', id = ''] = caller.split(/:(.*)/s);
  if (kind === 'secret') return 'an unknown key';
  return keyOfCaller(world, caller)?.name ?? `${kind} ${kind === 'address' ? id : id.slice(0, 8)}`;
}

function keyNamed(world: World, name: string): ApiKey {
  const [named, ...more] = findKeysNamed(world.db, name);
  if (named === undefined) {
    // A text of this form may be a secret, of another world or of the live platform.
    const isValue = name.length > 36 || name.startsWith(world.config.keys.livePrefix);
    throw new ApiError('NOT_FOUND', {
      message: `There is no key ${isValue ? 'of the value that was given' : describe(name)}: give its id, its value or its prefix`,
    });
  }
  if (more.length === 0) return named;
  const message = `names ${more.length + 1} keys: give the id of one, such as ${named.id}`;
  throw invalid({ path: 'key', message, received: describe(name) });
}
