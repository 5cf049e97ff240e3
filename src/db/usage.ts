// Counts each request: its number, rate windows, uses of keys. They are kept in memory, and written after a second at most
// (with the journal, world.flush). A killed process loses the counts of its last second, but gives no number twice.

import * as z from 'zod';
import type { Db } from './db.js';
import type { KeyBefore } from './history-entry.js';
import { readMetaJson, writeMeta } from './meta.js';
import { following } from './numbers.js';

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

/** Hears what counts requests is about to change. */
export interface UsageNotes {
  arrived(number: number): void;
  window(window: CallerWindow): void;
  key(before: KeyBefore): void;
  /** A control operation has changed windows, perhaps without changing rows. */
  changedByHand(): void;
}

interface KeptWindow extends RateWindow, CallerWindow {}

/** The uses of a key since the last flush, and those that its row has. */
interface KeyUses {
  stored: KeyBefore;
  count: number;
  at: number;
}

/** The row that keeps the number of the last request. */
const row = 'counts';
const stored = z.lazy(() =>
  z.object({
    requests: z.int().min(0),
    /** The limit of the numbers that a killed process may have given; missing: none since they were written. */
    reserved: z.int().min(0).exactOptional(),
  }),
);

// One small write for so many requests.
const reservedAtOnce = 1_000;

// Windows that ended long ago are forgotten once there are this many.
const mostWindows = 20_000;

// The `full_until` of a window that refuses one request, whenever it comes.
const once = Number.MIN_SAFE_INTEGER;

const selectWindows =
  'SELECT caller, bucket, started_at AS startedAt, count, full_until AS fullUntil FROM rate_windows';

const keyOf = (caller: string, bucket: string): string => `${caller}\n${bucket}`;

/** The counts of one world. */
export class Usage {
  private last: number;
  /** No process has given a number beyond this one. */
  private reserved: number;
  private isEnding = false;
  private readonly windows = new Map<string, KeptWindow>();
  private readonly keys = new Map<string, KeyUses>();
  /** What the tables do not say yet. */
  private changed = new Set<KeptWindow>();
  private notes: UsageNotes | undefined;

  constructor(private readonly db: Db) {
    const { requests = 0, reserved = requests } = readMetaJson(db, row, stored) ?? {};
    this.last = reserved;
    this.reserved = reserved;
  }

  /** Tells of each count before it changes. */
  tell(notes: UsageNotes): void {
    this.notes = notes;
  }

  /**
   * The number of the next request, from 1 on: request ids are made from it. It never falls, whatever is restored.
   *
   * @throws ApiError SERVICE_UNAVAILABLE when there is none left, or none can be reserved
   */
  nextRequest(): number {
    const next = following(this.last, 'requests');
    // What is in memory does not outlive the process.
    if (next > this.reserved && !this.db.inMemory && !this.isEnding) this.skipTo(this.last);
    this.last = next;
    this.notes?.arrived(next);
    return next;
  }

  /** The number of the last request. */
  requests(): number {
    return this.last;
  }

  /** Goes on after a number, and reserves those that follow it. */
  skipTo(last: number): void {
    const before = this.reserved;
    this.reserved = last + reservedAtOnce;
    try {
      this.db.transaction(() => this.db.untold(() => this.writeNumber()));
    } catch (error) {
      this.reserved = before;
      throw error;
    }
    this.last = last;
  }

  private writeNumber(): void {
    const isReserved = this.reserved > this.last && !this.isEnding;
    writeMeta(
      this.db,
      row,
      JSON.stringify({ requests: this.last, ...(isReserved && { reserved: this.reserved }) } satisfies z.output<
        typeof stored
      >),
    );
  }

  keyUsed(id: string, at: number): void {
    const uses = this.usesOf(id);
    this.notes?.key([id, uses.stored[1] + uses.count, uses.count > 0 ? uses.at : uses.stored[2]]);
    uses.count++;
    uses.at = at;
  }

  private usesOf(id: string): KeyUses {
    let uses = this.keys.get(id);
    if (uses === undefined) {
      const told = this.db.get<{ count: number; at: number | null }>(
        'SELECT usage_count AS count, last_used_at AS at FROM api_keys WHERE id = @id',
        { id },
      );
      uses = { stored: [id, told?.count ?? 0, told?.at ?? null], count: 0, at: 0 };
      this.keys.set(id, uses);
    }
    return uses;
  }

  /** The uses of a key that its row does not have yet. */
  pendingUses(id: string): { count: number; at: number } | undefined {
    const uses = this.keys.get(id);
    return uses === undefined || uses.count === 0 ? undefined : uses;
  }

  /** The window of a caller in a bucket; begun now when there is none or the last one has ended. */
  window(caller: string, bucket: string, lengthMs: number, now: number): RateWindow {
    const window = this.kept(caller, bucket, now);
    if (window.fullUntil === once) {
      // The window refuses the request that asks, and the next one begins anew.
      this.notes?.window(window);
      window.fullUntil = now;
      window.endsAt = now;
      this.changed.add(window);
      return window;
    }
    window.endsAt = window.fullUntil ?? window.startedAt + lengthMs;
    if (now >= window.endsAt) this.begin(window, lengthMs, now);
    return window;
  }

