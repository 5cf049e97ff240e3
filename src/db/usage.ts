// Counts each request: its number, rate windows, uses of keys. They are kept in memory and written behind in batches;
// until then a file beside the database holds them, so that a killed process loses none.

import * as z from 'zod';
import { quietTurn, wallNow } from '../core/clock.js';
import { StoreError } from './connection.js';
import { openCountsFile } from './counts-file.js';
import type { Db } from './db.js';
import type { UsageNotes } from './history.js';
import type { KeyBefore } from './history-entry.js';
import { readMetaJson, writeMeta } from './meta.js';
import { following } from './numbers.js';
import { type CallerWindow, createRateWindows, type KeptWindow } from './rate-windows.js';
import { asStorageFailure } from './storage-failure.js';

// So many requests take some milliseconds.
const mostAsking = 50;

/** The counts of a world, beside those of its rate windows. */
export interface Usage
  extends Omit<ReturnType<typeof createRateWindows>, 'goOnFrom' | 'save' | 'written' | 'forget' | 'willEnd'> {
  /**
   * The number of the next request, from 1 on: request ids are made from it. It never falls, whatever is restored.
   *
   * @throws ApiError SERVICE_UNAVAILABLE when there is none left
   */
  nextRequest(): number;
  /** The number of the last request. */
  requests(): number;
  keyUsed(keyId: string, now: number): void;
  /**
   * Stores the counts, before a response or the database contains anything that depends on them.
   *
   * @throws ApiError SERVICE_UNAVAILABLE when it cannot be stored
   */
  persist(): void;
  /**
   * The same, in one write for all requests that come in one turn of the event loop after another: those that change
   * something then act in one turn and share a commit, too. Undefined when there is nothing to store.
   *
   * @throws ApiError SERVICE_UNAVAILABLE when it cannot be stored
   */
  persistTogether(): Promise<void> | undefined;
  /** Writes what changed since the last flush, in a transaction of its own; `also` runs in it. */
  flush(also?: () => void): void;
  /** Runs `act` in one transaction after a flush; an error leaves the counts as they were. */
  undoable<Result>(act: () => Result): Result;
  /** Ends all rate windows: every caller begins a new one. `also` runs in the same transaction. */
  clear(also: () => void): void;
  /** Goes over to the counts of data that were just put into the database, within the transaction that did. */
  reread(): void;
  /** Drops the counts since the last flush: the stored counts apply again. */
  forget(): void;
  /** The uses of a key that its row does not have yet. */
  pendingUses(keyId: string): { count: number; at: number } | undefined;
  /** Tells of each count before it changes. */
  tell(notes: UsageNotes): void;
  close(): void;
}

interface KeyUse {
  readonly id: string;
  /** Since the last flush. */
  count: number;
  at: number;
}

/** The counts in the database. */
interface Stored {
  /** Another one each time it is written: lines of the file count only where they are of this one. */
  generation: number;
  requests: number;
}

const row = 'counts';
const count = z.lazy(() => z.int().min(0));
/** The content of a line of the file: the last request, rate windows and keys at that moment. */
const line = z.lazy(() => {
  const instant = z.number();
  const windows = z.array(z.tuple([z.string(), z.string(), instant, count, instant.nullable()]));
  return z.tuple([count, windows, z.array(z.tuple([z.string(), count, instant]))]);
});
const shape: z.ZodType<Stored> = z.lazy(() => z.object({ generation: count, requests: count }));

const readStored = (db: Db): Stored => readMetaJson(db, row, shape) ?? { generation: 0, requests: 0 };

/**
 * The counts of one world.
 *
 * @param path of the file beside the database; null: what is in memory need not outlive the process
 */
