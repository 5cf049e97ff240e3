// The present state of a world as a scenario: a document to read, edit and keep, not a snapshot.

import { features } from '../../config/limit-features.js';
import { exactDuration } from '../../core/duration.js';
import { listOrganizations } from '../../platform/accounts/store.js';
import { listOutcomes } from '../../platform/containers/lifecycle/outcomes.js';
import { listKeys } from '../../platform/keys/store.js';
import { limitsSet } from '../../platform/limits/store.js';
import { allowedOf } from '../../world/settings.js';
import { waitSeconds } from '../../world/to-client-time.js';
import type { World } from '../../world/world.js';
import type { FaultRequest } from '../faults/rule.js';
import { listFaults } from '../faults/views.js';
import { dataOf, imagesOf, withoutEmpty } from './save-data.js';

import type { ScenarioInput } from './schema.js';

/**
 * The present state of a world as a scenario: begun from it, a world has the same things in the same states, under other ids.
 * Keys get other values, and the values of environment variables are left out.
 */
export function describeWorld(world: World): ScenarioInput {
  const now = world.clock.now();
  world.settle(now);
  const { speed, waits } = world.clock.state();
  const going = waits !== undefined ? { waits: true, speed: waits } : speed === 0 ? { frozen: true } : { speed };
  const clock = { start: world.clock.view().now, ...going };
  const others = {
    images: imagesOf(world),
    containers: listOutcomes(world).slice(0, 200),
    faults: faultsOf(world, now),
    limits: limitsOf(world, now),
  };
  return withoutEmpty({
    clock,
    settings: allowedOf(world.base, world.overlay),
    data: dataOf(world, now),
    ...others,
  });
}

type Named = Map<string, string>;

// Rules name keys and organizations by ids, which another world does not have.
function namesOf(world: World): Named {
  const organizations = listOrganizations(world.db);
  const keys = organizations.flatMap(({ id }) => listKeys(world.db, id));
  return new Map([...organizations, ...keys].map(({ id, name }) => [id, name]));
}

// Those that may still act; their counts begin anew.
function faultsOf(world: World, now: number): FaultRequest[] {
  const names = namesOf(world);
  const named = (id: string | undefined): string | undefined => (id === undefined ? id : (names.get(id) ?? id));
  return listFaults(world)
    .filter(({ state }) => state === 'armed')
    .slice(0, 200)
    .map(({ match, when: { until: _, ...when }, phase, effect, optional, hits, beginsAt, expiresAt }) =>
      withoutEmpty<FaultRequest>({
        match: withoutEmpty({
          ...(match as FaultRequest['match']),
          key: named(match.key),
          organization: named(match.organization),
        }),
        when: withoutEmpty({
          ...when,
          times: when.times === undefined ? undefined : when.times - hits,
          from:
            beginsAt !== undefined && Date.parse(beginsAt) > now
              ? exactDuration(Date.parse(beginsAt) - now)
              : undefined,
          expiresIn: expiresAt === null ? undefined : exactDuration(Date.parse(expiresAt) - now),
        }),
        phase,
        effect,
        optional,
      }),
    );
}

function limitsOf(world: World, now: number): ScenarioInput['limits'] {
  const seeded = `key:${world.random.uuid('key', 'seeded')}`;
  const names = namesOf(world);
  const set = limitsSet(world.db).map(({ kind, name, limit, windowMs }) => ({
    [kind]: name,
    limit,
    ...(windowMs !== null && { window: exactDuration(windowMs) }),
  }));
  const full = world.usage.present(now).flatMap(({ caller, bucket, fullUntil }) => {
    const key = caller === seeded ? undefined : names.get(caller.replace(/^key:/, ''));
    if (fullUntil === null || bucket === 'plan') return [];
    if (key === undefined && caller !== seeded) return [];
    const selector = bucket === 'all' ? {} : { [Object.hasOwn(features, bucket) ? 'feature' : 'operation']: bucket };
    const retryAfter = waitSeconds(world, fullUntil - now);
    return [{ exhaust: { ...(key !== undefined && { key }), ...selector, retryAfter } }];
  });
  return [...set, ...full].slice(0, 100);
}
