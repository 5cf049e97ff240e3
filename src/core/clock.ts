// The one clock of a world: virtual time that people freeze, speed up and advance, its timers, and the wall's time.

import { lastInstant } from './instant.js';
import { real } from './real-time.js';

/** The stored state of a clock: virtual time runs from an anchor, at a speed (0 = frozen). */
export interface ClockState {
  anchorVirtual: number;
  anchorWall: number;
  speed: number;
  /** Milliseconds added to the wall clock when a client's own stamp is judged. */
  skewMs: number;
  /** The speed at which it runs from the first request of a client on; undefined: it waits for none. */
  waits?: number | undefined;
  /** The latest instant that was ever answered; now never falls below it. */
  floor: number;
}

export interface ClockView {
  now: string;
  speed: number;
  frozen: boolean;
  skewMs: number;
  waits?: true | undefined;
}

export interface Clock {
  /** Virtual now, in whole milliseconds since the epoch. */
  now(): number;
  /** Wall time plus skew, with which timestamps of clients are compared. */
  clientNow(): number;
  /** The wall instant at which a virtual instant is (or will be) reached. */
  toWall(instant: number): number;
  /** The virtual instant at which a client's own clock shows an instant. */
  fromClient(instant: number): number;
  /** The wall time that a stretch of virtual time takes at the present speed; while frozen, as at speed 1. */
  toWallDuration(ms: number): number;
  /** The virtual time that passes in a stretch of wall time at the present speed; while frozen, as at speed 1. */
  fromWallDuration(ms: number): number;
  state(): ClockState;
  view(): ClockView;
  freeze(): void;
  resume(speed?: number): void;
  /** A client's request is there: a clock that waits for the first one runs. */
  begin(): void;
  /** Moves virtual time forward and resolves when the timers that are due have run. */
  advanceTo(instant: number): Promise<void>;
  setSkew(ms: number): void;
  /** Goes to where another state stood when it was taken, back in time too, and runs on from there. */
  restore(state: ClockState): void;
  /** Calls `wake` once when virtual time reaches the instant; returns a cancel. */
  sleepUntil(instant: number, wake: () => void | Promise<void>): () => void;
  /** How many timers are waiting: 0 when every stream has ended. */
  sleeping(): number;
  close(): void;
}

interface ClockOptions {
  state: ClockState;
  /** Stores a change of anchor, speed or skew before it takes effect; an error prevents the change. */
  save?: (state: ClockState) => void;
  /** Called after each change. */
  onChange?: () => void;
  /** Does what must have happened by an instant before the timers of that instant fire; undefined where nothing must. */
  beforeWake?: (now: number) => Promise<void> | undefined;
}

/** The wall clock, in milliseconds since the epoch: for display, never for the behaviour of the platform. */
export function wallNow(): number {
  return real.now();
}

/** The wall clock to a microsecond; it never falls, so it orders the events of this process. */
export function wallMoment(at = real.elapsed()): number {
  return Math.round((real.timeOrigin + at) * 1_000) / 1_000;
}

/** Runs `act` after a wall delay without keeping the process alive; returns a cancel. */
export function afterWall(ms: number, act: () => void): () => void {
  const timer = real.setTimeout(act, ms);
  timer.unref();
  return () => real.clearTimeout(timer);
}

/** Runs `act` once all that is ready now has been handled. */
export function afterThisTick(act: () => void): void {
  real.setImmediate(act);
}

/** Resolves once all that is ready now has been handled: where much is to be done, others get their turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => afterThisTick(resolve));
}

/** Runs asynchronous work one after the other, each in a turn of its own: for what takes milliseconds. */
export function oneATurn(): <Result>(act: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const done = last.then(nextTurn).then(act);
    last = done.catch(() => {});
    return done;
  };
}

/** A clock state that starts at an instant (default: the real now). */
export function startClock(options: { at?: number | undefined; frozen?: boolean } = {}): ClockState {
  const wall = real.now();
  const at = options.at ?? wall;
  return { anchorVirtual: at, anchorWall: wall, speed: options.frozen ? 0 : 1, skewMs: 0, floor: at };
}

// Less is what clocks drift apart.
const mostDriftMs = 100;

// A stored clock, from the latest instant that it has reached: it may have run where the wall clock was ahead of this one.
function goneOn(state: ClockState): ClockState {
  const wall = real.now();
  if (state.speed === 0 || state.anchorVirtual + state.speed * (wall - state.anchorWall) >= state.floor)
    return { ...state };
  return { ...state, anchorVirtual: state.floor, anchorWall: wall };
}

/**
 * The clock of one world.
 *
 * @example
 * const clock = createClock({ state: startClock({ at: 0, frozen: true }) });
 * await clock.advanceTo(clock.now() + 600_000);
 */
