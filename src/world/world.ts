// A world: one database with its own clock, randomness and settings. Worlds share nothing that a client could tell.

import { existsSync, rmSync } from 'node:fs';
import type { Config } from '../config/schema.js';
import { Bus } from '../core/bus.js';
import { Clock, type ClockState, startClock } from '../core/clock.js';
import { ApiError } from '../core/errors.js';
import { Random } from '../core/random.js';
import type { Redactor } from '../core/redact.js';
import { orClosed } from '../db/connection.js';
import { type Db, type DbOptions, openDb } from '../db/db.js';
import type { Effect } from '../db/effects.js';
import { imageOf, replaceContent, type WorldImage } from '../db/image.js';
import { readClock, readMeta, requireClock, writeClock, writeMeta } from '../db/meta.js';
import { nextNumber } from '../db/numbers.js';
import { Usage } from '../db/usage.js';
import {
  beginClock,
  beginOrGoOn,
  isEmpty,
  nextInitialState,
  type ResetRequest,
  readInitialState,
  writeInitialState,
} from './initial-state.js';
import { createParts, type Key, type Makers, type Parts, type Replacement, type WorldPart } from './parts.js';
import { Remembered } from './remembered.js';
import { type Overlay, overlaid, readOverlay, redactorOf, writeOverlay } from './settings.js';
import { type EffectHandlers, Settling } from './settling.js';
import { clockChanged, closing, replaced } from './topics.js';
import { prefixOf, type WorldName } from './world-name.js';

/** The key and factory of a module's state in a world. */
export type PartKey<Part extends WorldPart> = Key<World, Part>;

/** How parts are made, by their keys. */
export type PartMakers = Makers<World>;

export interface WorldOptions extends Pick<DbOptions, 'image'> {
  id: string;
  config: Config;
  /** A database path, or ':memory:'. */
  file: string;
  /** Finds the world of this process to which a secret belongs. */
  ownerOf?: (secret: string) => WorldName | undefined;
  effects: EffectHandlers<World>;
  /** Factories of the parts whose keys have none. */
  parts?: PartMakers;
}

/** Other data for a world. */
interface NewData {
  event: Replacement;
  subject: string;
  /** undefined: it begins empty. */
  image: WorldImage | undefined;
  /** Writes what this world begins with, and returns its clock. */
  begin: () => ClockState;
  /** Runs last in the transaction, in the world as it is then. */
  fill: () => void;
}

/**
 * Opens a world, or creates it with its seed and clock.
 *
 * @throws StoreError when the file contains a world of another seed, contains no world, or cannot be read
 */
export function openWorld(options: WorldOptions): World {
  const { id, file, image } = options;
  // People may read the default world's file with another program while it is in use.
  const db = openDb(file, { image, exclusive: id !== 'default' });
  return orClosed(file, db, () => new World(db, options));
}

/** A world, while it is open. Only this class and those that it makes assign its fields. */
export class World implements WorldName {
  id: string;
  /** The path under which the world is addressed: '' for the default one, '/w/<id>' for others. */
  prefix: string;
  /** The settings in force: those of the emulator, with this world's overrides. */
  config: Config;
  /** The settings of the emulator, without this world's overrides. */
  base: Config;
  random: Random;
  readonly clock: Clock;
  readonly usage: Usage;
  /** What has changed in it, and why. */
  readonly remembered: Remembered;
  readonly bus = new Bus();
  /** Whether the world was empty when it was opened, so that this process must fill it. */
  readonly wasEmpty: boolean;
  /** A number that grows each time all data are replaced: a request that began in an earlier epoch must not go on. */
  epoch = 0;
  /** Whether the world was closed: requests that are still in progress must not use it. */
  isClosed = false;
  /** Finds the world of this process to which a secret belongs, to help clients that sent it to another world. */
  readonly ownerOf: (secret: string) => WorldName | undefined;
  private readonly settling: Settling;
  private readonly parts: Parts<World>;
  private maskedBy: Redactor | undefined;

  constructor(
    readonly db: Db,
    { id, config, file, ownerOf, effects, parts }: WorldOptions,
  ) {
    this.id = id;
    this.prefix = prefixOf(id);
    this.ownerOf = ownerOf ?? (() => undefined);
    beginOrGoOn(db, config, id === 'default' && file !== ':memory:' ? file : undefined);
    this.base = config;
    this.config = overlaid(config, readOverlay(db));
    this.random = new Random(readMeta(db, 'seed') ?? '');
    this.clock = new Clock({
      state: readClock(db) ?? beginClock(this.config),
      save: (changed) => this.remembered.as({ kind: 'clock', at: changed.floor }, () => writeClock(db, changed)),
      onChange: () => this.bus.emit(clockChanged),
      beforeWake: (now) => this.settleInParts(now),
    });
    this.wasEmpty = isEmpty(db);
    this.usage = new Usage(db);
    if (file !== ':memory:') passFormerCounts(`${file}-counts`, this.usage);
    this.remembered = new Remembered(
      db,
      this.usage,
      () => this.config,
      () => this.clock.now(),
    );
    const apply = (effect: Effect): void => effects[effect.kind]?.(this, effect);
    this.settling = new Settling(db, apply, (act) => this.remembered.as({ kind: 'effect' }, act));
    this.parts = createParts<World>(parts);
  }

  /** Goes by the id of another world from now on, for one in which others are filled. */
  standFor(id: string): void {
    this.id = id;
    this.prefix = prefixOf(id);
  }

  /** Masks secrets in texts, as the settings in force say. */
  get redactor(): Redactor {
    this.maskedBy ??= redactorOf(this.db, this.config);
    return this.maskedBy;
  }

