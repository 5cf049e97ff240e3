// Results of reads, kept until one of the tables that they come from is written.

export interface Memos {
  /** See Db.memo. */
  keep<Result>(tables: string, key: string, read: () => Result): Result;
  /** Drops what comes from a table, or (without one) everything. */
  forget(table?: string): void;
  /** Calls back whenever something that comes from a table is dropped; one listener a table. */
  onForget(table: string, listener: () => void): void;
}

interface Group {
  kept: Map<string, unknown>;
}

const maxMemos = 2_000;

/** An empty memory of reads. */
export function createMemos(): Memos {
  const groups = new Map<string, Group>();
  const ofTable = new Map<string, Group[]>();
  const listeners = new Map<string, () => void>();

  // A new map each time: an emptied one would keep what it held from the collector until its next full round.
  function empty(group: Group): void {
    if (group.kept.size > 0) group.kept = new Map();
  }

  return {
    keep<Result>(tables: string, key: string, read: () => Result) {
      let group = groups.get(tables);
      if (group === undefined) {
        group = { kept: new Map() };
        groups.set(tables, group);
        for (const table of tables.split(' ')) ofTable.set(table, [...(ofTable.get(table) ?? []), group]);
      }
      if (group.kept.has(key)) return group.kept.get(key) as Result;
      const result = read();
      if (group.kept.size >= maxMemos) empty(group);
      group.kept.set(key, result);
      return result;
    },
    onForget(table, listener) {
      listeners.set(table, listener);
    },
    forget(table) {
      if (table === undefined) for (const listener of listeners.values()) listener();
      else listeners.get(table)?.();
      const concerned = table === undefined ? groups.values() : (ofTable.get(table) ?? []);
      for (const group of concerned) empty(group);
    },
  };
}
