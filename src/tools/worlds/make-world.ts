// Makes a world as a request says: its scenario, its seed, and the snapshot with which it begins.

import type { ControlContext } from '../../control/operation.js';
import { ApiError } from '../../core/errors.js';
import { emulatorFacts } from '../../world/given.js';
import type { AskedWorld } from '../../world/made-world.js';
import type { World } from '../../world/world.js';
import { prefixOf } from '../../world/world-name.js';
import { checkScenario } from '../scenarios/check.js';
import { fillWorld } from '../scenarios/fill.js';
import { scenarioLibrary } from '../scenarios/library.js';
import { selectScenario, withClock } from '../scenarios/named.js';
import { findUsableSnapshot } from '../snapshots/restore.js';
import { beginWith } from './base.js';
import { dataAt } from './fork.js';
import { hosting } from './hosting.js';
import { seedOfLabel } from './label.js';
import type { WorldInfo, WorldRequest } from './request.js';

/**
 * Makes a world.
 *
 * @throws ApiError NOT_FOUND (scenario, snapshot, point), QUOTA_EXCEEDED, CONFLICT (port, snapshot, point)
 */
export async function makeWorld(context: ControlContext, id: string, request: AskedWorld): Promise<WorldInfo> {
  const { world, team } = context;
  const host = hosting.of(world);
  if (team !== undefined && host.countOf(team.name) >= team.worlds)
    throw new ApiError('QUOTA_EXCEEDED', {
      message: `The token "${team.name}" may have ${team.worlds} worlds at once, and has them: end one`,
    });
  const { label, clock, port, ttl, at } = request;
  if (at !== undefined) {
    const image = dataAt(context, request, (other) => host.worlds().get(other));
    const made = await host.make({ id, asked: request, owner: team?.name ?? '', port, ttl, image });
    return { ...made, baseUrl: baseUrlOf(context, id) };
  }
  const base = request.base as WorldRequest['base'];
  const settings = request.settings as WorldRequest['settings'];
  // Before anything is made.
  if (settings !== undefined) checkScenario(world, { settings });
  const snapshot = base === undefined ? undefined : await findUsableSnapshot(world, base);
  const all = scenarioLibrary.of(world);
  const library = team === undefined ? all : all.ofTeam(team.name);
  const named =
    request.scenario === undefined
      ? host.scenario()
      : selectScenario(world, library, request.scenario as NonNullable<WorldRequest['scenario']> | null);
  const scenario = named && withClock(named, clock);
  const made = await host.make({
    id,
    asked: request,
    owner: team?.name ?? '',
    label,
    seed: request.seed ?? String(scenario?.scenario.seed ?? seedFrom(world, id, label)),
    at: clock?.start === undefined ? undefined : Date.parse(clock.start),
    frozen: clock?.frozen,
    scenario,
    settings,
    fill: fillWorld,
    begin: snapshot && ((fresh) => beginWith(fresh, snapshot)),
    port,
    ttl,
  });
  return { ...made, baseUrl: baseUrlOf(context, id) };
}

/** The URL of a world, as the caller reaches the emulator. */
export function baseUrlOf({ world, origin }: ControlContext, id: string): string {
  return (origin ?? emulatorFacts.of(world).origin()) + prefixOf(id);
}

function seedFrom(world: World, id: string, label: string | undefined): string {
  return label === undefined ? world.random.hex('world', id) : seedOfLabel(label);
}
