// The rate windows of callers: read when they are first asked for, changed in memory, and written by their owner (usage.ts).

import type { Db } from './db.js';

export interface RateWindow {
  startedAt: number;
  count: number;
  endsAt: number;
  /** A control operation has exhausted the window: no request passes before it ends. */
  full: boolean;
}

/** The state of a caller's window when it was last read. */
export interface CallerWindow {
  caller: string;
  bucket: string;
  startedAt: number;
  count: number;
  /** Until when it is full, where control has filled it. */
  fullUntil: number | null;
}

/** A window with its place in the table. */
export interface KeptWindow extends RateWindow, CallerWindow {
  /** Caller and bucket as JSON. */
  readonly names: string;
}

/** Hears of windows that change. */
interface WindowListener {
  /** Before it does. */
  willChange(window: CallerWindow): void;
  changed(window: KeptWindow): void;
}

// Windows that ended long ago are forgotten once there are this many.
const maxWindows = 20_000;

// The `full_until` of a window that refuses one request, whenever it comes.
const once = Number.MIN_SAFE_INTEGER;

const select = 'SELECT caller, bucket, started_at AS startedAt, count, full_until AS fullUntil FROM rate_windows';

/** The windows of one world, and which of them the table does not know as they are. */
export function createRateWindows(db: Db, { willChange, changed: onChange }: WindowListener) {
  const windows = new Map<string, KeptWindow>();
  let changed = new Set<KeptWindow>();
  const keyOf = (caller: string, bucket: string): string => `${caller}\n${bucket}`;

  function forgetEnded(now: number): void {
    for (const [key, window] of windows) {
      if (window.endsAt <= now && window.fullUntil !== once && !changed.has(window)) windows.delete(key);
    }
    db.run('DELETE FROM rate_windows WHERE started_at < @started_at', { started_at: now - 86_400_000 });
  }

  function stored(caller: string, bucket: string, now: number): KeptWindow {
    const row = db.get<CallerWindow>(`${select} WHERE caller = @caller AND bucket = @bucket`, { caller, bucket });
    return keptFrom(row ?? { caller, bucket, startedAt: now, count: 0, fullUntil: null });
  }

  function kept(caller: string, bucket: string, now: number): KeptWindow {
    const key = keyOf(caller, bucket);
    let window = windows.get(key);
    if (window === undefined) {
      if (windows.size >= maxWindows) forgetEnded(now);
      window = stored(caller, bucket, now);
      windows.set(key, window);
    }
    return window;
  }

  function begin(window: KeptWindow, length: number, now: number): void {
    willChange(window);
    window.startedAt = now;
    window.count = 0;
    window.fullUntil = null;
    window.endsAt = now + length;
    window.full = false;
  }

  function change(window: KeptWindow): void {
    changed.add(window);
    onChange(window);
  }

  function write({ caller, bucket, startedAt, count, fullUntil }: KeptWindow): void {
    db.run(
      `INSERT OR REPLACE INTO rate_windows (caller, bucket, started_at, count, full_until)
         VALUES (@caller, @bucket, @startedAt, @count, @fullUntil)`,
      { caller, bucket, startedAt, count, fullUntil },
    );
  }

  return {
    /** The window of a caller in a bucket; begun now when there is none or the last one has ended. */
    window(caller: string, bucket: string, lengthMs: number, now: number): RateWindow {
      const window = kept(caller, bucket, now);
      if (window.fullUntil === once) {
        // The window refuses the request that asks, and the next one begins anew.
        willChange(window);
        window.fullUntil = now;
        window.endsAt = now;
        change(window);
        return window;
      }
      window.endsAt = window.fullUntil ?? window.startedAt + lengthMs;
      if (now >= window.endsAt) begin(window, lengthMs, now);
      return window;
    },
    /** The window that a request would find now; nothing begins, and nothing is used up. */
    shown(caller: string, bucket: string, lengthMs: number, now: number): RateWindow {
      const { startedAt, count, fullUntil } = windows.get(keyOf(caller, bucket)) ?? stored(caller, bucket, now);
      if (fullUntil === once) return { startedAt, count, endsAt: now, full: true };
      const endsAt = fullUntil ?? startedAt + lengthMs;
      if (now >= endsAt) return { startedAt: now, count: 0, endsAt: now + lengthMs, full: false };
      return { startedAt, count, endsAt, full: fullUntil !== null };
    },
    /** Counts a request in a window. */
    count(window: RateWindow): void {
      willChange(window as KeptWindow);
      window.count++;
      change(window as KeptWindow);
    },
    /** Fills a caller's window, so that it lets nothing pass until an instant; one request, where that is now. */
    fill(caller: string, bucket: { name: string; size: number; length: number }, until: number, now: number): void {
      const window = kept(caller, bucket.name, now);
      begin(window, bucket.length, now);
      window.count = bucket.size;
      window.fullUntil = until <= now ? once : until;
      window.endsAt = until;
      window.full = true;
      change(window);
      write(window);
    },
    /** The windows of all callers, by caller and bucket; those that have ended too, unless control filled them. */
    present(now: number): CallerWindow[] {
      const all = new Map(db.all<CallerWindow>(select).map((row) => [keyOf(row.caller, row.bucket), row]));
      for (const window of changed) all.set(keyOf(window.caller, window.bucket), window);
      return [...all]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([, { caller, bucket, startedAt, count, fullUntil }]) => {
          if (fullUntil !== null && fullUntil !== once && fullUntil <= now) return [];
          return { caller, bucket, startedAt, count, fullUntil: fullUntil === once ? now : fullUntil };
        });
    },
    /** Takes a window as it was when the process before this one was killed. */
    goOnFrom(state: CallerWindow): void {
      const key = keyOf(state.caller, state.bucket);
      const window = windows.get(key) ?? keptFrom(state);
      windows.set(key, Object.assign(window, state, { full: state.fullUntil !== null }));
      changed.add(window);
    },
    /** Says of all windows that they are about to change. */
    willEnd(): void {
      const all = new Map(db.all<CallerWindow>(select).map((row) => [keyOf(row.caller, row.bucket), row]));
      for (const window of changed) all.set(keyOf(window.caller, window.bucket), window);
      for (const window of all.values()) willChange(window);
    },
    /** Writes what has changed; it counts as changed until `written`. */
    save(): void {
      for (const window of changed) write(window);
    },
    written(): void {
      changed = new Set();
    },
    /** Forgets all: the table counts again. */
    forget(): void {
      windows.clear();
      changed = new Set();
    },
  };
}

function keptFrom(state: CallerWindow): KeptWindow {
  const names = JSON.stringify([state.caller, state.bucket]).slice(1, -1);
  const { caller, bucket, startedAt, count, fullUntil } = state;
  return { caller, bucket, names, startedAt, count, fullUntil, endsAt: startedAt, full: fullUntil !== null };
}
