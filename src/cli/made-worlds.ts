// Makes the world of this directory in a shared emulator, or finds it.

import type { Config } from '../config/schema.js';
import { hashSecret } from '../core/random.js';
import type { Tree } from '../core/tree.js';
import type { WorldInfo } from '../tools/worlds/request.js';
import { type Checkout, checkoutHere, nameOfCheckout, worldIdsOf } from './checkout.js';
import { outdatedIn, worldSettingsHere } from './checkout-settings.js';
import { createClient } from './client.js';
import { namedWorld, ofCheckout, worldFor } from './owned-worlds.js';
import { fail, note } from './print.js';
import { Declined } from './refusal.js';
import { inWorld, type Target } from './target.js';

/**
 * The shared emulator with the world of this directory and its branch, or with the one that is named; it is made if it is
 * not there.
 *
 * @throws Refused when the named one is another directory's
 */
export async function makeOwnWorld(target: Target, named: string | undefined): Promise<OwnWorld> {
  const here = checkoutHere();
  const client = createClient(target, patienceMs);
  const { settings, beginning, env } = worldSettingsHere(await client.config());
  const known = named === undefined ? await worldFor(target, here) : await namedWorld(target, named);
  const ids = named === undefined ? worldIdsOf(here) : [named];
  const world = known ?? (await makeOne(target, here, ids, beginning));
  const done = known === undefined ? 'made the world' : 'this is the world';
  note(`note: ${done} ${world.id} of ${nameOfCheckout(world)}, in the shared emulator at ${target.url}`);
  if (known !== undefined && named !== undefined && world.root !== null && world.branch !== (here.branch ?? null))
    note(`note: it was made on another branch; now it is ${here.branch ?? 'none'}`);
  const own = inWorld(target, world.id);
  if (known !== undefined) {
    const outdated = outdatedIn(settings, await createClient(own).config());
    if (outdated.length > 0)
      note(
        `note: the settings of this directory have changed since the world was made (${outdated.join(', ')}): \`cloudemu world drop ${world.id}\` and then \`cloudemu env\` make it anew`,
      );
  }
  return { own, env };
}

interface OwnWorld {
  own: Target;
  /** The names of the variables of clients, where this directory has its own. */
  env: Config['env'] | undefined;
}

// The same request gets the same world, also where two commands come at once.
async function makeOne(target: Target, here: Checkout, ids: readonly string[], beginning: Tree): Promise<WorldInfo> {
  const { base } = beginning;
  const client = createClient(target, patienceMs);
  for (const id of ids) {
    // Nobody else's world of this id, which may have been here, had this key.
    const seed = hashSecret(`${here.root}\0${here.branch ?? ''}\0${id}`).slice(0, 16);
    const request = { ...ofCheckout(here), seed, ttl: null, ...beginning };
    try {
      return (await client.call(
        'PUT',
        `/w/${encodeURIComponent(id)}/_emulator/world`,
        request,
      )) as unknown as WorldInfo;
    } catch (error) {
      if (!(error instanceof Declined)) throw error;
      if (error.status === 404 && typeof base === 'string') failWithoutBase(target, base, error.message);
      // Another checkout's world has the id.
      if (error.status !== 409 || id === ids.at(-1)) throw error;
    }
  }
  return fail(1, `The shared emulator made no world for ${nameOfCheckout(here)}`);
}

function failWithoutBase({ url }: Target, base: string, said: string): never {
  const words = ['snapshot', 'take', base, '--url', url];
  fail(
    1,
    `${said}: worlds.base names it, and the default world of the shared emulator has to have it (\`cloudemu ${words.join(' ')}\` takes it there).`,
    { code: 'NOT_FOUND', field: 'worlds.base', received: base, next: [words] },
  );
}

// Making a world of a large snapshot may take so long.
const patienceMs = 60_000;
