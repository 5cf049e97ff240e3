// A world: one database with its own clock, randomness and settings. Worlds share nothing that a client could tell.

import { existsSync, rmSync } from 'node:fs';
import type { Config } from '../config/schema.js';
import { type Bus, createBus } from '../core/bus.js';
import { type Clock, type ClockState, createClock, startClock } from '../core/clock.js';
import { ApiError } from '../core/errors.js';
import { createRandom, type Random } from '../core/random.js';
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
  initialStateKeeper,
  isEmpty,
  nextInitialState,
  type ResetRequest,
  writeInitialState,
} from './initial-state.js';
import { createParts, type Key, type Makers, type Replacement, type WorldPart } from './parts.js';
import { createRemembered, type Remembered } from './remembered.js';
import { type Overlay, overlaid, readOverlay, redactorOf, writeOverlay } from './settings.js';
import { createSettling, type EffectHandlers } from './settling.js';
import { clockChanged, closing, replaced } from './topics.js';
import { prefixOf, type WorldName } from './world-name.js';

/** The key and factory of a module's state in a world. */
export type PartKey<Part extends WorldPart> = Key<World, Part>;

/** How parts are made, by their keys. */
export type PartMakers = Makers<World>;

export interface World extends WorldName {
  /** Goes by the id of another world from now on, for one in which others are filled. */
  standFor(id: string): void;
  /** The settings in force: those of the emulator, with this world's overrides. */
  readonly config: Config;
  /** The settings of the emulator, without this world's overrides. */
  readonly base: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly random: Random;
  readonly usage: Usage;
  /** What has changed in it, and why. */
  readonly remembered: Remembered;
  readonly bus: Bus;
  /** Masks secrets in texts, as the settings in force say. */
  readonly redactor: Redactor;
  /** The state that a module keeps in memory for this world; it is created on first use. */
  part<Part extends WorldPart>(key: PartKey<Part>): Part;
  /** Whether the world was empty when it was opened, so that this process must fill it. */
  readonly wasEmpty: boolean;
  /** A number that grows each time all data are replaced: a request that began in an earlier epoch must not go on. */
  readonly epoch: number;
  /** Whether the world was closed: requests that are still in progress must not use it. */
  readonly isClosed: boolean;
  /** Finds the world of this process to which a secret belongs, to help clients that sent it to another world. */
  ownerOf: (secret: string) => WorldName | undefined;
  /** The id of the n-th request. */
  requestId(number: number): string;
  /** The next number of a series, for ids. Call it in the transaction that uses the number. */
  nextNumber(series: string): number;
  /** Sets the virtual time at which an effect is due; `undefined` cancels it. */
  schedule(kind: string, subject: string, dueAt: number | undefined): void;
  /** Applies all effects that are due at `now`, in order of time; what each writes carries the time at which it was due. */
  settle(now: number): void;
  /**
   * The same in parts, for what can wait: the requests of this world wait for each other, those of others do not. Its data may have been replaced meanwhile. Undefined: nothing is due.
   */
  settleInParts(now: number): Promise<void> | undefined;
  /** Whether it must stay open even if no request is in progress. */
  isBusy(): boolean;
  /** Ends open streams, before the listeners close. */
  endStreams(): void;
  /** Stores counts and the clock, which are otherwise written later, in one transaction, in which `also` runs, too. */
  flush(also?: () => void): void;
  /** Replaces the settings of the emulator; this world's overrides stay. */
  reconfigure(base: Config): void;
  /** Replaces this world's overrides of the settings. Call it in a transaction. */
  override(overlay: Overlay): void;
  /** This world's overrides of the settings. */
  readonly overlay: Overlay;
  /** All data and the clock as of now, without the journal. */
  image(): WorldImage;
  /** Replaces all data with those of an image, which `name` names in the journal; an error leaves everything as it was. */
  restore(image: WorldImage, name: string): void;
  /**
   * Empties the world, resets the clock (to its start or to another one) and calls `fill` to fill the world. An error
   * leaves everything as it was.
   *
   * @param image what another world was filled with from the initial state that this reset leads to
   */
  reset(how: ResetRequest, fill: () => void, image?: WorldImage): void;
  /** `keep` gets the database once all is written; without it, what a world in memory would still write is lost. */
  close(keep?: (db: Db) => void): void;
}

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
  return orClosed(file, db, () => worldIn(db, options));
}

