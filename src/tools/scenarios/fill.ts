// Fills a new or reset world from its scenario, or adds a scenario to a running one.

import * as z from 'zod';
import { type ClockState, startClock } from '../../core/clock.js';
import { invalid } from '../../core/errors.js';
import { mergeTrees } from '../../core/tree.js';
import { ofShape, readMeta, readMetaJson, writeMeta } from '../../db/meta.js';
import { addOutcomes } from '../../platform/containers/lifecycle/outcomes.js';
import { lastLedgerNumber } from '../../platform/credits/store.js';
import { addImage } from '../../platform/images/add-image.js';
import { exhaustLimit, setLimit } from '../../platform/limits/control.js';
import { type InitialState, initialState, readInitialState, startOf } from '../../world/initial-state.js';
import type { Overlay } from '../../world/settings.js';
import type { World } from '../../world/world.js';
import { addFault } from '../faults/control.js';
import { at } from './check.js';
import { expectSchema } from './expect-schema.js';
import { settingsScenario } from './library.js';
import { type Scenario, scenarioSchema } from './schema.js';
import { type Names, replayHistory } from './seed-history.js';
import { seedWorld } from './seed-world.js';

/** A checked scenario and what it is called; null: it was given as a document. */
export interface NamedScenario {
  name: string | null;
  scenario: Scenario;
}

// Seed data are created without the limits that the settings have for clients: they exist before these limits apply.
const lenient: Overlay = {
  quotas: { enabled: false },
  registry: { require: 'never' },
  containers: { failure: null },
  billing: { daily: false },
};

const ownScenario = (world: World): Scenario | undefined => settingsScenario.of(world)()?.scenario.worlds?.[world.id];

// The row that says that it has: a process may be killed before the list of worlds knows.
const ownIsAdded = 'own-scenario';

/** Adds what the scenario of the settings has for this very world, once, within the caller's transaction. */
export function addOwn(world: World): void {
  const scenario = ownScenario(world);
  if (scenario === undefined || readMeta(world.db, ownIsAdded) !== undefined) return;
  writeMeta(world.db, ownIsAdded, 'true');
  const named = { name: playedIn(world)?.name ?? null, scenario };
  play(world, named, world.clock.now(), { isEmpty: false, isOwn: true });
}

const text = z.lazy(() => z.string().nullable());
const ofScenario = z.lazy(() => z.object({ scenario: z.object({ name: text, scenario: scenarioSchema }) }));
const ofClock = z.lazy(() =>
  z.object({ scenario: z.object({ scenario: scenarioSchema.unwrap().pick({ clock: true }) }).optional() }),
);

/** Fills an empty world from its initial state, but for what the scenario of the settings has for it alone. */
export function fillWorld(world: World): void {
  const initial = readInitialState(world.db);
  if (initial.settings !== undefined) world.override(initial.settings);
  if (initial.scenario === undefined) {
    seedWorld(world);
    return;
  }
  const { instant, clock } = beginningOf(initial);
  play(world, ofShape(initial, initialState, ofScenario).scenario, instant, { isEmpty: true });
  world.clock.restore(clock());
}

/**
 * Fills an empty world whole, with what is for it alone, and begins its time; within the caller's transaction, in which an error
 * leaves everything as it was.
 */
export function fillAtOnce(world: World): void {
  fillWorld(world);
  const initial = readInitialState(world.db);
  const { instant, clock } = beginningOf(initial);
  const own = ownScenario(world);
  if (own !== undefined) {
    world.clock.restore(startClock({ at: instant, frozen: true }));
    addOwn(world);
  }
  // A plain world has the clock of its reset.
  if ((initial.scenario ?? own) !== undefined) world.clock.restore(clock());
}

/** The instant at which a world begins, and the clock that starts when it is asked for. */
function beginningOf(initial: InitialState): { instant: number; clock: () => ClockState } {
  const { scenario } = ofShape(initial, initialState, ofClock);
  const {
    speed,
    waits = false,
    frozen = initial.frozen && !waits && speed === undefined,
  } = scenario?.scenario.clock ?? {};
  const instant = startOf(initial);
  const run = waits ? { speed: 0, waits: speed ?? 1 } : { speed: speed ?? 1 };
  const clock = (): ClockState => ({ ...startClock({ at: instant, frozen }), ...(!frozen && run) });
  return { instant, clock };
}

