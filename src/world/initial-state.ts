// The initial state of a world, to which a reset returns.

import * as z from 'zod';
import type { Config } from '../config/schema.js';
import { type ClockState, startClock } from '../core/clock.js';
import { StoreError } from '../core/errors.js';
import { freshSeed } from '../core/random.js';
import { readPath } from '../core/tree.js';
import type { Db } from '../db/db.js';
import {
  damagedRow,
  forgetMeta,
  readClock,
  readMeta,
  readMetaJson,
  storedInstant,
  writeClock,
  writeMeta,
} from '../db/meta.js';

const shape = z.lazy(() =>
  z.object({
    /** Virtual milliseconds. */
    at: storedInstant,
    frozen: z.boolean(),
    /** The seed that the world was made with; a scenario may have given it another one for its time. */
    ownSeed: z.string().exactOptional(),
    /** The seed of the initial state, while the data are those of another world. */
    seed: z.string().exactOptional(),
    /** The initial scenario with its name. */
    scenario: z.unknown().optional(),
    /** Settings of its own, which scenarios override. */
    settings: z.record(z.string(), z.unknown()).optional(),
    /** The snapshot of the world with which it begins. */
    base: z.string().optional(),
  }),
);

export type InitialState = z.output<typeof shape>;

/** Changes of the initial state: what is left out stays as it was. */
export interface ResetRequest extends Partial<InitialState> {
  event: 'reset' | 'scenario';
  /** The subject that the journal's marker names. */
  subject: string;
}

/** The initial clock: at the requested instant (virtual milliseconds), else as the settings say. */
export function beginClock(
  config: Config,
  asked: { at?: number | undefined; frozen?: boolean | undefined } = {},
): ClockState {
  const { start, frozen } = config.clock;
  const at = asked.at ?? (start === null ? undefined : Date.parse(start));
  return startClock({ at, frozen: asked.frozen ?? frozen });
}

/**
 * Begins a new world; one that is there goes on.
 *
 * @param keeping the file of a world that keeps to the seed of its settings
 * @throws StoreError when that has another
 */
export function beginOrGoOn(db: Db, config: Config, keeping: string | undefined): void {
  const stored = readMeta(db, 'seed');
  const own = readInitialState(db).ownSeed ?? stored;
  if (keeping !== undefined && own !== undefined && config.seed !== null && config.seed !== own)
    throw new StoreError(
      `${keeping} was created with another seed. Leave --seed out, choose another --data-dir, or delete this one.`,
    );
  const isBegun = readClock(db) !== undefined;
  // Both are written at once.
  if (isBegun !== (stored !== undefined)) throw damagedRow(isBegun ? 'seed' : 'clock', 'is missing');
  if (!isBegun) db.transaction(() => begin(db, config));
}

// Writes the seed and the clock of a new world. Belongs into a transaction.
function begin(db: Db, config: Config): void {
  const clock = beginClock(config);
  const seed = config.seed ?? freshSeed();
  writeMeta(db, 'seed', seed);
  writeClock(db, clock);
  writeInitialState(db, { at: clock.floor, frozen: clock.speed === 0, ownSeed: seed });
  writeMeta(db, empty, 'true');
}

const empty = 'empty';

/** Whether nothing is in the world yet: the process may have been killed before it was filled. */
export function isEmpty(db: Db): boolean {
  return readMeta(db, empty) !== undefined;
}

/** Notes that a world has been filled. Belongs into the transaction that does it. */
export function filled(db: Db): void {
  forgetMeta(db, empty);
}

/** The row that keeps the initial state. */
export const initialState = 'initial-state';

export function readInitialState(db: Db): InitialState {
  return readMetaJson(db, initialState, shape) ?? { at: 0, frozen: false };
}

/** The virtual instant at which a world begins. */
export function startOf({ at, scenario }: InitialState): number {
  const start = readPath(scenario, 'scenario.clock.start');
  return typeof start === 'string' ? Date.parse(start) : at;
}

export function writeInitialState(db: Db, beginning: InitialState): void {
  writeMeta(db, initialState, JSON.stringify(beginning));
}

/**
 * The initial state after a reset, and its seed: a reset goes back to the seed that is there now; a scenario that names
 * no seed, to the world's own.
 *
 * @param seedNow the seed of the data that are there now
 */
export function nextInitialState(
  db: Db,
  { event, subject, seed: other, ...changed }: ResetRequest,
  seedNow: string,
): { seed: string; initial: InitialState } {
  const { seed: begun = seedNow, ...initial } = { ...readInitialState(db), ...changed };
  const isOther = event === 'scenario' || ('scenario' in changed && changed.scenario === undefined);
  return { seed: other ?? (isOther ? initial.ownSeed : undefined) ?? begun, initial };
}
