// How a world began, so that a reset can begin it again.

import type { Config } from '../config/schema.js';
import { type ClockState, startClock } from '../core/clock.js';
import { freshSeed } from '../core/random.js';
import type { Db } from '../db/db.js';
import { forgetMeta, readMeta, writeClock, writeMeta } from '../db/meta.js';

export interface Beginning {
  /** Virtual milliseconds. */
  at: number;
  frozen: boolean;
  /** The seed that the world was made with; a scenario may have given it another one for its time. */
  ownSeed?: string;
  /** The scenario that it began with, with its name; undefined: none. */
  scenario?: unknown;
}

/** A new beginning: what is left out stays as it was. */
export interface ResetRequest extends Partial<Beginning> {
  event: 'reset' | 'scenario';
  /** What the journal's marker names. */
  subject: string;
  seed?: string;
}

/** Where time begins: where it was asked for (virtual milliseconds), else by the settings. */
export function beginClock(
  config: Config,
  asked: { at?: number | undefined; frozen?: boolean | undefined } = {},
): ClockState {
  const { start, frozen } = config.clock;
  const at = asked.at ?? (start === null ? undefined : Date.parse(start));
  return startClock({ at, frozen: asked.frozen ?? frozen });
}

/** The clock of a world that begins again. */
export function resetClock({ at, frozen }: Beginning): ClockState {
  return startClock({ at, frozen });
}

/** Writes the seed and the clock of a new world. Belongs into a transaction. */
export function begin(db: Db, config: Config): void {
  const clock = beginClock(config);
  const seed = config.seed ?? freshSeed();
  writeMeta(db, 'seed', seed);
  writeClock(db, clock);
  writeBeginning(db, { at: clock.floor, frozen: clock.speed === 0, ownSeed: seed });
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

export function readBeginning(db: Db): Beginning {
  return JSON.parse(readMeta(db, 'beginning') ?? '{"at":0,"frozen":false}') as Beginning;
}

export function writeBeginning(db: Db, beginning: Beginning): void {
  writeMeta(db, 'beginning', JSON.stringify(beginning));
}
