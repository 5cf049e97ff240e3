// Fills a world that begins or begins again, with what its scenario says; or adds a scenario to one that goes on.

import { operations } from '../../api/registry.js';
import { findOrganization } from '../../features/accounts/store.js';
import { addOutcomes } from '../../features/containers/outcomes.js';
import { startClock } from '../../kernel/clock.js';
import { invalid } from '../../kernel/errors.js';
import type { Micros } from '../../kernel/money.js';
import { mergeTrees } from '../../kernel/tree.js';
import { readMeta, writeMeta } from '../../store/meta.js';
import { readBeginning } from '../../worlds/beginning.js';
import type { Overlay } from '../../worlds/settings.js';
import type { World } from '../../worlds/world.js';
import { createFaultControls } from '../faults.js';
import { addImage } from '../images.js';
import { createLimitControls } from '../limits.js';
import { seededIdentity, seedWorld } from '../seed.js';
import { at } from './check.js';
import type { Expectations } from './expect-schema.js';
import { liveThrough, type Names } from './past.js';
import type { Scenario } from './schema.js';

/** A checked scenario and what it is called; null: it was given as a document. */
export interface NamedScenario {
  name: string | null;
  scenario: Scenario;
}

/** What a world remembers of its scenarios, for judging its clients. */
export interface Played {
  /** The name or title of the last one. */
  name: string | null;
  expect: Expectations[];
  /** At the beginning. */
  balance: Micros;
}

// Whoever is there already was let in, whatever holds for those who come now.
const lenient: Overlay = {
  quotas: { enabled: false },
  registry: { require: 'never' },
  containers: { failure: null },
  billing: { daily: false },
};

/** Fills an empty world as its beginning says: to be called by World.startOver. */
export function fillWorld(world: World): void {
  const beginning = readBeginning(world.db);
  if (beginning.scenario === undefined) {
    seedWorld(world);
    return;
  }
  const { name, scenario } = beginning.scenario as NamedScenario;
  const { start, speed, frozen = beginning.frozen && speed === undefined } = scenario.clock ?? {};
  const instant = start === undefined ? beginning.at : Date.parse(start);
  play(world, { name, scenario }, instant, true);
  world.clock.restore({ ...startClock({ at: instant, frozen }), ...(!frozen && { speed: speed ?? 1 }) });
}

/**
 * Adds a scenario to a world that goes on; all or nothing.
 *
 * @throws ApiError VALIDATION_ERROR for what only a beginning can have
 */
export function mergeScenario(world: World, { name, scenario }: NamedScenario): void {
  const { seed, clock = {} } = scenario;
  const alone = 'must be left out where a scenario is merged: the world goes on';
  if (seed !== undefined) throw invalid({ path: 'seed', message: alone });
  if (clock.start !== undefined) throw invalid({ path: 'clock.start', message: alone });
  world.settle(world.clock.now());
  world.usage.flush();
  const before = { clock: world.clock.state(), overlay: world.overlay };
  try {
    world.db.transaction(() => {
      play(world, { name, scenario }, before.clock.floor, false);
      world.clock.restore(before.clock);
    });
  } catch (error) {
    // What is kept in memory knows of no transaction.
    world.clock.restore(before.clock);
    world.override(before.overlay);
    world.usage.forget();
    throw error;
  }
  const { speed, frozen = speed === undefined && before.clock.speed === 0 } = clock;
  if (frozen) world.clock.freeze();
  else world.clock.resume(speed ?? (before.clock.speed || 1));
}

/** What was played in a world; undefined: nothing. */
export function playedIn(world: World): Played | undefined {
  const text = readMeta(world.db, key);
  return text === undefined ? undefined : (JSON.parse(text) as Played);
}

const key = 'scenario';

function play(world: World, { name, scenario }: NamedScenario, instant: number, isEmpty: boolean): void {
  const { settings = {}, data, images = [], containers = [], faults = [], limits = [], expect } = scenario;
  const overlay = mergeTrees(world.overlay, settings);
  // Before anything is made: the form of keys and prices are settings too.
  if (data !== undefined) world.override(mergeTrees(overlay, lenient));
  else if (Object.keys(overlay).length > 0) world.override(overlay);
  for (const [index, image] of images.entries()) at(`images[${index}]`, () => addImage(world, image));
  const names: Names = isEmpty || data !== undefined ? liveThrough(world, data ?? {}, instant, isEmpty) : new Map();
  if (data !== undefined) world.override(overlay);
  addOutcomes(world, containers);
  const named = (text: string | undefined): string | undefined =>
    text === undefined ? text : (names.get(text) ?? text);
  for (const [index, { match, ...rule }] of faults.entries()) {
    const selectors = match && { ...match, key: named(match.key), organization: named(match.organization) };
    at(`faults[${index}]`, () => createFaultControls(world).add({ ...rule, match: selectors }));
  }
  for (const [index, { exhaust, limit, ...set }] of limits.entries()) {
    const controls = createLimitControls(world, operations);
    at(`limits[${index}]`, () => {
      if (limit !== undefined) controls.set({ ...set, limit });
      else at('exhaust', () => controls.exhaust({ ...exhaust, key: named(exhaust?.key) }));
    });
  }
  const before = isEmpty ? undefined : playedIn(world);
  const played: Played = {
    name: name ?? scenario.title ?? null,
    expect: [...(before?.expect ?? []), ...(expect === undefined ? [] : [expect])],
    balance: before?.balance ?? findOrganization(world.db, seededIdentity(world).organizationId)?.balance ?? 0,
  };
  writeMeta(world.db, key, JSON.stringify(played));
}
