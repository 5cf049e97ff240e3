// A world as it was, in the words of the domain.

import { isoOrNull } from '../../http/wire.js';
import { type ControlledContainer, containerOperations } from '../../platform/containers/control.js';
import { stateAt } from '../../platform/hosted-agents/lifecycle.js';
import { listHostedAgents } from '../../platform/hosted-agents/store.js';
import { organizationsIn } from '../../platform/organizations/control.js';
import type { World } from '../../world/world.js';
import { listFaults } from '../faults/views.js';
import type { WorldState } from './schema.js';

/** The containers, hosted agents, balances, limits, faults and the clock of a world. */
export function stateOf(world: World): WorldState {
  const { now, frozen } = world.clock.view();
  const listing = containerOperations.list.run({ world, origin: undefined }) as ControlledContainer[];
  return {
    now,
    frozen,
    organizations: organizationsIn(world).map(({ id, name, credits }) => ({ id, name, credits })),
    containers: listing.map(({ id, project_name: name, status, nextTransitionAt }) => ({
      id,
      name,
      status,
      nextTransitionAt,
    })),
    hostedAgents: listHostedAgents(world.db).map((agent) => {
      const { status, nextAt } = stateAt(agent, world.clock.now());
      return { id: agent.id, name: agent.name, status, nextTransitionAt: isoOrNull(nextAt) };
    }),
    limits: world.usage.present(world.clock.now()).map(({ caller, bucket, count: used }) => ({ caller, bucket, used })),
    faults: listFaults(world).map(({ id, seen, hits }) => ({ id, seen, hits })),
  };
}
