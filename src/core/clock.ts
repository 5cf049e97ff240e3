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

interface Timer {
  instant: number;
  wake: () => void | Promise<void>;
}

/**
 * The clock of one world.
 *
 * @example
 * const clock = new Clock({ state: startClock({ at: 0, frozen: true }) });
 * await clock.advanceTo(clock.now() + 600_000);
 */
export class Clock {
  private current: ClockState;
  private last: number;
  private seen = { wall: real.now(), elapsed: real.elapsed() };
  private isClosed = false;
  /** Who waits for instants, the earliest first. */
  private timers: Timer[] = [];
  /** How many jumps are under way: they wake what is due themselves, and wait for it. */
  private jumps = 0;
  private disarm: (() => void) | undefined;

  constructor(private readonly options: ClockOptions) {
    this.current = goneOn(options.state);
    this.last = this.current.floor;
  }

  /** Virtual now, in whole milliseconds since the epoch. */
  now(): number {
    const wall = this.wallTime();
    const { anchorVirtual, anchorWall, speed } = this.current;
    const reached = Math.floor(anchorVirtual + speed * (wall - anchorWall));
    // Clients cannot read instants of years with five digits.
    this.last = Math.max(this.last, Math.min(reached, lastInstant));
    return this.last;
  }

  // The wall's time. Where that was set back (a laptop's sleep, a container's host), virtual time goes on as if it had not.
  private wallTime(): number {
    const at = { wall: real.now(), elapsed: real.elapsed() };
    const fell = Math.round(at.elapsed - this.seen.elapsed - (at.wall - this.seen.wall));
    this.seen = at;
    if (fell > mostDriftMs) {
      this.current = { ...this.current, anchorWall: this.current.anchorWall - fell };
      afterThisTick(() => this.saveAnchor());
    }
    return at.wall;
  }

  // A process that is killed later would fall back to where it stood.
  private saveAnchor(): void {
    try {
      if (!this.isClosed) this.options.save?.(this.state());
    } catch {
      // The next change stores the anchor if nothing can be stored now.
    }
  }

  /** Wall time plus skew, with which timestamps of clients are compared. */
  clientNow(): number {
    // A client in this process sees the time that a test has put in the place of the wall's.
    return real.now() + real.replacedBy() + this.current.skewMs;
  }

  /** The wall instant at which a virtual instant is (or will be) reached. */
  toWall(instant: number): number {
    const wall = this.wallTime();
    const shift = real.replacedBy();
    const { anchorVirtual, anchorWall, speed } = this.current;
    if (speed === 1) return instant - anchorVirtual + anchorWall + shift;
    return wall + shift + Math.round((instant - this.now()) / (speed || 1));
  }

  /** The virtual instant at which a client's own clock shows an instant. */
  fromClient(instant: number): number {
    const present = this.wallTime();
    const { anchorVirtual, anchorWall, speed, skewMs } = this.current;
    const wall = instant - skewMs - real.replacedBy();
    if (speed === 1) return wall - anchorWall + anchorVirtual;
    return this.now() + Math.round((wall - present) * (speed || 1));
  }

  /** The wall time that a stretch of virtual time takes at the present speed; while frozen, as at speed 1. */
  toWallDuration(ms: number): number {
    return ms / (this.current.speed || 1);
  }

  /** The virtual time that passes in a stretch of wall time at the present speed; while frozen, as at speed 1. */
  fromWallDuration(ms: number): number {
    return ms * (this.current.speed || 1);
  }

  state(): ClockState {
    return { ...this.current, floor: this.now() };
  }

  view(): ClockView {
    const { speed, skewMs, waits } = this.current;
    return {
      now: new Date(this.now()).toISOString(),
      speed,
      frozen: speed === 0,
      skewMs,
      ...(waits !== undefined && { waits: true as const }),
    };
  }

  freeze(): void {
    this.change({ speed: 0, waits: undefined });
  }

  resume(speed = 1): void {
    this.change({ speed, waits: undefined });
  }

  /** A client's request is there: a clock that waits for the first one runs. */
  begin(): void {
    if (this.current.waits !== undefined) this.resume(this.current.waits);
  }

  setSkew(ms: number): void {
    this.change({ skewMs: ms });
  }

  private change(next: Partial<ClockState>): void {
    const changed = { ...this.current, anchorVirtual: this.now(), anchorWall: real.now(), ...next };
    changed.floor = Math.max(this.last, Math.floor(changed.anchorVirtual));
    this.options.save?.(changed);
    this.current = changed;
    this.last = changed.floor;
    this.options.onChange?.();
    this.arm();
  }

  /** Moves virtual time forward and resolves when the timers that are due have run. */
  async advanceTo(instant: number): Promise<void> {
    this.jumps++;
    try {
      this.change({ anchorVirtual: Math.max(instant, this.now()) });
      await this.options.beforeWake?.(this.now());
      await this.wakeDue();
    } finally {
      this.jumps--;
      this.arm();
    }
  }

  /** Goes to where another state stood when it was taken, back in time too, and runs on from there. */
  restore(saved: ClockState): void {
    this.last = saved.floor;
    this.current = { ...saved, anchorVirtual: this.last, anchorWall: real.now() };
    try {
      this.options.save?.(this.current);
    } finally {
      this.options.onChange?.();
      this.arm();
    }
  }

  /** Calls `wake` once when virtual time reaches the instant; returns a cancel. */
  sleepUntil(instant: number, wake: Timer['wake']): () => void {
    const timer = { instant, wake };
    const after = this.timers.findIndex((other) => other.instant > instant);
    if (after === -1) this.timers.push(timer);
    else this.timers.splice(after, 0, timer);
    if (this.timers[0]?.instant === instant) this.arm();
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
      if (this.timers.length === 0) this.arm();
    };
  }

  /** How many timers are waiting: 0 when every stream has ended. */
  sleeping(): number {
    return this.timers.length;
  }

  // One unref'ed timer of Node, for the earliest; a frozen clock needs none.
  private arm(): void {
    this.disarm?.();
    this.disarm = undefined;
    const next = this.timers[0]?.instant;
    const { speed } = this.current;
    if (next === undefined || next > lastInstant || speed === 0 || this.jumps > 0) return;
    const wait = Math.ceil(Math.max(0, next - this.now()) / speed);
    this.disarm = afterWall(Math.min(wait, 2_147_000_000), () => void this.ring());
  }

  private async ring(): Promise<void> {
    // Each sleeper deals with its own failure; here nobody waits for it.
    const ignore = (): void => {};
    await this.options.beforeWake?.(this.now())?.catch(ignore);
    await this.wakeDue().catch(ignore);
    this.arm();
  }

  // Wakes all that are due, the earliest first, and waits until they have acted.
  private async wakeDue(): Promise<void> {
    const now = this.now();
    const acts: (void | Promise<void>)[] = [];
    // A woken entry may sleep again at once; taking one at a time keeps the order by instant.
    for (let [next] = this.timers; next !== undefined && next.instant <= now; [next] = this.timers) {
      this.timers.shift();
      acts.push(next.wake());
    }
    await Promise.all(acts);
  }

  close(): void {
    this.isClosed = true;
    this.disarm?.();
    this.timers = [];
  }
}