  /** The state that a module keeps in memory for this world; it is created on first use. */
  part<Part extends WorldPart>(key: PartKey<Part>): Part {
    return this.parts.get(key, this);
  }

  /** The id of the n-th request. */
  requestId(number: number): string {
    return `req_${this.random.nthId('request', number)}`;
  }

  /** The next number of a series, for ids. Call it in the transaction that uses the number. */
  nextNumber(series: string): number {
    return nextNumber(this.db, series);
  }

  /** Sets the virtual time at which an effect is due; `undefined` cancels it. */
  schedule(kind: string, subject: string, dueAt: number | undefined): void {
    this.settling.schedule(kind, subject, dueAt);
  }

  /** Applies all effects that are due at `now`, in order of time; what each writes carries the time at which it was due. */
  settle(now: number): void {
    this.settling.settle(now);
  }

  /**
   * The same in parts, for what can wait: the requests of this world wait for each other, those of others do not. Its data
   * may have been replaced meanwhile. Undefined: nothing is due.
   */
  settleInParts(now: number): Promise<void> | undefined {
    const begun = this.epoch;
    return this.settling.settleInParts(now, () => this.isClosed || this.epoch !== begun);
  }

  /** Whether it must stay open even if no request is in progress. */
  isBusy(): boolean {
    return this.settling.isBusy() || this.parts.isBusy();
  }

  /** Ends open streams, before the listeners close. */
  endStreams(): void {
    this.bus.emitLast(closing);
  }

  /** Stores counts and the clock, which are otherwise written later, in one transaction, in which `also` runs, too. */
  flush(also?: () => void): void {
    this.usage.flush(() => {
      also?.();
      this.db.untold(() => writeClock(this.db, this.clock.state()));
      if (!this.db.inMemory || this.isClosed) this.remembered.history?.write();
    });
  }

  /** This world's overrides of the settings. */
  get overlay(): Overlay {
    return readOverlay(this.db);
  }

  /** Replaces the settings of the emulator; this world's overrides stay. */
  reconfigure(base: Config): void {
    this.config = overlaid(base, this.overlay);
    this.base = base;
    this.maskedBy = undefined;
  }

  /** Replaces this world's overrides of the settings. Call it in a transaction. */
  override(overlay: Overlay): void {
    const config = overlaid(this.base, overlay);
    writeOverlay(this.db, overlay);
    this.config = config;
    this.maskedBy = undefined;
  }

  /** All data and the clock as of now, without the journal. */
  image(): WorldImage {
    this.settle(this.clock.now());
    this.flush();
    return imageOf(this.db);
  }

  /** Replaces all data with those of an image, which `name` names in the journal; an error leaves everything as it was. */
  restore(image: WorldImage, name: string): void {
    const own = readInitialState(this.db);
    const { seed } = this.random;
    // The history keeps an image of the data that go, which must hold the newest counts.
    this.usage.flush();
    const noteRestore = this.remembered.beforeRestore(name);
    const begin = (): ClockState => {
      // A reset returns to what this world was made as, though these may be the data of another; a start finds its seed. Worlds
      // that were made with one seed count as one world.
      if (readInitialState(this.db).ownSeed !== own.ownSeed)
        writeInitialState(this.db, { ...own, ownSeed: own.ownSeed ?? seed, seed: own.seed ?? seed });
      return requireClock(this.db);
    };
    this.replace({ event: 'restored', subject: name, image, begin, fill: noteRestore });
  }

  /**
   * Empties the world, resets the clock (to its start or to another one) and calls `fill` to fill the world. An error
   * leaves everything as it was.
   */
  reset(request: ResetRequest, fill: () => void): void {
    const { seed, initial } = nextInitialState(this.db, request, this.random.seed);
    const begin = (): ClockState => {
      writeMeta(this.db, 'seed', seed);
      writeInitialState(this.db, initial);
      this.remembered.history?.clear();
      return startClock(initial);
    };
    this.usage.flush();
    this.replace({ event: request.event, subject: request.subject, image: undefined, begin, fill });
  }

  // Replaces all data, or nothing: when the transaction fails, the values in memory are taken back here. Counts have been flushed.
  private replace({ event, subject, image, begin, fill }: NewData): void {
    const before = this.clock.state();
    try {
      this.db.untold(() =>
        replaceContent(this.db, image, () => {
          const state = begin();
          this.usage.reread();
          this.parts.reread();
          this.reread(state);
          fill();
        }),
      );
    } catch (error) {
      this.usage.forget();
      this.reread(before);
      throw error;
    }
    this.settling.replaced();
    this.epoch++;
    this.parts.replaced(event, subject);
    this.bus.emit(replaced);
  }

  // Reads the values in memory anew from the rows.
  private reread(state: ClockState): void {
    this.reconfigure(this.base);
    this.random = new Random(readMeta(this.db, 'seed') ?? '');
    this.clock.restore(state);
  }

  /** `keep` gets the database once all is written; without it, what a world in memory would still write is lost. */
  close(keep?: (db: Db) => void): void {
    this.isClosed = true;
    this.usage.end();
    try {
      this.parts.close();
      if (keep !== undefined || !this.db.inMemory) this.flush();
    } catch (error) {
      // The newest records of the journal are lost if nothing can be stored; all else is stored already.
      if (!(error instanceof ApiError)) throw error;
    }
    this.clock.close();
    keep?.(this.db);
    this.db.close();
  }
}

// Earlier versions kept the newest counts in a file while the world was open; one that is still there belonged to a process
// that was killed, which had given fewer numbers than are passed over here.
function passFormerCounts(file: string, usage: Usage): void {
  if (!existsSync(file)) return;
  usage.skipTo(usage.requests() + 100_000);
  rmSync(file);
}