function worldIn(db: Db, { file, effects, ...options }: WorldOptions): World {
  let { id } = options;
  let base = options.config;
  beginOrGoOn(db, base, id === 'default' && file !== ':memory:' ? file : undefined);
  let config = overlaid(base, readOverlay(db));
  let random = createRandom(readMeta(db, 'seed') ?? '');

  const bus = createBus();
  const clock = createClock({
    state: readClock(db) ?? beginClock(config),
    save: (changed) => remembered.as({ kind: 'clock', at: changed.floor }, () => writeClock(db, changed)),
    onChange: () => bus.emit(clockChanged),
    beforeWake: (now) => world.settleInParts(now),
  });
  const wasEmpty = isEmpty(db);
  const apply = (effect: Effect): void => effects[effect.kind]?.(world, effect);
  const settling = createSettling(db, apply, (act) => remembered.as({ kind: 'effect' }, act));
  const usage = new Usage(db);
  if (file !== ':memory:') passFormerCounts(`${file}-counts`, usage);
  const remembered = createRemembered(db, usage, () => config, clock.now);
  const redactor = redactorOf(db, () => ({ config, random }));
  const parts = createParts<World>(options.parts);
  let epoch = 0;
  let isClosed = false;

  // Reads the values that are kept in memory anew from the data that are there.
  function reread(state: ClockState): void {
    config = overlaid(base, readOverlay(db));
    random = createRandom(readMeta(db, 'seed') ?? '');
    clock.restore(state);
  }
  // The one way to other data, all or nothing. Of a transaction that fails, what is in memory is taken back here.
  function replace({ event, subject, image, begin, fill }: NewData): void {
    usage.flush();
    const before = clock.state();
    try {
      db.untold(() =>
        replaceContent(db, image, () => {
          const state = begin();
          usage.reread();
          parts.reread();
          reread(state);
          fill();
        }),
      );
    } catch (error) {
      usage.forget();
      reread(before);
      throw error;
    }
    settling.replaced();
    epoch++;
    parts.replaced(event, subject);
    world.bus.emit(replaced);
  }

  const world: World = {
    get id() {
      return id;
    },
    get prefix() {
      return prefixOf(id);
    },
    standFor(other) {
      id = other;
    },
    get config() {
      return config;
    },
    get base() {
      return base;
    },
    db,
    clock,
    get random() {
      return random;
    },
    requestId: (number) => `req_${random.nthId('request', number)}`,
    usage,
    remembered,
    bus,
    get redactor() {
      return redactor();
    },
    part: (key) => parts.get(key, world),
    wasEmpty,
    get epoch() {
      return epoch;
    },
    get isClosed() {
      return isClosed;
    },
    ownerOf: options.ownerOf ?? (() => undefined),
    nextNumber: (series) => nextNumber(db, series),
    schedule: settling.schedule,
    settle: settling.settle,
    settleInParts(now) {
      const begun = epoch;
      return settling.settleInParts(now, () => isClosed || epoch !== begun);
    },
    flush(also = () => {}) {
      usage.flush(() => {
        also();
        db.untold(() => writeClock(db, clock.state()));
        if (!db.inMemory || isClosed) remembered.history?.write();
      });
    },
    reconfigure(changed) {
      config = overlaid(changed, readOverlay(db));
      base = changed;
    },
    get overlay() {
      return readOverlay(db);
    },
    override(overlay) {
      const changed = overlaid(base, overlay);
      writeOverlay(db, overlay);
      config = changed;
    },
    image() {
      world.settle(clock.now());
      world.flush();
      return imageOf(db);
    },
    restore(image, name) {
      const keepInitialState = initialStateKeeper(db, random.seed);
      // What goes has all counts: the history keeps it.
      usage.flush();
      const noteRestore = remembered.beforeRestore(name);
      const begin = (): ClockState => {
        keepInitialState();
        return requireClock(db);
      };
      replace({ event: 'restored', subject: name, image, begin, fill: noteRestore });
    },
    reset(request, fill, image) {
      const { seed, initial } = nextInitialState(db, request, random.seed);
      const begin = (): ClockState => {
        writeMeta(db, 'seed', seed);
        writeInitialState(db, initial);
        remembered.history?.clear();
        return startClock(initial);
      };
      replace({ event: request.event, subject: request.subject, image, begin, fill });
    },
    isBusy: () => settling.isBusy() || parts.isBusy(),
    endStreams: () => world.bus.emitLast(closing),
    close(keep) {
      isClosed = true;
      usage.end();
      try {
        parts.close();
        if (keep !== undefined || !db.inMemory) world.flush();
      } catch (error) {
        // The newest records of the journal are lost if nothing can be stored; all else is stored already.
        if (!(error instanceof ApiError)) throw error;
      }
      clock.close();
      keep?.(db);
      db.close();
    },
  };
  return world;
}

// Earlier versions kept the newest counts in a file while the world was open; one that is still there belonged to a process
// that was killed, which had given fewer numbers than are passed over here.
function passFormerCounts(file: string, usage: Usage): void {
  if (!existsSync(file)) return;
  usage.skipTo(usage.requests() + 100_000);
  rmSync(file);
}
