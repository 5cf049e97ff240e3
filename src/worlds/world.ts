// A world: one database with its own clock, randomness, journal and settings. Nothing is shared between worlds.

import type { Config } from '../config/schema.js';
import { type Bus, createBus } from '../kernel/bus.js';
import { type Clock, type ClockState, createClock, startClock } from '../kernel/clock.js';
import { createRandom, freshSeed, idSeries, type Random } from '../kernel/random.js';
import { type Db, openDb, StoreError } from '../store/db.js';
import { dueEffect, type Effect, nextEffectAt, scheduleEffect } from '../store/effects.js';
import { createJournal, type Journal } from '../store/journal.js';
import { nextNumber, readClock, readMeta, writeClock, writeMeta } from '../store/meta.js';
import { createUsage, type Usage } from '../store/usage.js';

/** The topic on which a world tells its open streams that it ends. */
export const closing = 'closing';

/** Ports of the machine on which containers of a world answer. */
export interface LocalPorts {
  isOpen(containerId: string): boolean;
  /** Opens a listener on the wanted port or, when that is taken, on another; 0 when none can be had. */
  open(containerId: string, wanted: number): Promise<number>;
  close(containerId: string): void;
}

export interface World {
  readonly id: string;
  /** The path under which the world is addressed: '' for the default one, '/w/<id>' for others. */
  readonly prefix: string;
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  readonly usage: Usage;
  readonly bus: Bus;
  readonly ports: LocalPorts;
  /** True when this process created the database (and so must seed it). */
  readonly fresh: boolean;
  /** The id of the n-th request. */
  requestId(number: number): string;
  /** The next number of a series, for ids; belongs into the transaction that uses it. */
  nextNumber(series: string): number;
  /** Sets when an effect is due; `undefined` calls it off. */
  schedule(kind: string, subject: string, dueAt: number | undefined): void;
  /** Applies every effect that is due, in order of time, each stamped with its own instant. */
  settle(now: number): void;
  /** Ends open streams, before the listeners close. */
  endStreams(): void;
  /** Moves the clock on; effects are applied before those who slept wake up. */
  advanceTo(instant: number): Promise<void>;
  close(): void;
}

/** What happens when an effect of a kind is due. */
export type EffectHandlers = Record<string, (world: World, effect: Effect) => void>;

export interface WorldOptions {
  id: string;
  config: Config;
  /** A database path, or ':memory:'. */
  file: string;
  effects: EffectHandlers;
  /** Makes the ports of the world. */
  ports: (world: World) => LocalPorts & { closeAll(): void };
}

/**
 * Opens a world, or creates it with its seed and clock.
 *
 * @throws StoreError when the file holds a world of another seed, or no world
 */
export function openWorld({ id, config, file, effects, ports }: WorldOptions): World {
  const db = openDb(file);
  const storedSeed = readMeta(db, 'seed');
  const fresh = storedSeed === undefined;
  if (!fresh && config.seed !== null && config.seed !== storedSeed) {
    db.close();
    throw new StoreError(
      `${file} was created with another seed. Leave --seed out, choose another --data-dir, or delete this one.`,
    );
  }
  const seed = storedSeed ?? config.seed ?? freshSeed();
  const state = readClock(db) ?? beginClock(config);
  if (fresh) {
    db.transaction(() => {
      writeMeta(db, 'seed', seed);
      writeClock(db, state);
    });
  }

  const clock = createClock({ state, onChange: (changed) => writeClock(db, changed) });
  const usage = createUsage(db);
  const journal = createJournal({
    db,
    capacity: config.data.journal,
    alsoFlush() {
      usage.flush();
      writeClock(db, clock.state());
    },
  });
  const random = createRandom(seed);
  const requestIds = idSeries(random, 'request');
  let nextDue = nextEffectAt(db);

  let localPorts: (LocalPorts & { closeAll(): void }) | undefined;
  const world: World = {
    id,
    prefix: id === 'default' ? '' : `/w/${id}`,
    config,
    db,
    clock,
    random,
    requestId: (number) => `req_${requestIds(number)}`,
    journal,
    usage,
    bus: createBus(),
    get ports() {
      localPorts ??= ports(world);
      return localPorts;
    },
    fresh,
    nextNumber: (series) => nextNumber(db, series),
    schedule(kind, subject, dueAt) {
      scheduleEffect(db, kind, subject, dueAt);
      if (dueAt !== undefined) nextDue = Math.min(nextDue ?? dueAt, dueAt);
    },
    settle(now) {
      if (nextDue === undefined || nextDue > now) return;
      db.transaction(() => {
        for (let effect = dueEffect(db, now); effect !== undefined; effect = dueEffect(db, now)) {
          scheduleEffect(db, effect.kind, effect.subject, undefined);
          effects[effect.kind]?.(world, effect);
        }
      });
      nextDue = nextEffectAt(db);
    },
    async advanceTo(instant) {
      world.settle(Math.max(instant, clock.now()));
      await clock.advanceTo(instant);
    },
    endStreams: () => world.bus.emit(closing),
    close() {
      localPorts?.closeAll();
      journal.flush();
      writeClock(db, clock.state());
      clock.close();
      db.close();
    },
  };
  return world;
}

function beginClock(config: Config): ClockState {
  const { start, frozen } = config.clock;
  return startClock({ at: start === null ? undefined : Date.parse(start), frozen });
}