export function createUsage(db: Db, path: string | null): Usage {
  let { generation, requests } = readStored(db);
  const file = path === null ? undefined : asStorageFailure(path, () => openCountsFile(path));
  const keys = new Map<string, KeyUse>();
  // The counts that the file does not contain yet.
  let written = requests;
  const newWindows = new Set<KeptWindow>();
  const newUses = new Set<KeyUse>();
  let isOpen = true;
  let persisting: Promise<void> | undefined;
  let asking = 0;
  let notes: UsageNotes | undefined;
  const windows = createRateWindows(db, {
    willChange: (window) => notes?.window(window),
    changed(window) {
      if (file !== undefined) newWindows.add(window);
    },
  });
  // What the row of a key says of its uses: reading it for each request would cost more than the rest.
  const storedUses = new Map<string, KeyBefore>();
  const mostStoredUses = 1_000;
  function usesBefore(id: string): KeyBefore {
    let stored = storedUses.get(id);
    if (stored === undefined) {
      const row = db.get<{ count: number; at: number | null }>(
        'SELECT usage_count AS count, last_used_at AS at FROM api_keys WHERE id = @id',
        { id },
      );
      stored = [id, row?.count ?? 0, row?.at ?? null];
      if (storedUses.size >= mostStoredUses) storedUses.clear();
      storedUses.set(id, stored);
    }
    const pending = keys.get(id);
    return pending === undefined ? stored : [id, stored[1] + pending.count, pending.at];
  }

  // The counts that a killed process has left; they stay in the file until the next flush.
  function goOn(): void {
    if (generation === 0) generation = writeStored();
    for (const content of file?.read(generation) ?? []) {
      const read = line.safeParse(content, { jitless: true });
      if (!read.success) throw damagedCounts(path ?? '');
      const [last, ofWindows, ofKeys] = read.data;
      requests = last;
      for (const [caller, bucket, startedAt, count, fullUntil] of ofWindows)
        windows.goOnFrom({ caller, bucket, startedAt, count, fullUntil } satisfies CallerWindow);
      for (const [id, count, at] of ofKeys) keys.set(id, { id, count, at });
    }
    written = requests;
  }
  try {
    goOn();
  } catch (error) {
    file?.leave();
    throw error;
  }

  function newLine(): string {
    let ofWindows = '';
    for (const { names, startedAt, count, fullUntil } of newWindows)
      ofWindows += `${ofWindows && ','}[${names},${startedAt},${count},${fullUntil}]`;
    let ofKeys = '';
    for (const { id, count, at } of newUses) ofKeys += `${ofKeys && ','}["${id}",${count},${at}]`;
    return `${requests},[${ofWindows}],[${ofKeys}]`;
  }

  function lineIsWritten(): void {
    written = requests;
    newWindows.clear();
    newUses.clear();
  }

  // No two databases that ever lay beside one file have a generation in common.
  function writeStored(): number {
    const next: Stored = { generation: file === undefined ? 1 : Math.max(generation + 1, wallNow()), requests };
    writeMeta(db, row, JSON.stringify(next));
    return next.generation;
  }

  // To be called when the database holds everything, and not before: its transaction may fail. Where all data are
  // replaced, nothing is pending: it was flushed before.
  function goOver(next: number): void {
    generation = next;
    keys.clear();
    storedUses.clear();
    lineIsWritten();
    file?.restart();
  }

  function save(): void {
    windows.save();
    for (const { id, count, at } of keys.values())
      db.run('UPDATE api_keys SET usage_count = usage_count + @count, last_used_at = @at WHERE id = @id', {
        count,
        at,
        id,
      });
  }

  function flush(also: () => void = () => {}): void {
    const next = db.transaction(() => {
      db.untold(save);
      also();
      return db.untold(writeStored);
    });
    windows.written();
    goOver(next);
  }

  function forget(): void {
    windows.forget();
    goOver(readStored(db).generation);
  }

  const hasNews = (): boolean => written !== requests || newWindows.size > 0 || newUses.size > 0;

  function persist(): void {
    // Its number may be that of another file by now.
    if (file === undefined || !isOpen || !hasNews()) return;
    if (asStorageFailure(path ?? '', () => file.append(generation, newLine()))) lineIsWritten();
    else flush();
  }

  return {
    window: windows.window,
    shown: windows.shown,
    count: windows.count,
    fill: windows.fill,
    present: windows.present,
    nextRequest() {
      requests = following(requests, 'requests');
      notes?.arrived(requests);
      return requests;
    },
    requests: () => requests,
    keyUsed(id, at) {
      notes?.key(id, usesBefore);
      let use = keys.get(id);
      if (use === undefined) {
        use = { id, count: 0, at };
        keys.set(id, use);
      }
      use.count++;
      use.at = at;
      if (file !== undefined) newUses.add(use);
    },
    persist,
    persistTogether() {
      if (file === undefined || !hasNews()) return undefined;
      asking++;
      persisting ??= quietTurn(() => asking, mostAsking).then(() => {
        persisting = undefined;
        asking = 0;
        persist();
      });
      return persisting;
    },
    flush,
    undoable(act) {
      flush();
      try {
        const result = db.transaction(act);
        notes?.changedByHand();
        return result;
      } catch (error) {
        forget();
        throw error;
      }
    },
    clear(also) {
      windows.willEnd();
      flush(() => {
        db.run('DELETE FROM rate_windows');
        also();
      });
      windows.forget();
      notes?.changedByHand();
    },
    reread() {
      requests = Math.max(requests, readStored(db).requests);
      windows.forget();
      goOver(writeStored());
    },
    forget,
    pendingUses: (id) => keys.get(id),
    tell(listener) {
      notes = listener;
    },
    close() {
      isOpen = false;
      file?.close();
    },
  };
}

function damagedCounts(path: string): StoreError {
  return new StoreError(
    `${path} cannot be used: it is damaged, one of its lines is not as it was written. Delete it, which forgets the newest counts of requests, or choose another --data-dir, or --ephemeral.`,
  );
}
