// Counts that may lag behind a crash by a moment: rate windows and key usage, kept in memory and flushed in batches.

import type { Db } from './db.js';

export interface RateWindow {
  startedAt: number;
  count: number;
}

export interface Usage {
  /** The window of a caller in a bucket; begun now when there is none or the last one has ended. */
  window(caller: string, bucket: string, lengthMs: number, now: number): RateWindow;
  /** How often a caller was counted in a bucket's present window. */
  used(caller: string, bucket: string, lengthMs: number, now: number): number;
  /** Marks a window as changed. */
  touched(caller: string, bucket: string): void;
  keyUsed(keyId: string, now: number): void;
  /** Writes what changed since the last flush. */
  flush(): void;
}

// Windows that ended long ago are forgotten once there are this many.
const maxWindows = 20_000;

/** The lagging counts of one world. */
export function createUsage(db: Db): Usage {
  const windows = new Map<string, RateWindow & { length: number }>();
  const changed = new Set<string>();
  const keys = new Map<string, { count: number; at: number }>();
  const name = (caller: string, bucket: string): string => `${caller}\n${bucket}`;

  function forgetEnded(now: number): void {
    for (const [key, window] of windows) {
      if (window.startedAt + window.length <= now) windows.delete(key);
    }
    db.run('DELETE FROM rate_windows WHERE started_at < ?', now - 86_400_000);
  }

  return {
    window(caller, bucket, length, now) {
      const key = name(caller, bucket);
      let window = windows.get(key);
      if (window === undefined) {
        if (windows.size >= maxWindows) forgetEnded(now);
        const stored = db.get<{ started_at: number; count: number }>(
          'SELECT started_at, count FROM rate_windows WHERE caller = ? AND bucket = ?',
          caller,
          bucket,
        );
        window = { startedAt: stored?.started_at ?? now, count: stored?.count ?? 0, length };
        windows.set(key, window);
      }
      window.length = length;
      if (now >= window.startedAt + length) {
        window.startedAt = now;
        window.count = 0;
      }
      return window;
    },
    used(caller, bucket, length, now) {
      const window = windows.get(name(caller, bucket));
      return window === undefined || now >= window.startedAt + length ? 0 : window.count;
    },
    touched: (caller, bucket) => void changed.add(name(caller, bucket)),
    keyUsed(keyId, at) {
      const use = keys.get(keyId);
      if (use === undefined) keys.set(keyId, { count: 1, at });
      else {
        use.count++;
        use.at = at;
      }
    },
    flush() {
      for (const key of changed) {
        const window = windows.get(key);
        if (window === undefined) continue;
        const [caller = '', bucket = ''] = key.split('\n');
        db.run(
          'INSERT OR REPLACE INTO rate_windows (caller, bucket, started_at, count) VALUES (?, ?, ?, ?)',
          caller,
          bucket,
          window.startedAt,
          window.count,
        );
      }
      changed.clear();
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
  };
}
