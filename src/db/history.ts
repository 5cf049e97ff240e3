// The history of a world: one line of entries that say how everything was before it changed. Going back to a place undoes
// what came after it, so no copies of the world are kept but those that a restore replaces.

import type { Db } from './db.js';
import { type Cause, type Entry, entryText, type Label, type Point } from './history-entry.js';
import { type HistoryStore, openHistoryStore } from './history-store.js';
import type { NotedRow } from './row-log.js';
import type { UsageNotes } from './usage.js';

export interface History extends UsageNotes {
  /** Runs `act`: what it changes belongs to a point of this kind. */
  as<Result>(label: Cause, act: () => Result): Result;
  /** The number of the entry that the present request has begun: a fork before the request undoes it. */
  here(): number;
  /** Adds a point for a request that has ended, unless it has changed rows under this label. */
  finished(label: Label): void;
  /** All data were replaced; those that were there before, at an instant, are the image. Call it in the transaction. */
  replaced(image: Buffer, before: number, subject: string): void;
  /** Writes what is only in memory. Call it in a transaction. */
  write(): void;
  /** Forgets everything: the numbers go on. */
  clear(): void;
  /** Why a place cannot be reached exactly; undefined: it can. */
  whyNot(seq: number): string | undefined;
  /** All entries up to now. */
  entries(): Pick<HistoryStore, 'after' | 'backwards' | 'image' | 'first' | 'last' | 'bytes'>;
}

interface HistoryOptions {
  db: Db;
  now: () => number;
  /** Requests, as the journal keeps them. */
  requests: number;
  bytes: number;
  /** What counted uses of a key are not in its row yet. */
  pendingUses: (id: string) => { count: number; at: number } | undefined;
}

/** The entries of a request: its arrival, and what it changes. */
const perRequest = 2;

const unknown: Cause = { kind: 'control' };

/** The history of one world. It begins, or goes on, when this is called. */
export function openHistory({ db, now, requests, bytes, pendingUses }: HistoryOptions): History {
  const store = openHistoryStore(db, { entries: requests * perRequest, bytes });
  let seq = store.last();
  let point = 0;
  for (const { point: last } of store.backwards()) {
    if (last === undefined) continue;
    point = last.point;
    break;
  }
  let label = unknown;
  const noted = new WeakSet<Label>();
  let open: Entry | undefined;

  function opened(): Entry {
    if (open === undefined) {
      const at = now();
      open = { seq: ++seq, from: at, at };
    }
    return open;
  }
  function close(at = now(), image?: Buffer): void {
    if (open === undefined) return;
    open.at = at;
    store.push(open.seq, entryText(open), image);
    open = undefined;
  }
  function addPoint(about: Label): void {
    opened().point = { point: ++point, ...about } satisfies Point;
  }
  // A row of a key does not have its newest uses yet: going back must give it those that it had.
  function whole({ table, key, before }: NotedRow): NotedRow {
    const pending = table === 'api_keys' && before !== null ? pendingUses(String(key[0])) : undefined;
    if (pending === undefined || before === null) return { table, key, before };
    const columns = db.all<{ name: string }>("SELECT name FROM pragma_table_info('api_keys')");
    const row = before.map((value, index) => {
      const column = columns[index]?.name;
      if (column === 'usage_count') return Number(value) + pending.count;
      return column === 'last_used_at' ? pending.at : value;
    });
    return { table, key, before: row };
  }

  db.onChange({
    changed(rows) {
      opened().rows = rows.map(whole);
      const { at, ...about } = label;
      addPoint(about);
      noted.add(label);
      close(at);
      if (!db.inMemory) store.write();
    },
    lost() {
      store.reread();
      close();
      // The number that no entry has stands for what is not known: nobody can go back beyond it.
      seq++;
    },
  });

  return {
    as(about, act) {
      // What was changed until now belongs to whoever runs this.
      db.tell();
      const before = label;
      label = about;
      try {
        const result = act();
        db.tell();
        return result;
      } finally {
        label = before;
      }
    },
    here: () => seq,
    arrived(number) {
      close();
      opened().request = number;
    },
    window({ caller, bucket, startedAt, count, fullUntil }) {
      const entry = opened();
      entry.windows ??= [];
      if (entry.windows.some(([one, other]) => one === caller && other === bucket)) return;
      const isThere = count > 0 || fullUntil !== null;
      entry.windows.push(isThere ? [caller, bucket, startedAt, count, fullUntil] : [caller, bucket]);
    },
    key(before) {
      const entry = opened();
      entry.keys ??= [];
      if (!entry.keys.some(([id]) => id === before[0])) entry.keys.push(before);
    },
    changedByHand() {
      if (open?.windows === undefined) return;
      const { at, ...about } = label;
      addPoint(about);
      close(at);
    },
    finished(about) {
      if (noted.has(about)) return;
      addPoint(about);
      close();
    },
    replaced(image, before, subject) {
      close();
      Object.assign(opened(), { from: before, replaced: true });
      addPoint({ kind: 'restore', subject });
      close(now(), image);
      if (!db.inMemory) store.write();
    },
    write() {
      close();
      store.write();
    },
    clear() {
      open = undefined;
      store.clear();
    },
    whyNot(place) {
      if (place + 1 < store.first()) return 'the history keeps less: data.historyBytes and data.journal say how much';
      return undefined;
    },
    entries() {
      close();
      return store;
    },
  };
}
