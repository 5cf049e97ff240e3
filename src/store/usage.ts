// Counts that may lag behind a crash by a moment: rate windows and key usage, kept in memory and flushed in batches.

import type { Db } from './db.js';

export interface RateWindow {
  startedAt: number;
  count: number;
  endsAt: number;
  /** Control has filled it: it lets nothing pass before it ends. */
  full: boolean;
}

/** Where a caller stood when it was last looked at. */
export interface CallerWindow {
  caller: string;
  bucket: string;
  startedAt: number;
  count: number;
  /** Until when it is full, where control has filled it. */
  fullUntil: number | null;
}

export interface Usage {
  /** The window of a caller in a bucket; begun now when there is none or the last one has ended. */
  window(caller: string, bucket: string, lengthMs: number, now: number): RateWindow;
  /** How often a caller was counted in a bucket's present window. */
  used(caller: string, bucket: string, lengthMs: number, now: number): number;
  /** Counts a request in a window. */
  count(window: RateWindow): void;
  /** Fills a caller's window, so that it lets nothing pass until an instant; one request, where that is now. */
  fill(caller: string, bucket: { name: string; size: number; length: number }, until: number, now: number): void;
  /** The windows of all callers, by caller and bucket; those that have ended too, unless control filled them. */
  present(now: number): CallerWindow[];
  /** Ends all windows: every caller begins anew. */
  clear(): void;
  keyUsed(keyId: string, now: number): void;
  /** Writes what changed since the last flush. */
  flush(): void;
  /** Forgets what was counted: what is stored counts again. */
  forget(): void;
}

// Windows that ended long ago are forgotten once there are this many.
const maxWindows = 20_000;

// The `full_until` of a window that refuses one request, whenever it comes.
const once = Number.MIN_SAFE_INTEGER;

const select = 'SELECT caller, bucket, started_at AS startedAt, count, full_until AS fullUntil FROM rate_windows';

interface KeptWindow extends RateWindow {
  readonly caller: string;
  readonly bucket: string;
  fullUntil: number | null;
}

/** The lagging counts of one world. */
export function createUsage(db: Db): Usage {
  const windows = new Map<string, KeptWindow>();
  const changed = new Set<KeptWindow>();
  const keys = new Map<string, { count: number; at: number }>();
  const name = (caller: string, bucket: string): string => `${caller}\n${bucket}`;

  function forgetEnded(now: number): void {
    for (const [key, window] of windows) {
      if (window.endsAt <= now && window.fullUntil !== once) windows.delete(key);
    }
    db.run('DELETE FROM rate_windows WHERE started_at < ?', now - 86_400_000);
  }

  function stored(caller: string, bucket: string, now: number): KeptWindow {
    const row = db.get<CallerWindow>(`${select} WHERE caller = ? AND bucket = ?`, caller, bucket);
    const { startedAt = now, count = 0, fullUntil = null } = row ?? {};
    return { caller, bucket, startedAt, count, fullUntil, endsAt: now, full: fullUntil !== null };
  }

  function kept(caller: string, bucket: string, now: number): KeptWindow {
    const key = name(caller, bucket);
    let window = windows.get(key);
    if (window === undefined) {
      if (windows.size >= maxWindows) forgetEnded(now);
      window = stored(caller, bucket, now);
      windows.set(key, window);
    }
    return window;
  }

  function begin(window: KeptWindow, length: number, now: number): void {
    window.startedAt = now;
    window.count = 0;
    window.fullUntil = null;
    window.endsAt = now + length;
    window.full = false;
  }

  function flushWindows(): void {
    for (const window of changed) {
      db.run(
        'INSERT OR REPLACE INTO rate_windows (caller, bucket, started_at, count, full_until) VALUES (?, ?, ?, ?, ?)',
        window.caller,
        window.bucket,
        window.startedAt,
        window.count,
        window.fullUntil,
      );
    }
    changed.clear();
  }

  return {
    window(caller, bucket, length, now) {
      const window = kept(caller, bucket, now);
      if (window.fullUntil === once) {
        // It refuses the request that asks, and the next one begins anew.
        window.fullUntil = now;
        window.endsAt = now;
        changed.add(window);
        return window;
      }
      window.endsAt = window.fullUntil ?? window.startedAt + length;
      if (now >= window.endsAt) begin(window, length, now);
      return window;
    },
    used(caller, bucket, length, now) {
      const { startedAt, count, fullUntil } = windows.get(name(caller, bucket)) ?? stored(caller, bucket, now);
      return fullUntil !== once && now >= (fullUntil ?? startedAt + length) ? 0 : count;
    },
    count(window) {
      window.count++;
      changed.add(window as KeptWindow);
    },
    fill(caller, { name: bucket, size, length }, until, now) {
      const window = kept(caller, bucket, now);
      begin(window, length, now);
      window.count = size;
      window.fullUntil = until <= now ? once : until;
      window.endsAt = until;
      window.full = true;
      changed.add(window);
      flushWindows();
    },
    present(now) {
      flushWindows();
      const all = db.all<CallerWindow>(`${select} ORDER BY caller, bucket`);
      return all.flatMap((window) => {
        if (window.fullUntil === once) return [{ ...window, fullUntil: now }];
        return window.fullUntil === null || window.fullUntil > now ? [window] : [];
      });
    },
    clear() {
      windows.clear();
      changed.clear();
      db.run('DELETE FROM rate_windows');
    },
    keyUsed(keyId, at) {
      const use = keys.get(keyId);
      if (use === undefined) keys.set(keyId, { count: 1, at });
      else {
        use.count++;
        use.at = at;
      }
    },
    flush() {
      flushWindows();
      for (const [id, use] of keys) {
        db.run(
          'UPDATE api_keys SET usage_count = usage_count + ?, last_used_at = ? WHERE id = ?',
          use.count,
          use.at,
          id,
        );
      }
      keys.clear();
    },
    forget() {
      windows.clear();
      changed.clear();
      keys.clear();
    },
  };
}