export function createClock(options: ClockOptions): Clock {
  let state = goneOn(options.state);
  let last = state.floor;
  let seen = { wall: real.now(), elapsed: real.elapsed() };
  let isClosed = false;
  const timers = createTimerQueue();
  // How many jumps are under way: they wake what is due themselves, and wait for it.
  let jumps = 0;
  let disarm: (() => void) | undefined;

  // The wall's time. Where that was set back (a laptop's sleep, a container's host), virtual time goes on as if it had not.
  function wallTime(): number {
    const at = { wall: real.now(), elapsed: real.elapsed() };
    const fell = Math.round(at.elapsed - seen.elapsed - (at.wall - seen.wall));
    seen = at;
    if (fell > mostDriftMs) {
      state = { ...state, anchorWall: state.anchorWall - fell };
      afterThisTick(saveAnchor);
    }
    return at.wall;
  }
  // A process that is killed later would fall back to where it stood.
  function saveAnchor(): void {
    try {
      if (!isClosed) options.save?.({ ...state, floor: now() });
    } catch {
      // The next change stores the anchor if nothing can be stored now.
    }
  }

  const now = (): number => {
    const wall = wallTime();
    const reached = Math.floor(state.anchorVirtual + state.speed * (wall - state.anchorWall));
    // Clients cannot read instants of years with five digits.
    last = Math.max(last, Math.min(reached, lastInstant));
    return last;
  };

  function change(next: Partial<ClockState>): void {
    const changed = { ...state, anchorVirtual: now(), anchorWall: real.now(), ...next };
    changed.floor = Math.max(last, Math.floor(changed.anchorVirtual));
    options.save?.(changed);
    state = changed;
    last = state.floor;
    options.onChange?.();
    arm();
  }

  // One unref'ed timer, for the earliest entry of the queue; a frozen clock needs none.
  function arm(): void {
    disarm?.();
    disarm = undefined;
    const next = timers.earliest();
    if (next === undefined || next > lastInstant || state.speed === 0 || jumps > 0) return;
    const wait = Math.ceil(Math.max(0, next - now()) / state.speed);
    disarm = afterWall(Math.min(wait, 2_147_000_000), () => {
      // Each sleeper deals with its own failure; here nobody waits for it.
      wake(() => {})
        .catch(() => {})
        .finally(arm);
    });
  }
  async function wake(onFailure: (error: unknown) => void): Promise<void> {
    const ready = options.beforeWake?.(now());
    if (ready !== undefined) await ready.catch(onFailure);
    await timers.wakeDue(now());
  }

  return {
    now,
    // A client in this process sees the time that a test has put in the place of the wall's.
    clientNow: () => real.now() + real.replacedBy() + state.skewMs,
    toWall(instant) {
      const wall = wallTime();
      const shift = real.replacedBy();
      if (state.speed === 1) return instant - state.anchorVirtual + state.anchorWall + shift;
      return wall + shift + Math.round((instant - now()) / (state.speed || 1));
    },
    fromClient(instant) {
      const present = wallTime();
      const wall = instant - state.skewMs - real.replacedBy();
      if (state.speed === 1) return wall - state.anchorWall + state.anchorVirtual;
      return now() + Math.round((wall - present) * (state.speed || 1));
    },
    toWallDuration: (ms) => ms / (state.speed || 1),
    fromWallDuration: (ms) => ms * (state.speed || 1),
    state: () => ({ ...state, floor: now() }),
    view: () => ({
      now: new Date(now()).toISOString(),
      speed: state.speed,
      frozen: state.speed === 0,
      skewMs: state.skewMs,
      ...(state.waits !== undefined && { waits: true as const }),
    }),
    freeze: () => change({ speed: 0, waits: undefined }),
    resume: (speed = 1) => change({ speed, waits: undefined }),
    begin() {
      if (state.waits !== undefined) this.resume(state.waits);
    },
    async advanceTo(instant) {
      jumps++;
      try {
        change({ anchorVirtual: Math.max(instant, now()) });
        await wake((error) => {
          throw error;
        });
      } finally {
        jumps--;
        arm();
      }
    },
    setSkew: (ms) => change({ skewMs: ms }),
    restore(saved) {
      last = saved.floor;
      state = { ...saved, anchorVirtual: last, anchorWall: real.now() };
      try {
        options.save?.(state);
      } finally {
        options.onChange?.();
        arm();
      }
    },
    sleepUntil(instant, wake) {
      const cancel = timers.add(instant, wake);
      if (timers.earliest() === instant) arm();
      return () => {
        cancel();
        if (timers.size() === 0) arm();
      };
    },
    sleeping: () => timers.size(),
    close() {
      isClosed = true;
      disarm?.();
      timers.clear();
    },
  };
}

// A queue of callbacks that wait for instants of a clock, the earliest first.

type Wake = () => void | Promise<void>;

interface TimerQueue {
  add(instant: number, wake: Wake): () => void;
  earliest(): number | undefined;
  /** Wakes all that are due, the earliest first, and waits until they have acted. */
  wakeDue(now: number): Promise<void>;
  size(): number;
  clear(): void;
}

/** An empty queue of timers. */
function createTimerQueue(): TimerQueue {
  let queue: { instant: number; wake: Wake }[] = [];
  return {
    add(instant, wake) {
      const entry = { instant, wake };
      const after = queue.findIndex((other) => other.instant > instant);
      if (after === -1) queue.push(entry);
      else queue.splice(after, 0, entry);
      return () => {
        const index = queue.indexOf(entry);
        if (index !== -1) queue.splice(index, 1);
      };
    },
    earliest: () => queue[0]?.instant,
    async wakeDue(now) {
      const acts: (void | Promise<void>)[] = [];
      // A woken entry may sleep again at once; taking one at a time keeps the order by instant.
      for (let next = queue[0]; next !== undefined && next.instant <= now; next = queue[0]) {
        queue.shift();
        acts.push(next.wake());
      }
      await Promise.all(acts);
    },
    size: () => queue.length,
    clear() {
      queue = [];
    },
  };
}