  /** The window that a request would find now; nothing begins, and nothing is used up. */
  shown(caller: string, bucket: string, lengthMs: number, now: number): RateWindow {
    const { startedAt, count, fullUntil } =
      this.windows.get(keyOf(caller, bucket)) ?? this.storedWindow(caller, bucket, now);
    if (fullUntil === once) return { startedAt, count, endsAt: now, full: true };
    const endsAt = fullUntil ?? startedAt + lengthMs;
    if (now >= endsAt) return { startedAt: now, count: 0, endsAt: now + lengthMs, full: false };
    return { startedAt, count, endsAt, full: fullUntil !== null };
  }

  /** Counts a request in a window. */
  count(counted: RateWindow): void {
    const window = counted as KeptWindow;
    this.notes?.window(window);
    window.count++;
    this.changed.add(window);
  }

  /** Fills a caller's window, so that it lets nothing pass until an instant; one request, where that is now. */
  fill(caller: string, bucket: { name: string; size: number; length: number }, until: number, now: number): void {
    const window = this.kept(caller, bucket.name, now);
    this.begin(window, bucket.length, now);
    window.count = bucket.size;
    window.fullUntil = until <= now ? once : until;
    window.endsAt = until;
    window.full = true;
    this.changed.add(window);
    this.writeWindow(window);
  }

  /** The windows of all callers, by caller and bucket; those that have ended too, unless control filled them. */
  present(now: number): CallerWindow[] {
    return [...this.allWindows()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, { caller, bucket, startedAt, count, fullUntil }]) => {
        if (fullUntil !== null && fullUntil !== once && fullUntil <= now) return [];
        return { caller, bucket, startedAt, count, fullUntil: fullUntil === once ? now : fullUntil };
      });
  }

  private allWindows(): Map<string, CallerWindow> {
    const all = new Map(this.db.all<CallerWindow>(selectWindows).map((one) => [keyOf(one.caller, one.bucket), one]));
    for (const window of this.changed) all.set(keyOf(window.caller, window.bucket), window);
    return all;
  }

  private kept(caller: string, bucket: string, now: number): KeptWindow {
    const key = keyOf(caller, bucket);
    let window = this.windows.get(key);
    if (window === undefined) {
      if (this.windows.size >= mostWindows) this.forgetEnded(now);
      const { startedAt, count, fullUntil } = this.storedWindow(caller, bucket, now);
      window = { caller, bucket, startedAt, count, fullUntil, endsAt: startedAt, full: fullUntil !== null };
      this.windows.set(key, window);
    }
    return window;
  }

  private storedWindow(caller: string, bucket: string, now: number): CallerWindow {
    const found = this.db.get<CallerWindow>(`${selectWindows} WHERE caller = @caller AND bucket = @bucket`, {
      caller,
      bucket,
    });
    return found ?? { caller, bucket, startedAt: now, count: 0, fullUntil: null };
  }

  private begin(window: KeptWindow, length: number, now: number): void {
    this.notes?.window(window);
    Object.assign(window, { startedAt: now, count: 0, fullUntil: null, endsAt: now + length, full: false });
  }

  private forgetEnded(now: number): void {
    for (const [key, window] of this.windows)
      if (window.endsAt <= now && window.fullUntil !== once && !this.changed.has(window)) this.windows.delete(key);
    this.db.run('DELETE FROM rate_windows WHERE started_at < @started_at', { started_at: now - 86_400_000 });
  }

  private writeWindow({ caller, bucket, startedAt, count, fullUntil }: CallerWindow): void {
    this.db.run(
      `INSERT OR REPLACE INTO rate_windows (caller, bucket, started_at, count, full_until)
         VALUES (@caller, @bucket, @startedAt, @count, @fullUntil)`,
      { caller, bucket, startedAt, count, fullUntil },
    );
  }

  /** Writes what changed since the last flush, in a transaction of its own; `also` runs in it. */
  flush(also: () => void = () => {}): void {
    this.db.transaction(() => {
      this.db.untold(() => this.write());
      also();
    });
    // The transaction may fail: only now the tables say it.
    this.changed = new Set();
    this.keys.clear();
  }

  private write(): void {
    for (const window of this.changed) this.writeWindow(window);
    for (const [id, { count, at }] of this.keys)
      if (count > 0)
        this.db.run('UPDATE api_keys SET usage_count = usage_count + @count, last_used_at = @at WHERE id = @id', {
          count,
          at,
          id,
        });
    this.writeNumber();
  }

  /** Runs `act` in one transaction after a flush; an error leaves the counts as they were. */
  undoable<Result>(act: () => Result): Result {
    this.flush();
    try {
      const result = this.db.transaction(act);
      this.notes?.changedByHand();
      return result;
    } catch (error) {
      this.forget();
      throw error;
    }
  }

  /** Ends all rate windows: every caller begins a new one. `also` runs in the same transaction. */
  clear(also: () => void): void {
    for (const window of this.allWindows().values()) this.notes?.window(window);
    this.flush(() => {
      this.db.run('DELETE FROM rate_windows');
      also();
    });
    this.windows.clear();
    this.notes?.changedByHand();
  }

  /** Goes over to the counts of data that were just put into the database, within the transaction that did. */
  reread(): void {
    this.last = Math.max(this.last, readMetaJson(this.db, row, stored)?.requests ?? 0);
    this.forget();
    this.writeNumber();
  }

  /** Drops the counts since the last flush: the stored counts apply again. */
  forget(): void {
    this.windows.clear();
    this.changed = new Set();
    this.keys.clear();
  }

  /** From now on no number is reserved: the next process goes on exactly here. */
  end(): void {
    this.isEnding = true;
  }
}