/**
 * Adds a scenario to the existing data of a world; an error leaves everything as it was.
 *
 * @throws ApiError VALIDATION_ERROR for what only a beginning can have
 */
export function mergeScenario(world: World, { name, scenario }: NamedScenario): void {
  const { seed, clock = {} } = scenario;
  const alone = 'must be left out where a scenario is merged: the world goes on';
  if (seed !== undefined) throw invalid({ path: 'seed', message: alone });
  for (const name of ['start', 'waits'] as const)
    if (clock[name] !== undefined) throw invalid({ path: `clock.${name}`, message: alone });
  world.settle(world.clock.now());
  const before = world.clock.state();
  try {
    world.usage.undoable(() => {
      play(world, { name, scenario }, before.floor, { isEmpty: false });
      world.clock.restore(before);
    });
  } catch (error) {
    // State in memory knows of no transaction. The clock comes last: it is stored, which may fail.
    world.reconfigure(world.base);
    world.clock.restore(before);
    throw error;
  }
  const { speed, frozen = speed === undefined && before.speed === 0 } = clock;
  if (frozen) world.clock.freeze();
  else world.clock.resume(speed ?? (before.speed || 1));
}

/** The scenarios that were played in a world; undefined: none. */
export function playedIn(world: World): Played | undefined {
  return readMetaJson(world.db, key, ofPlayed);
}

const key = 'scenario';
const ofPlayed = z.lazy(() =>
  z.object({
    /** The name or title of the last one. */
    name: text,
    expect: z.array(expectSchema),
    /** The number of the last movement of credits before its clients came; undefined: an earlier version did not note it. */
    ledger: z.int().optional(),
  }),
);

/** The facts that a world remembers of its scenarios, for judging its clients. */
export type Played = z.output<typeof ofPlayed>;

function play(
  world: World,
  { name, scenario }: NamedScenario,
  instant: number,
  { isEmpty, isOwn = false }: { isEmpty: boolean; isOwn?: boolean },
): void {
  const { settings = {}, data, images = [], containers = [], faults = [], limits = [], expect } = scenario;
  const overlay = mergeTrees(world.overlay, settings);
  // Before anything is made: the form of keys and prices are settings too.
  if (data !== undefined) world.override(mergeTrees(overlay, lenient));
  else if (Object.keys(overlay).length > 0) world.override(overlay);
  for (const [index, image] of images.entries()) {
    at(`images[${index}]`, () => addImage(world, image));
  }
  const names: Names = isEmpty || data !== undefined ? replayHistory(world, data ?? {}, instant, isEmpty) : new Map();
  if (data !== undefined) world.override(overlay);
  addOutcomes(world, containers);
  const named = (text: string | undefined): string | undefined =>
    text === undefined ? text : (names.get(text) ?? text);
  for (const [index, { match, ...rule }] of faults.entries()) {
    const selectors = match && { ...match, key: named(match.key), organization: named(match.organization) };
    // What a run adds to a world joins the faults that its test sets, and takes the place of none.
    at(`faults[${index}]`, () => addFault(world, { ...rule, match: selectors }, { start: instant, isLast: isOwn }));
  }
  for (const [index, { exhaust, limit, ...set }] of limits.entries()) {
    at(`limits[${index}]`, () => {
      if (limit !== undefined) setLimit(world, { ...set, limit });
      else at('exhaust', () => exhaustLimit(world, { ...exhaust, key: named(exhaust?.key) }));
    });
  }
  const before = isEmpty ? undefined : playedIn(world);
  const played: Played = {
    name: name ?? scenario.title ?? null,
    expect: [...(before?.expect ?? []), ...(expect === undefined ? [] : [expect])],
    ledger: before?.ledger ?? lastLedgerNumber(world.db),
  };
  writeMeta(world.db, key, JSON.stringify(played));
}
