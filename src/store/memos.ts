// Results of reads, kept until one of the tables that they come from is written.

export interface Memos {
  /** See Db.memo. */
  keep<Result>(tables: string, key: string, read: () => Result): Result;
  /** Drops what comes from a table, or (without one) everything. */
  forget(table?: string): void;
}

interface Group {
  tables: readonly string[];
  kept: Map<string, unknown>;
}

const maxMemos = 2_000;

/** An empty memory of reads. */
export function createMemos(): Memos {
  const groups = new Map<string, Group>();

  // A new map each time: an emptied one would keep what it held from the collector until its next full round.
  function empty(group: Group): void {
    if (group.kept.size > 0) group.kept = new Map();
  }

  return {
    keep<Result>(tables: string, key: string, read: () => Result) {
      let group = groups.get(tables);
      if (group === undefined) {
        group = { tables: tables.split(' '), kept: new Map() };
        groups.set(tables, group);
      }
      if (group.kept.has(key)) return group.kept.get(key) as Result;
      const result = read();
      if (group.kept.size >= maxMemos) empty(group);
      group.kept.set(key, result);
      return result;
    },
    forget(table) {
      for (const group of groups.values()) if (table === undefined || group.tables.includes(table)) empty(group);
    },
  };
}
